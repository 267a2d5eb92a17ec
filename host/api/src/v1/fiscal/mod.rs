//! /api/v1/fiscal

mod judgement;
mod provedor;
mod provedores;
mod xml_validar;

use crate::Built;

pub fn built() -> Vec<Built> {
    vec![provedor::built(), provedores::built(), xml_validar::built()]
}
