//! /api/v1/chatapp: the messaging app that the operator connected.

mod validar;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![validar::built()]
}
