//! /api/v1/empresa

mod cnpj;
mod ie;

pub(in crate::v1) use cnpj::parsed;

use crate::Built;

pub fn built() -> Vec<Built> {
    vec![cnpj::built(), ie::built()]
}
