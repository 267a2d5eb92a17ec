//! /api/v1/fiscal

use super::Built;

pub fn built() -> Vec<Built> {
    Vec::new()
}
