//! /api/v1/creditos

mod extrato;
mod get;
pub mod lancamento;

use super::Built;

pub fn built() -> Vec<Built> {
    vec![get::built(), extrato::built()]
}
