//! /api/v1/usage

use super::Built;

pub fn built() -> Vec<Built> {
    Vec::new()
}
