//! /api/v1/usage

mod chamada;
mod chamadas;
mod get;

use super::Built;

pub fn built() -> Vec<Built> {
    vec![get::built(), chamadas::built(), chamada::built()]
}
