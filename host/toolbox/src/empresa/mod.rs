//! /api/v1/empresa

mod cnpj;
mod ie;
mod registry;

pub(crate) use cnpj::parsed;
pub(crate) use registry::company;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![cnpj::built(), ie::built()]
}
