//! Makes Rust of the contract: types of `wit/schemas`, tables of `wit/tables`.
//! What does not fit ends the build with a sentence that names the file.

mod paths;
mod table;
mod types;

use std::path::{Path, PathBuf};

/// The tables, and the types in them that code begins with, under the names it
/// knows them by.
const TABLES: [(&str, &[(&str, &str)]); 2] = [
    ("dps.txt", &[("DPS", "TCInfDPS")]),
    (
        "rps.txt",
        &[
            ("RPS", "InfDeclaracaoPrestacaoServico"),
            ("RPS_SERVICE", "Servico"),
            ("RPS_VALUES", "Valores"),
        ],
    ),
];

fn main() {
    if let Err(problem) = run() {
        eprintln!("{problem}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let wit = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../../wit");
    let out = PathBuf::from(variable("OUT_DIR")?);
    let mut types = types::Types::default();
    for (schema, missing) in [
        ("nfse.dps.1", types::Missing::Default),
        ("nfse.rps.1", types::Missing::Default),
        ("nfse.ref.1", types::Missing::Default),
        // Nobody may cancel a note for a reason that was not given.
        ("nfse.cancelamento.1", types::Missing::Refused),
    ] {
        let text = read(&wit.join("schemas").join(format!("{schema}.json")))?;
        types
            .add(&text, missing)
            .map_err(|problem| format!("wit/schemas/{schema}.json: {problem}"))?;
    }
    write(&out.join("types.rs"), &types.source())?;
    let dps = read(&wit.join("schemas/nfse.dps.1.json"))?;
    let dps = paths::source("DPS_PATHS", &dps)
        .map_err(|problem| format!("wit/schemas/nfse.dps.1.json: {problem}"))?;
    write(&out.join("paths.rs"), &dps)?;
    let mut tables = String::new();
    for (file, roots) in TABLES {
        let text = read(&wit.join("tables").join(file))?;
        let source = table::source(roots, &text);
        tables += &source.map_err(|problem| format!("wit/tables/{file}: {problem}"))?;
    }
    write(&out.join("tables.rs"), &tables)
}

fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}"))
}

fn read(path: &Path) -> Result<String, String> {
    println!("cargo::rerun-if-changed={}", path.display());
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
