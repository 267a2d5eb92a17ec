//! /api/v1/creditos

use super::Built;

pub fn built() -> Vec<Built> {
    Vec::new()
}
