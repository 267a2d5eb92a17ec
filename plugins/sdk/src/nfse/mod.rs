//! The contents of service notes as an adapter reads them.
//!
//! Their types are made of `wit/schemas` when this crate is built, the tables
//! of their layouts of `wit/tables`. Field names and words are those of the
//! public API; decimals come as text. Fields that are absent are None or their
//! default (of an enumeration, its first word), unknown ones are ignored, so
//! that a new optional field breaks no compiled adapter.

mod content;
mod fields;
pub mod table;

pub use content::*;
pub use fields::{Field, Fields, PathKind, dps_path, find};

use crate::bindings::control::{Conteudo, Failure, FieldError};
use serde::de::DeserializeOwned;

/// Schema of [`Dps`].
pub const SCHEMA_DPS: &str = "nfse.dps/1";
/// Schema of [`RpsRef`].
pub const SCHEMA_RPS: &str = "nfse.rps/1";
/// Schema of [`NotaRef`].
pub const SCHEMA_REF: &str = "nfse.ref/1";
/// Schema of [`Cancelamento`].
pub const SCHEMA_CANCELAMENTO: &str = "nfse.cancelamento/1";

/// Longest content read, in bytes: the API's body limit is 1 MiB.
const MAX_CONTENT: usize = 2 * 1024 * 1024;

/// Reads a content that must follow `schema`.
///
/// # Errors
/// Another schema, or JSON that does not fit: `invalid-input`, final.
pub fn read<T: DeserializeOwned>(content: &Conteudo, schema: &str) -> Result<T, Failure> {
    let refuse =
        |rule: &str, text: String| Failure::invalid_input(vec![FieldError::new("", rule, &text)]);
    if content.schema != schema {
        return Err(refuse("schema", format!("Esperado o conteúdo {schema}.")));
    }
    if content.json.len() > MAX_CONTENT {
        return Err(refuse("tamanho", "Conteúdo grande demais.".into()));
    }
    // serde also reads a struct from an array of its fields: every content is
    // an object, and `[]` must not pass as one without any field.
    if !content.json.trim_start().starts_with('{') {
        return Err(refuse("formato", "O conteúdo não é um objeto JSON.".into()));
    }
    serde_json::from_str(&content.json).map_err(|error| {
        // The position helps; serde's text may quote a value, so it stays out.
        refuse(
            "formato",
            format!(
                "Conteúdo ilegível na linha {}, coluna {}.",
                error.line(),
                error.column()
            ),
        )
    })
}
