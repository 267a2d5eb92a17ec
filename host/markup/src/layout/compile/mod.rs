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

pub use recipes::{RECEITAS, Receita};

use output::Saida;
use set::Conjunto;

/// Reads a file of the official package: path with `/`, below the folder of
/// the schemas. Errors are sentences for the operator.
pub type Ler<'l> = &'l mut dyn FnMut(&str) -> Result<String, String>;

/// Compiles one layout. The same files give the same text, byte for byte.
///
/// # Errors
/// A sentence in English with the file: it is missing, malformed, or uses what
/// is not supported.
pub fn compile(receita: &Receita, ler: Ler<'_>) -> Result<String, String> {
    let mut saida = Saida::default();
    for arquivo in receita.arquivos {
        let caminho = format!("{}/{arquivo}", receita.pasta);
        let mut textos = set::carrega(&caminho, ler)?;
        if let Some(evento) = receita.det_evento {
            let caminho = format!("{}/{evento}", receita.pasta);
            for texto in set::carrega(&caminho, ler)? {
                if textos.iter().all(|outro| outro.caminho != texto.caminho) {
                    textos.push(texto);
                }
            }
        }
        let conjunto = Conjunto::le(&textos)?;
        types::elementos_globais(&conjunto, receita, &mut saida)
            .map_err(|erro| format!("{arquivo}: {erro}"))?;
    }
    Ok(saida.texto(receita))
}
