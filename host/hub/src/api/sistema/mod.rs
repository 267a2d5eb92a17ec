//! Health, catalogues and the document of the API.

use super::Built;

pub fn built() -> Vec<Built> {
    Vec::new()
}
