//! The shape of the house: crates in layers, modules without circles, and
//! nothing larger than one can read.

use super::source::{code, functions, paths, without_tests};
use super::{files, inside, report, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tests::adapters::workspace;

/// The crates of the host, the lowest first: each uses only those of earlier
/// lines.
pub const LAYERS: [&str; 32] = [
    "data",
    "markup",
    "packing",
    "tools",
    "dere",
    "fiscal",
    "compose",
    "freight",
    "prints",
    "flow",
    "sim",
    "base",
    "store",
    "datasets",
    "vault",
    "accounts",
    "authority",
    "measured",
    "issuing",
    "inbound",
    "events",
    "payments",
    "objects",
    "lookups",
    "gate",
    "toolbox",
    "api",
    "moving",
    "page",
    "panel",
    "load",
    "hub",
];

const LINES_OF_A_CRATE: usize = 25_000;
const LINES_OF_A_FILE: usize = 700;
const LINES_OF_A_FUNCTION: usize = 80;
const MODULES_AT_THE_TOP: usize = 12;
/// Functions of the API that answer with something else than a type.
const BARE_RESPONSES: usize = 10;

/// A module's path inside its crate and its code, without tests.
type Modules = BTreeMap<Vec<String>, String>;

fn modules(krate: &str) -> Modules {
    let root = workspace().join("host").join(krate).join("src");
    let mut found = Modules::new();
    for path in files(&root, "rs") {
        let name = path.strip_prefix(&root).expect("below").with_extension("");
        let mut parts: Vec<String> = name
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if parts.iter().any(|part| part == "tests") || parts == ["main"] {
            continue;
        }
        if parts
            .last()
            .is_some_and(|last| last == "mod" || last == "lib")
        {
            parts.pop();
        }
        found.insert(parts, without_tests(&code(&text(&path))));
    }
    found
}

/// The module a path of a module leads to.
fn target(known: &Modules, own: &[String], path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut from: Vec<String> = match *parts.first()? {
        "crate" => {
            parts.remove(0);
            Vec::new()
        }
        "super" => {
            let mut from = own.to_vec();
            while parts.first() == Some(&"super") {
                from.pop()?;
                parts.remove(0);
            }
            from
        }
        _ => return None,
    };
    from.extend(parts.iter().map(|part| (*part).to_owned()));
    while !known.contains_key(&from) {
        from.pop()?;
    }
    Some(from)
}

/// Who uses whom among the modules of each folder.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn graphs(krate: &str) -> BTreeMap<String, Graph> {
    let known = modules(krate);
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    for (own, code) in &known {
        for path in paths(code) {
            let Some(used) = target(&known, own, &path) else {
                continue;
            };
            let shared = own.iter().zip(&used).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (own.get(shared), used.get(shared)) {
                let folder = [&[krate.to_owned()], &own[..shared]].concat().join("::");
                let graph = graphs.entry(folder).or_default();
                graph.entry(to.clone()).or_default();
                graph.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    graphs
}

/// Everything that can be reached from a module.
fn reached<'g>(graph: &'g Graph, from: &'g str) -> BTreeSet<&'g str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for used in &graph[next] {
            if seen.insert(used.as_str()) {
                open.push(used);
            }
        }
    }
    seen
}

/// How far above the bottom each module is; None for those of a circle.
fn ranks(graph: &Graph) -> BTreeMap<&str, Option<usize>> {
    let mut ranks: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for _ in 0..=graph.len() {
        for (module, used) in graph {
            let below: Option<Vec<usize>> = used
                .iter()
                .map(|used| ranks.get(used.as_str()).copied().flatten())
                .collect();
            let rank = below.map(|below| below.iter().max().map_or(0, |highest| highest + 1));
            ranks.insert(module, rank);
        }
    }
    ranks
}

#[test]
fn crates_stand_on_lower_ones_only() {
    let mut problems = Vec::new();
    let folders = std::fs::read_dir(workspace().join("host")).expect("host");
    for folder in folders.flatten().filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name().to_string_lossy().into_owned();
        let manifest = folder.path().join("Cargo.toml");
        if !manifest.exists() {
            continue;
        }
        let Some(own) = LAYERS.iter().position(|layer| *layer == name) else {
            problems.push(format!("host/{name} has no place in LAYERS"));
            continue;
        };
        let manifest = text(&manifest);
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let used: Vec<&str> = dependencies
            .lines()
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.split('.').next())
            .filter(|used| LAYERS.contains(used))
            .collect();
        println!("{name} -> {}", used.join(" "));
        for used in used {
            if LAYERS.iter().position(|layer| *layer == used) > Some(own) {
                problems.push(format!("host/{name} looks up to {used}"));
            }
        }
        if !manifest.contains("\ndescription = \"") {
            problems.push(format!(
                "host/{name}/Cargo.toml: say its purpose in one sentence"
            ));
        }
    }
    report(problems);
}

#[test]
fn modules_have_no_circles() {
    let mut found = Vec::new();
    for krate in LAYERS {
        for (folder, graph) in graphs(krate) {
            for (module, rank) in ranks(&graph) {
                let used: Vec<&str> = graph[module].iter().map(String::as_str).collect();
                let place = rank.map_or("circle".to_owned(), |rank| rank.to_string());
                println!("{folder}: {module} ({place}) -> {}", used.join(" "));
                let circle: Vec<&str> = reached(&graph, module)
                    .into_iter()
                    .filter(|used| reached(&graph, used).contains(module))
                    .collect();
                if circle.first() == Some(&module) {
                    found.push(format!("{folder}: {} are a circle", circle.join(" ")));
                }
            }
        }
    }
    report(found);
}

#[test]
fn nothing_is_too_large_to_read() {
    let mut found = Vec::new();
    let mut check = |name: String, size: usize, limit: usize, what: &str| {
        if size > limit {
            found.push(format!("{name}: {size} {what}, at most {limit}"));
        }
    };
    for krate in LAYERS {
        let root = workspace().join("host").join(krate).join("src");
        let known = modules(krate);
        let lines: usize = files(&root, "rs").iter().map(|path| lines(path)).sum();
        check(format!("host/{krate}"), lines, LINES_OF_A_CRATE, "lines");
        let top: BTreeSet<&String> = known.keys().filter_map(|path| path.first()).collect();
        check(
            format!("host/{krate}"),
            top.len(),
            MODULES_AT_THE_TOP,
            "modules at its top",
        );
    }
    for path in files(&workspace(), "rs") {
        let name = inside(&path);
        check(name.clone(), lines(&path), LINES_OF_A_FILE, "lines");
        // Tests are tables of cases as often as not.
        if name.contains("tests/") || name.ends_with("tests.rs") {
            continue;
        }
        for (function, length) in functions(&without_tests(&code(&text(&path)))) {
            check(
                format!("{name} {function}"),
                length,
                LINES_OF_A_FUNCTION,
                "lines",
            );
        }
    }
    report(found);
}

fn lines(path: &Path) -> usize {
    text(path).lines().count()
}

/// The whole hub is named where it is put together and by the commands; all
/// else takes the handle it needs. Operations answer with a type: a bare
/// response is for files, redirects and the gate.
#[test]
fn the_whole_hub_and_bare_responses_are_rare() {
    let mut problems = Vec::new();
    let mut bare = Vec::new();
    for path in files(&workspace().join("host"), "rs") {
        let name = inside(&path);
        let code = without_tests(&code(&text(&path)));
        let may = ["app.rs", "boot.rs", "cli/"]
            .iter()
            .any(|room| name.starts_with(&format!("host/hub/src/{room}")));
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        if !may && words.clone().any(|word| word == "App") {
            problems.push(format!(
                "{name}: takes the whole hub; a lower handle has what it needs"
            ));
        }
        for _ in code.matches("Result<Response, Failure>") {
            bare.push(name.clone());
        }
        for _ in code.matches("ApiResult<Response>") {
            bare.push(name.clone());
        }
    }
    if bare.len() > BARE_RESPONSES {
        problems.push(format!(
            "{} functions answer without a type, at most {BARE_RESPONSES}: {bare:?}",
            bare.len()
        ));
    }
    report(problems);
}
