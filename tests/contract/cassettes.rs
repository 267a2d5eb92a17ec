//! Every case of every adapter, in the sandbox.

use flow::{Limits, Runtime};
use hub::adapter::{build, conformance, player};
use std::path::PathBuf;
use tests::adapters;

/// Folder and component of each adapter of the checkout whose tools are here.
pub fn all() -> Vec<(PathBuf, PathBuf)> {
    let workspace = adapters::workspace();
    let components = adapters::folder();
    let names = build::adapters(&workspace).expect("plugins");
    names
        .iter()
        .map(|name| {
            (
                workspace.join("plugins").join(name),
                components.join(format!("{name}.wasm")),
            )
        })
        .filter(|(_, component)| component.is_file())
        .collect()
}

/// The sandbox as production has it, but for the time of a step: a test
/// machine that does ten things at once is not a slow adapter.
pub fn sandbox() -> Runtime {
    Runtime::new(Limits {
        step_ms: 5_000,
        ..Limits::default()
    })
    .expect("sandbox")
}

/// Loads a component, with the compiled code of other tests.
pub fn load(runtime: &Runtime, component: &std::path::Path) -> flow::Loaded {
    let bytes = std::fs::read(component).expect("component");
    runtime
        .load(&bytes, Some(&adapters::cache()))
        .unwrap_or_else(|error| panic!("{}: {error}", component.display()))
}

#[test]
fn cases_play_in_the_sandbox() {
    let runtime = sandbox();
    let mut failures = Vec::new();
    let mut played = 0;
    for (folder, component) in all() {
        let loaded = load(&runtime, &component);
        for case in player::cases(&folder).expect("cases") {
            played += 1;
            if let Err(error) = player::play(&runtime, &loaded, &case) {
                failures.push(format!("{}: {error}", case.display()));
            }
        }
    }
    assert!(played > 0, "no case");
    assert!(
        failures.is_empty(),
        "{} of {played} cases differ\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn adapters_bear_what_every_adapter_must() {
    let runtime = sandbox();
    for (folder, component) in all() {
        let loaded = load(&runtime, &component);
        let cases = player::cases(&folder).expect("cases");
        let findings = conformance::check(&runtime, &loaded, &cases);
        assert!(
            findings.is_empty(),
            "{}:\n{}",
            loaded.description.name,
            findings.join("\n")
        );
    }
}

/// After a lost answer only the note shows whether the city has cancelled it.
#[test]
fn an_adapter_that_cancels_should_ask_for_notes() {
    let runtime = sandbox();
    let mut description = load(&runtime, &adapters::folder().join("dps.wasm")).description;
    assert_eq!(conformance::advice(&description), None);
    description
        .operations
        .retain(|operation| operation.name != "consultar-nota");
    let advice = conformance::advice(&description).expect("advice");
    assert!(advice.contains("consultar-nota"), "{advice}");
}

/// The player notices: each kind of difference, made on purpose.
#[test]
fn a_changed_case_fails() {
    let runtime = sandbox();
    let workspace = adapters::workspace();
    let loaded = load(&runtime, &adapters::folder().join("dps.wasm"));
    let original = workspace.join("plugins/dps/cases/issued");
    let copy = tempfile::tempdir().expect("folder");
    let restore = || {
        for entry in std::fs::read_dir(copy.path()).expect("copy") {
            std::fs::remove_file(entry.expect("entry").path()).expect("remove");
        }
        for entry in std::fs::read_dir(&original).expect("case") {
            let entry = entry.expect("entry");
            std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("copy");
        }
    };
    let replace = |file: &str, from: &str, to: &str| {
        let path = copy.path().join(file);
        let text = std::fs::read_to_string(&path).expect("file");
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(path, text.replace(from, to)).expect("write");
    };
    restore();
    player::play(&runtime, &loaded, copy.path()).expect("the copy plays");
    for (file, from, to, expected) in [
        (
            "01-request.toml",
            "\"once\"",
            "\"read-only\"",
            "01-request.toml",
        ),
        ("01-request.toml", "/nfse", "/nfsE", "01-request.toml"),
        (
            "01-request.dpsXmlGZipB64.xml",
            "<nDPS>42",
            "<nDPS>43",
            "01-request",
        ),
        ("outcome.json", "\"1523\"", "\"1524\"", "outcome.json"),
        ("nfse.xml", "<nNFSe>1523", "<nNFSe>1524", "outcome.json"),
        ("case.toml", "synthetic", "", "case.toml"),
        (
            "input.json",
            "\"operation\"",
            "\"unknown\": 1, \"operation\"",
            "input.json",
        ),
    ] {
        restore();
        replace(file, from, to);
        let error = player::play(&runtime, &loaded, copy.path()).expect_err(file);
        assert!(error.contains(expected), "{file}: {error}");
    }
    restore();
    std::fs::write(
        copy.path().join("02-wait.toml"),
        "duration_ms = 1\nreason = \"x\"\n",
    )
    .expect("write");
    let error = player::play(&runtime, &loaded, copy.path()).expect_err("a file is left over");
    assert!(error.contains("02-wait.toml"), "{error}");
}
