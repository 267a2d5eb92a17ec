//! The types of the contents, made of `wit/schemas` (see `build/types.rs`).

use super::fields::{Field, Fields};
use crate::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value};

include!(concat!(env!("OUT_DIR"), "/types.rs"));

impl Endereco {
    /// Outside Brazil.
    pub fn exterior(&self) -> bool {
        self.codigo_pais
            .as_deref()
            .is_some_and(|country| !matches!(country, "" | "BR" | "1058"))
    }
}
