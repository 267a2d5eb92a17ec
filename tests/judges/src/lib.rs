//! What tests ask that is not of this repository: official schemas, samples
//! and facts in a folder of their own, and other people's programs.
//!
//! A test whose judge is not on the machine says so by [`skipped`] and ends.
//! With `HUB_TEST_SKIPS` each of these lines goes to the file of that name,
//! too: a run that must have every judge looks there for lines.

use serde_json::Value;
use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of official material: `HUB_SHARED`, or `shared` beside this
/// checkout.
fn root() -> PathBuf {
    std::env::var_os("HUB_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    )
}

/// A file or folder of the official material; None, and a skip, where it is
/// not on this machine.
pub fn shared(relative: &str) -> Option<PathBuf> {
    let path = root().join(relative);
    if path.exists() {
        return Some(path);
    }
    skipped(format_args!("{relative} is not here (set HUB_SHARED)"));
    None
}

/// The collection of official schemas that has a package: that of the official
/// material, or the folder `HUB_TEST_SCHEMAS`, where somebody keeps packages
/// that it lacks.
///
/// A package that is in neither is no skip: no machine that runs the tests has
/// it. What is not done without it is said.
pub fn collection(package: &str) -> Option<PathBuf> {
    let own = std::env::var_os("HUB_TEST_SCHEMAS").map(PathBuf::from);
    let roots = [Some(root().join("schemas")), own];
    let found = roots
        .into_iter()
        .flatten()
        .find(|root| root.join(package).exists());
    if found.is_none() {
        eprintln!("not compared: {package} (HUB_TEST_SCHEMAS names a folder that has it)");
    }
    found
}

/// Runs a program; None, and a skip, where it is not installed.
pub fn tool(program: &str, arguments: &[&str]) -> Option<Output> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) => {
            skipped(format_args!("{program} does not run here ({error})"));
            None
        }
    }
}

/// The folder `HUB_TEST_GENERATORS`, where the packages of tests/generators/package.json
/// are installed; None, and a skip, where they are not.
pub fn generators() -> Option<PathBuf> {
    let folder = std::env::var_os("HUB_TEST_GENERATORS").map(PathBuf::from);
    let folder = folder.filter(|folder| folder.join("node_modules/.bin").is_dir());
    if folder.is_none() {
        skipped("HUB_TEST_GENERATORS names no folder of tests/generators' packages");
    }
    folder
}

/// Whether a program is installed; a skip where not.
pub fn has(program: &str) -> bool {
    tool(program, &["--version"]).is_some()
}

/// Says that a test, or a part of one, was not done for want of its judge.
///
/// # Panics
/// The file of `HUB_TEST_SKIPS` cannot be written.
pub fn skipped(why: impl Display) {
    eprintln!("skipped: {why}");
    if let Some(file) = std::env::var_os("HUB_TEST_SKIPS") {
        let open = std::fs::File::options()
            .create(true)
            .append(true)
            .open(file);
        let test = std::thread::current();
        let line = format!("{}: {why}\n", test.name().unwrap_or("?"));
        let written = open.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("the file of HUB_TEST_SKIPS can be written");
    }
}

/// The worked examples of a topic: what goes in, what must come out.
///
/// # Panics
/// The table is there and cannot be read.
pub fn examples(topic: &str) -> Option<Vec<[Value; 2]>> {
    let file = shared("facts/worked-examples.csv")?;
    let mut reader = csv::Reader::from_path(file).expect("the examples");
    let rows = reader.records().map(|row| row.expect("a row"));
    let json = |text: Option<&str>| serde_json::from_str(text.unwrap_or("null")).expect("JSON");
    Some(
        rows.filter(|row| row.get(0) == Some(topic))
            .map(|row| [json(row.get(1)), json(row.get(2))])
            .collect(),
    )
}

/// Every XML sample that is UTF-8, with its path.
///
/// # Panics
/// A folder of them cannot be read.
pub fn samples() -> Vec<(PathBuf, String)> {
    shared("samples").map(xml_below).unwrap_or_default()
}

/// Every XML of other people's programs that is UTF-8, with its path: from the
/// folder that the variable names. None, and a skip, where it names none.
///
/// # Panics
/// A folder of them cannot be read.
pub fn foreign(variable: &str) -> Option<Vec<(PathBuf, String)>> {
    match std::env::var_os(variable) {
        Some(folder) => Some(xml_below(PathBuf::from(folder))),
        None => {
            skipped(format_args!("{variable} names no folder of foreign files"));
            None
        }
    }
}

fn xml_below(folder: PathBuf) -> Vec<(PathBuf, String)> {
    let mut folders = vec![folder];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)
            .expect("a folder of samples")
            .map(|entry| entry.expect("a folder of samples").path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
                && let Ok(text) = std::fs::read_to_string(&entry)
            {
                found.push((entry, text));
            }
        }
    }
    found.sort();
    found
}
