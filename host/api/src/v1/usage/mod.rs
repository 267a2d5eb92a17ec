//! /api/v1/usage

mod call;
mod chamadas;
mod exchange;
pub mod get;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![get::built(), chamadas::built(), call::built()]
}
