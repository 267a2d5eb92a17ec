//! The tracked tables are what the official packages compile to.
//!
//! `BLESS=1 cargo test -p tests --test layouts tables` writes them anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use markup::layout::compile::{RECIPES, Recipe, compile};

/// All tables together, so that a package does not sneak in its documentation.
const MAX_BYTES: usize = 2 * 1024 * 1024;

#[test]
fn tables_are_fresh() {
    if judges::shared("schemas").is_none() {
        return;
    }
    let mut total = 0;
    let mut stale = Vec::new();
    for (recipe, schemas) in with_package() {
        let text = compile(recipe, &mut |caminho| le(&schemas.join(caminho)))
            .unwrap_or_else(|error| panic!("{}: {error}", recipe.name));
        total += text.len();
        let arquivo = arquivo(recipe.name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&arquivo, &text).unwrap_or_else(|e| panic!("{arquivo:?}: {e}"));
        } else if std::fs::read_to_string(&arquivo).ok().as_deref() != Some(&text) {
            stale.push(recipe.name);
        }
    }
    assert!(stale.is_empty(), "compile again with BLESS=1: {stale:?}");
    assert!(total < MAX_BYTES, "{total} bytes of tables");
}

#[test]
fn every_table_has_its_recipe_and_file() {
    let mut names: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
    names.sort_unstable();
    let embedded: Vec<&str> = markup::layout::Layout::names().collect();
    assert_eq!(names, embedded);
}

/// The recipes whose package is on this machine, and the collection it is in.
pub fn with_package() -> Vec<(&'static Recipe, PathBuf)> {
    let mut collections: BTreeMap<&str, Option<PathBuf>> = BTreeMap::new();
    let mut found = Vec::new();
    for recipe in RECIPES {
        let collection = collections
            .entry(recipe.folder)
            .or_insert_with(|| judges::collection(recipe.folder));
        found.extend(collection.clone().map(|schemas| (recipe, schemas)));
    }
    found
}

pub fn le(caminho: &Path) -> Result<String, String> {
    let bytes = std::fs::read(caminho).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// Where a table is tracked.
pub fn arquivo(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/markup/layouts");
    Path::new(folder).join(format!("{name}.txt"))
}
