//! /api/v1/catalogo

mod pesavel;

use crate::Built;

pub fn built() -> Vec<Built> {
    vec![pesavel::built()]
}
