//! /api/v1/reforma/eventos: which events of the tax reform there are, and
//! whether one would be sent.

mod catalogo;
mod pre_validar;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![catalogo::built(), pre_validar::built()]
}
