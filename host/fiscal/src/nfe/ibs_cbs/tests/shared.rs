//! Official material outside of the project: schemas and facts.

use std::path::{Path, PathBuf};

/// A file or folder of it, by `HUB_TEST_SHARED` (or `HUB_SHARED`, as the other
/// tests have it) or in a folder `shared` beside
/// this checkout or above it. None, with a line saying so, where there is none.
pub(crate) fn path(relative: &str) -> Option<PathBuf> {
    let given = ["HUB_TEST_SHARED", "HUB_SHARED"]
        .into_iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from);
    let found = given.chain(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|folder| folder.join("shared")),
    );
    let found = found
        .map(|root| root.join(relative))
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: {relative} is not here (set HUB_TEST_SHARED)");
    }
    found
}

/// Rows of a topic of the worked examples: what goes in, what must come out.
pub(crate) fn exemplos(topico: &str) -> Option<Vec<[serde_json::Value; 2]>> {
    let file = path("facts/worked-examples.csv")?;
    let mut reader = csv::Reader::from_path(file).expect("the examples");
    let rows = reader.records().map(|row| row.expect("a row"));
    let json = |text: Option<&str>| serde_json::from_str(text.unwrap_or("null")).expect("JSON");
    Some(
        rows.filter(|row| row.get(0) == Some(topico))
            .map(|row| [json(row.get(1)), json(row.get(2))])
            .collect(),
    )
}
