//! The tracked tables are what the official packages compile to.
//!
//! `BLESS=1 cargo test -p tests --test layouts tabelas` writes them anew.

use std::path::{Path, PathBuf};

use markup::layout::compile::{RECEITAS, compile};

/// All tables together, so that a package does not sneak in its documentation.
const MAX_BYTES: usize = 2 * 1024 * 1024;

#[test]
fn tabelas_are_fresh() {
    let Some(esquemas) = judges::shared("schemas") else {
        return;
    };
    let mut total = 0;
    let mut velhas = Vec::new();
    for receita in RECEITAS {
        let texto = compile(receita, &mut |caminho| le(&esquemas.join(caminho)))
            .unwrap_or_else(|erro| panic!("{}: {erro}", receita.nome));
        total += texto.len();
        let arquivo = arquivo(receita.nome);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&arquivo, &texto).unwrap_or_else(|e| panic!("{arquivo:?}: {e}"));
        } else if std::fs::read_to_string(&arquivo).ok().as_deref() != Some(&texto) {
            velhas.push(receita.nome);
        }
    }
    assert!(velhas.is_empty(), "compile again with BLESS=1: {velhas:?}");
    assert!(total < MAX_BYTES, "{total} bytes of tables");
}

#[test]
fn every_table_has_its_recipe_and_file() {
    let mut nomes: Vec<&str> = RECEITAS.iter().map(|receita| receita.nome).collect();
    nomes.sort_unstable();
    let embutidos: Vec<&str> = markup::layout::Layout::nomes().collect();
    assert_eq!(nomes, embutidos);
}

pub fn le(caminho: &Path) -> Result<String, String> {
    let bytes = std::fs::read(caminho).map_err(|erro| erro.to_string())?;
    String::from_utf8(bytes).map_err(|erro| erro.to_string())
}

/// Where a table is tracked.
pub fn arquivo(nome: &str) -> PathBuf {
    let pasta = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/markup/layouts");
    Path::new(pasta).join(format!("{nome}.txt"))
}
