//! /api/v1/usage

mod chamada;
mod chamadas;
mod get;
mod troca;

use super::Built;

pub fn built() -> Vec<Built> {
    vec![get::built(), chamadas::built(), chamada::built()]
}
