//! /api/v1/documentos

use super::Built;

pub fn built() -> Vec<Built> {
    Vec::new()
}
