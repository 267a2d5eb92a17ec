//! /api/v1/fiscal

mod provedor;
mod provedores;

use super::Built;

pub fn built() -> Vec<Built> {
    vec![provedor::built(), provedores::built()]
}
