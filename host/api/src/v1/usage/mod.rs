//! /api/v1/usage

mod chamada;
mod chamadas;
mod get;
mod troca;

use crate::Built;

pub fn built() -> Vec<Built> {
    vec![get::built(), chamadas::built(), chamada::built()]
}
