//! /api/v1/empresa

mod cnpj;
mod ie;

pub(crate) use cnpj::parsed;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![cnpj::built(), ie::built()]
}
