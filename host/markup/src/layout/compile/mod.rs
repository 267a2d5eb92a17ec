//! Official XSDs to tables: what `hub layouts compile` and the test that keeps
//! the tracked tables equal to a fresh compilation call.
//!
//! Read is what fiscal schemas use: named and anonymous types, restriction of
//! simple types, simple content with attributes, sequences and choices with
//! any occurrence, wildcards, `unique`, include and import. Everything else
//! (complex derivation, groups, lists, unions, nillable, …) is an error, so a
//! new official package either compiles to what it says or not at all.

mod output;
mod recipes;
mod set;
mod simple;
mod types;

pub use recipes::{Filled, RECIPES, Recipe};

use output::Output;
use set::Set;

/// Reads a file of the official package: path with `/`, below the folder of
/// the schemas. Errors are sentences for the operator.
pub type Ler<'l> = &'l mut dyn FnMut(&str) -> Result<String, String>;

/// Compiles one layout. The same files give the same text, byte for byte.
///
/// # Errors
/// A sentence in English with the file: it is missing, malformed, or uses what
/// is not supported.
pub fn compile(recipe: &Recipe, read: Ler<'_>) -> Result<String, String> {
    let mut output = Output::default();
    for file in recipe.arquivos {
        let path = format!("{}/{file}", recipe.folder);
        let mut texts = set::load(&path, read)?;
        let filled = recipe.filled.iter().flat_map(|filled| filled.with);
        let more = filled.map(|(file, _)| *file).chain(recipe.det_evento);
        for file in more {
            let path = format!("{}/{file}", recipe.folder);
            for text in set::load(&path, read)? {
                if texts.iter().all(|other| other.path != text.path) {
                    texts.push(text);
                }
            }
        }
        let set = Set::read(&texts)?;
        types::global_elements(&set, recipe, &mut output)
            .map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(output.text(recipe))
}
