//! Builds the cases into the program that teach a simulated city: those of
//! `plugins/*/cases` whose `case.toml` names a `city`.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A new adapter is a new package or, in JavaScript, a folder that is none.
    for file in ["Cargo.lock", "Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", root.join(file).display());
    }
    let mut list = String::from("static CASES: &[(&str, Given)] = &[\n");
    for adapter in sorted(&root.join("plugins")) {
        let cases = adapter.join("cases");
        if !cases.is_dir() {
            continue;
        }
        println!("cargo::rerun-if-changed={}", cases.display());
        let name = adapter
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        for case in sorted(&cases) {
            let about = fs::read_to_string(case.join("case.toml")).unwrap_or_default();
            if about.lines().any(|line| line.starts_with("city")) {
                list += &embedded(&name, &case);
            }
        }
    }
    list += "];\n";
    let out = env::var_os("OUT_DIR").expect("OUT_DIR");
    fs::write(Path::new(&out).join("cases.rs"), list).expect("list of cases");
}

/// One case: its files but for documents of the outcome, which no answer needs.
fn embedded(adapter: &str, case: &Path) -> String {
    let name = case
        .file_name()
        .expect("name")
        .to_string_lossy()
        .into_owned();
    let mut entry = format!("    ({:?}, &[\n", format!("{adapter}/{name}"));
    for file in sorted(case) {
        let name = file
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        if name.starts_with("outcome-") {
            continue;
        }
        let file = fs::canonicalize(&file).expect("file of a case");
        entry += &format!("        ({name:?}, include_bytes!({file:?})),\n");
    }
    entry + "    ]),\n"
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    paths
}
