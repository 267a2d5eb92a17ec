//! Rules of the house that a compiler does not see. Each says where the thing
//! belongs instead.

mod graph;
mod identifiers;
mod ids;
mod names;
mod source;
mod stored;

use std::path::{Path, PathBuf};
use tests::adapters::workspace;

/// Files below a folder with this extension, build output left out.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() && name != "target" && name != ".git" && name != "hub-data" {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Path inside the checkout.
fn inside(path: &Path) -> String {
    path.strip_prefix(workspace())
        .unwrap_or(path)
        .display()
        .to_string()
}

fn report(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn each_library_stays_in_its_room() {
    let rooms: [(&str, &[&str], &str); 4] = [
        (
            "axum::",
            &[
                "host/gate/",
                "host/toolbox/",
                "host/api/",
                "host/moving/",
                "host/page/",
                "host/panel/",
                "host/hub/src/boot.rs",
                "host/hub/src/admin/",
            ],
            "handlers live in host/api/src/v1 and host/toolbox, those of operators in host/hub/src/admin",
        ),
        (
            "sqlx::query",
            &[
                "host/store/src/",
                "tests/api/documentos/past_days.rs",
                "tests/contract/ledger.rs",
                "tests/contract/past_days.rs",
                "tests/contract/schema.rs",
                "tests/contract/plans.rs",
                "tests/contract/words.rs",
                "tests/faults/sql.rs",
                "tests/src/postgres.rs",
                "tests/tls/probes/notes.rs",
            ],
            "SQL lives in host/store/src/tables",
        ),
        (
            "object_store::",
            &["host/objects/src/storage/"],
            "files of customers live in host/objects/src/storage",
        ),
        (
            "wasmtime::",
            &["host/flow/src/"],
            "the sandbox lives in host/flow",
        ),
    ];
    let mut problems = Vec::new();
    for path in files(&workspace(), "rs") {
        let name = inside(&path);
        if name.starts_with("tests/tidy") {
            continue;
        }
        for (word, allowed, instead) in rooms {
            let lines = text(&path)
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .any(|line| line.contains(word));
            if lines && !allowed.iter().any(|room| name.starts_with(room)) {
                problems.push(format!("{name}: {word} does not belong here; {instead}"));
            }
        }
    }
    report(problems);
}

#[test]
fn host_and_plugins_share_only_the_contract() {
    let mut problems = Vec::new();
    for manifest in files(&workspace().join("plugins"), "toml") {
        if manifest
            .file_name()
            .is_some_and(|name| name == "Cargo.toml")
        {
            for host in graph::LAYERS {
                if text(&manifest)
                    .lines()
                    .any(|line| line.starts_with(&format!("{host}.")))
                {
                    problems.push(format!(
                        "{}: depends on {host}; adapters use plugins/sdk",
                        inside(&manifest)
                    ));
                }
            }
        }
    }
    // `plugins/sdk/cassette` may be shared: it reads the files of cases, and knows
    // neither `wit/` nor a type of either side. What the host plays in the
    // sandbox is then what an adapter's own test plays.
    for crate_name in graph::LAYERS {
        let manifest = workspace().join(format!("host/{crate_name}/Cargo.toml"));
        if text(&manifest)
            .lines()
            .any(|line| line.starts_with("sdk") || line.starts_with("adapter-"))
        {
            problems.push(format!(
                "{}: the host does not link adapters",
                inside(&manifest)
            ));
        }
    }
    report(problems);
}

/// A library with `test = false` is not compiled with `cfg(test)`: a test in its
/// sources would never run.
#[test]
fn no_test_stands_where_it_would_not_run() {
    let mut problems = Vec::new();
    let crates = files(&workspace(), "toml").into_iter();
    for krate in crates.filter(|path| path.ends_with("Cargo.toml")) {
        let settings = text(&krate);
        let library = settings.split("\n[").find(|part| part.starts_with("lib]"));
        if !library.is_some_and(|part| part.contains("\ntest = false")) {
            continue;
        }
        for path in files(&krate.with_file_name("src"), "rs") {
            let source = text(&path);
            let marks = ["#[cfg(test)]", "#[test]", "#[tokio::test"];
            if marks.iter().any(|mark| source.contains(mark)) {
                problems.push(format!(
                    "{}: tests of this crate stand in its folder tests/unit",
                    inside(&path)
                ));
            }
        }
    }
    report(problems);
}

/// A file that no `mod` declares is not compiled: its tests never run.
#[test]
fn every_source_file_is_declared() {
    let root = |path: &Path| {
        let folder = path.parent().and_then(Path::file_name);
        let name = path.file_name();
        name.is_some_and(|name| name == "main.rs" || name == "lib.rs" || name == "build.rs")
            || folder.is_some_and(|folder| {
                ["tests", "benches", "examples"]
                    .iter()
                    .any(|one| folder == *one)
            })
    };
    let mut problems = Vec::new();
    for path in files(&workspace(), "rs") {
        if root(&path) {
            continue;
        }
        // `a/mod.rs` is declared beside `a`, `a.rs` beside itself.
        let module = if path.ends_with("mod.rs") {
            path.parent().expect("a folder")
        } else {
            &path
        };
        let declaration = format!(
            "mod {};",
            module.file_stem().expect("a name").to_string_lossy()
        );
        // Modules between may be written in the file of one around them.
        let folder = module.parent().expect("a folder");
        let nearest = folder.ancestors().find_map(|around| {
            let files = ["mod.rs", "lib.rs", "main.rs"].map(|name| around.join(name));
            let mut files = files.into_iter().chain([around.with_extension("rs")]);
            files.find(|file| *file != path && file.exists())
        });
        let declared = nearest.is_some_and(|file| {
            let code = source::code(&text(&file));
            code.lines().any(|line| {
                let line = line.trim();
                line == declaration || line.ends_with(&format!(" {declaration}"))
            })
        });
        if !declared {
            problems.push(format!("{}: nothing says `{declaration}`", inside(&path)));
        }
    }
    report(problems);
}

#[test]
fn migrations_come_in_pairs() {
    let names = |engine: &str| -> Vec<_> {
        files(&workspace().join("migrations").join(engine), "sql")
            .iter()
            .filter_map(|path| path.file_name().map(ToOwned::to_owned))
            .collect()
    };
    assert_eq!(
        names("sqlite"),
        names("postgres"),
        "every migration has the same file name in both folders"
    );
    assert!(!names("sqlite").is_empty());
}

#[test]
fn municipalities_are_sorted() {
    let registry = text(&workspace().join("providers.toml"));
    let codes: Vec<u32> = registry
        .lines()
        .skip_while(|line| *line != "[municipios]")
        .filter_map(|line| line.split(" = ").next()?.parse().ok())
        .collect();
    assert_eq!(codes.len(), 5_571);
    assert!(
        codes.is_sorted(),
        "keep [municipios] in the order of the IBGE codes"
    );
}

#[test]
fn what_comes_from_outside_is_parsed_behind_the_guard() {
    // Behind `flow::json::look`, or what the hub wrote itself.
    let known = [
        "api/src/request/body.rs",
        "api/src/inside.rs",
        "panel/src/pages/documents.rs",
        "events/src/attempt/sealed.rs",
    ];
    let host = workspace().join("host");
    let rooms = [
        "api/src",
        "page/src",
        "panel/src",
        "authority/src/exchange",
        "events/src/attempt",
        "events/src/webhooks",
        "payments/src",
    ];
    let mut problems = Vec::new();
    for path in rooms.iter().flat_map(|room| files(&host.join(room), "rs")) {
        let is_known = known.iter().any(|known| path == host.join(known));
        let parses = text(&path).contains("serde_json::from_slice");
        if parses && !is_known {
            problems.push(format!("{}: use flow::json::read", inside(&path)));
        }
    }
    report(problems);
}

#[test]
fn nothing_unfinished_or_foreign_is_in_the_tree() {
    // Written apart, so that this file does not find itself.
    let banned = [
        (
            concat!("todo", "!("),
            "finish it, or write it in docs and refuse at run time",
        ),
        (
            concat!("unimplemented", "!("),
            "finish it, or write it in docs and refuse at run time",
        ),
        (concat!("#[", "ignore"), "a test runs or does not exist"),
        (concat!("dbg", "!("), "use tracing"),
        (
            concat!("thread::", "sleep(Duration::from_secs"),
            "tests wait for something, not for a time",
        ),
    ];
    let mut problems = Vec::new();
    for path in files(&workspace(), "rs") {
        let text = text(&path);
        for (word, instead) in banned {
            if text.contains(word) {
                problems.push(format!("{}: {word}: {instead}", inside(&path)));
            }
        }
    }
    for path in files(&workspace(), "xsd")
        .into_iter()
        .chain(files(&workspace(), "wsdl"))
    {
        problems.push(format!(
            "{}: official files stay outside of the project",
            inside(&path)
        ));
    }
    report(problems);
}
