//! What is not an adapter is refused when it is loaded, with the reason, and
//! nothing else is affected.

use crate::components::{component, importing, install, module, renamed, undeclared};
use crate::stage::{ok, run, runtime};
use flow::registry::Registry;
use flow::{Limits, LoadError, Loaded};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::adapters;

fn load(bytes: &[u8]) -> Result<Loaded, LoadError> {
    runtime().load(bytes, None)
}

/// The sentence an operator reads.
fn refusal(bytes: &[u8]) -> String {
    match load(bytes) {
        Ok(loaded) => panic!("{} was loaded", loaded.description.name),
        Err(error) => error.to_string(),
    }
}

fn mentions(sentence: &str, words: &[&str]) {
    for word in words {
        assert!(sentence.contains(word), "no \"{word}\" in: {sentence}");
    }
}

#[test]
fn what_is_not_a_component() {
    for bytes in [
        b"".as_slice(),
        b"hello",
        b"\0asm",
        b"<html></html>",
        &[0xff; 4_096],
    ] {
        mentions(&refusal(bytes), &["not a usable component"]);
    }
    mentions(&refusal(module()), &["core module", "hub adapter build"]);
    let good = component("good");
    for part in [1, 2, 3] {
        let cut = &good[..good.len() * part / 4];
        mentions(&refusal(cut), &["not a usable component"]);
    }
    let mut damaged = good.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xff);
    mentions(&refusal(&damaged), &["not a usable component"]);
}

#[test]
fn imports_of_wasi_are_named() {
    let name = "wasi:filesystem/types@0.2.3";
    mentions(
        &refusal(&importing(name)),
        &[name, "which the hub does not offer"],
    );
    let unknown = "fiscal:provider/network@0.1.0";
    mentions(&refusal(&importing(unknown)), &[unknown]);
    // Already `hub adapter build` says so, for a module made for WASI.
    let foreign = renamed(
        module(),
        "fiscal:provider/secrets@0.1.0",
        "wasi:cli/terminal-input@0.2.0",
    );
    let error = flow::pack::componentize(&foreign);
    match error {
        Err(error) => mentions(&error, &["wasi:cli/terminal-input@0.2.0"]),
        Ok(component) => mentions(&refusal(&component), &["wasi:cli/terminal-input@0.2.0"]),
    }
}

#[test]
fn another_version_of_the_contract_is_named() {
    let other = renamed(&component("good"), "@0.1.0", "@0.9.0");
    mentions(
        &refusal(&other),
        &["@0.9.0", "this hub fiscal:provider@0.1.0"],
    );
}

#[test]
fn declarations_that_ask_for_too_much() {
    for (mode, words) in [
        ("wide-nfe", "portalfiscal.inf.br/nfe: no adapter may"),
        ("wide-esocial", "esocial.gov.br"),
        ("wide-saml", "SAML"),
        ("wide-star", "there are no wildcards"),
        ("wide-empty", "there are no wildcards"),
        ("wide-procuracao", "termoDeAutorizacao: no adapter may"),
        ("wide-option", "no option nenhuma"),
        ("wide-name", "without wildcards"),
        ("wide-text", "texts of 4096 bytes"),
        ("wide-place", "sent to vizinho"),
        ("wide-tls", "the certificate is offered at ws"),
        ("wide-many", "secrets has 10002 entries"),
    ] {
        let sentence = refusal(&component(mode));
        mentions(&sentence, &["too wide", words]);
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
    }
    mentions(&refusal(&component("declare-loop")), &["declare() failed"]);
}

/// A component from before declarations is for the flows that began with it: they
/// find it in `store/`. New ones do not use it, wherever it comes from.
#[test]
fn without_a_declaration_only_old_flows_end() {
    let old = undeclared("good");
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("hostil-good.wasm"), &old).expect("file");
    let digest = load(&old).expect("it loads").digest;
    let store = folder.path().join("store");
    std::fs::create_dir(&store).expect("folder");
    std::fs::write(store.join(format!("{digest}.wasm")), &old).expect("file");
    let (catalog, refused) =
        authority::catalog::Catalog::open(runtime(), folder.path(), &adapters::cache())
            .expect("the folder is readable");
    assert!(
        catalog.current("hostil-good").is_none(),
        "no new flow uses it"
    );
    mentions(&refused[0].reason, &["declares no permissions"]);
    let admitted = catalog.admit(&old).map(|_| ());
    mentions(
        &admitted.expect_err("refused"),
        &["declares no permissions"],
    );
    let pinned = catalog.pinned(&digest, "hostil-good");
    assert!(pinned.is_some_and(|pinned| pinned.permissions.is_none()));
}

#[test]
fn too_large_a_file_is_not_read_further() {
    let limit = Limits::default().component_bytes;
    let error = load(&vec![0; limit + 1]).err().expect("too large");
    assert!(
        matches!(error, LoadError::TooLarge { size, limit: l } if size == limit + 1 && l == limit)
    );
}

#[test]
fn descriptions_that_cannot_be_used() {
    for (mode, words) in [
        ("describe-many", "operations has 10002 entries"),
        ("describe-text", "3145728 characters"),
        ("describe-flood", "too much data"),
        ("describe-empty", "schemas is empty"),
        ("describe-name", "name must be"),
        ("describe-panic", "describe() failed"),
    ] {
        mentions(&refusal(&component(mode)), &[words]);
    }
    let endless = component("describe-loop");
    let begun = Instant::now();
    mentions(&refusal(&endless), &["describe() failed"]);
    // It is ended after some seconds; compiling it takes as long on a slow machine.
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}

/// What a start waits for a component to say who it is has nothing to do with
/// what a step of a flow may compute.
#[test]
fn a_description_has_time_of_its_own() {
    let slow = component("describe-slow");
    let load = |describe_ms| {
        let limits = Limits {
            step_ms: 10,
            describe_ms,
            ..Limits::default()
        };
        let runtime = flow::Runtime::new(limits).expect("sandbox");
        runtime.load(&slow, None).map(|_| ())
    };
    let refused = load(10).expect_err("too slow for 10 ms").to_string();
    mentions(&refused, &["describe() failed", "longer than 10 ms"]);
    load(60_000).expect("a minute is enough");
    // Seconds, unless an operator says otherwise.
    let settings = base::config::Config::load(None, |_| None, &[]).expect("defaults");
    for ms in [Limits::default().describe_ms, settings.flow.describe_ms] {
        assert!(ms >= 2_000, "{ms}");
    }
}

/// The compiled files of a cache: code, and the checksum of the code.
fn compiled(cache: &Path) -> (PathBuf, PathBuf) {
    let folder = std::fs::read_dir(cache)
        .expect("cache")
        .next()
        .expect("a folder of this engine")
        .expect("entry")
        .path();
    let file = |extension: &str| {
        let mut entries = std::fs::read_dir(&folder)
            .expect("folder")
            .map(|entry| entry.expect("entry").path());
        entries
            .find(|path| path.extension().is_some_and(|found| found == extension))
            .expect("a compiled file")
    };
    (file("cwasm"), file("crc32"))
}

#[tokio::test]
async fn damaged_compiled_code_is_compiled_again() {
    let folder = tempfile::tempdir().expect("folder");
    let bytes = component("good");
    let load = || Arc::new(runtime().load(&bytes, Some(folder.path())).expect("loads"));
    load();
    let (code, sum) = compiled(folder.path());
    let (whole, checksum) = (
        std::fs::read(&code).expect("code"),
        std::fs::read(&sum).expect("checksum"),
    );
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damage in [
        Vec::new(),
        whole[..whole.len() / 2].to_vec(),
        flipped,
        vec![0xff; whole.len()],
    ] {
        std::fs::write(&code, &damage).expect("damage");
        let ended = run(&load(), ok()).await;
        assert!(ended.outcome.is_ok(), "{:?}", ended.outcome);
        assert_eq!(
            std::fs::read(&code).expect("code").len(),
            whole.len(),
            "written anew"
        );
    }
    for damage in [b"".as_slice(), b"0000", &[0xff; 64]] {
        std::fs::write(&sum, damage).expect("damage");
        load();
        assert_eq!(std::fs::read(&sum).expect("checksum").len(), checksum.len());
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("a-file");
    std::fs::write(&file, b"in the way").expect("file");
    assert!(runtime().load(&component("good"), Some(&file)).is_ok());
}

#[test]
fn a_bad_component_does_not_keep_the_others_out() {
    let folder = tempfile::tempdir().expect("folder");
    install(
        folder.path(),
        &[
            "good",
            "describe-many",
            "describe-impostor",
            "describe-loop",
        ],
    );
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("file");
    write("core.wasm", module());
    write("texto.wasm", b"isto nao e wasm");
    write(
        "grande.wasm",
        &vec![0; Limits::default().component_bytes + 1],
    );
    let dps = std::fs::read(adapters::folder().join("dps.wasm")).expect("the real adapter");
    write("dps.wasm", &dps);
    let (catalog, refused) =
        authority::catalog::Catalog::open(runtime(), folder.path(), &adapters::cache())
            .expect("the folder is readable");
    let names: Vec<String> = catalog
        .all()
        .iter()
        .map(|loaded| loaded.description.name.clone())
        .collect();
    assert_eq!(names, ["dps", "hostil-good"]);
    let reason = |name: &str| {
        let found = refused
            .iter()
            .find(|one| one.file.file_stem().is_some_and(|stem| stem == name));
        found
            .unwrap_or_else(|| panic!("{name} is not among {refused:?}"))
            .reason
            .clone()
    };
    assert_eq!(refused.len(), 6);
    mentions(&reason("core"), &["core module"]);
    mentions(&reason("grande"), &["the limit is"]);
    mentions(&reason("texto"), &["not a usable component"]);
    mentions(&reason("hostil-describe-many"), &["operations has"]);
    // It says that it is the national adapter; the real one keeps its place.
    mentions(
        &reason("hostil-describe-impostor"),
        &["says that it is dps"],
    );
    let digest = catalog.current("dps").expect("the real one").digest.clone();
    assert_eq!(
        digest,
        runtime()
            .load(&dps, Some(&adapters::cache()))
            .expect("loads")
            .digest
    );
    // A flow keeps its component by digest. While its own file is there, a copy
    // that is damaged is made again.
    let kept = folder.path().join("store").join(format!("{digest}.wasm"));
    std::fs::write(&kept, component("loop")).expect("replaced");
    let (fresh, _) =
        authority::catalog::Catalog::open(runtime(), folder.path(), &adapters::cache())
            .expect("the folder is readable");
    assert_eq!(
        fresh
            .pinned(&digest, "dps")
            .map(|loaded| loaded.digest.clone()),
        Some(digest.clone())
    );
    assert!(std::fs::read(&kept).is_ok_and(|copy| copy == dps));
    // Without it, a file that is not the component is not run.
    std::fs::write(&kept, component("loop")).expect("replaced");
    std::fs::remove_file(folder.path().join("dps.wasm")).expect("removed");
    let (fresh, _) =
        authority::catalog::Catalog::open(runtime(), folder.path(), &adapters::cache())
            .expect("the folder is readable");
    assert!(fresh.pinned(&digest, "dps").is_none());
    // What cannot be written is named.
    let blocked = tempfile::tempdir().expect("folder");
    std::fs::write(blocked.path().join("store"), b"no folder").expect("file");
    let error = authority::catalog::Catalog::open(runtime(), blocked.path(), &adapters::cache())
        .map(|_| ())
        .expect_err("the store is no folder");
    mentions(&error.to_string(), &["store"]);
}

#[test]
fn a_damaged_registry_names_its_line_and_changes_nothing() {
    let text = flow::registry::BUILT_IN;
    Registry::parse(text).expect("the shipped registry");
    let line = text
        .lines()
        .position(|line| line.starts_with("3106200 ="))
        .expect("Belo Horizonte")
        + 1;
    let damages: [(&str, String); 4] = [
        (
            "a system nobody knows",
            text.replacen(
                "rota = { sistema = \"nacional\", de = 2026-02-01",
                "rota = { sistema = \"nacionall\", de = 2026-02-01",
                1,
            ),
        ),
        (
            "a member nobody knows",
            text.replacen("3106200 = { nome", "3106200 = { nomee = \"x\", nome", 1),
        ),
        (
            "no longer TOML",
            text.replacen(
                "3106200 = { nome = \"Belo Horizonte\"",
                "3106200 = { nome = \"Belo Horizonte",
                1,
            ),
        ),
        (
            "cut",
            text[..text.find("3106200 =").expect("Belo Horizonte") + 20].to_owned(),
        ),
    ];
    for (what, damaged) in damages {
        assert_ne!(damaged, text, "{what}");
        let errors = Registry::parse(&damaged).err();
        let errors = errors.unwrap_or_else(|| panic!("{what}: was taken"));
        assert!(
            errors.iter().any(|error| error.line == line),
            "{what}: line {line} is not in {errors:?}"
        );
    }
}
