//! /api/v1/emitters

use super::Built;

pub fn built() -> Vec<Built> {
    Vec::new()
}
