//! What other people's programs say of the document, and what they make of it: each made
//! client is compiled strictly, then issues, lists, downloads and cancels a note of a
//! running hub.
//!
//! The programs are in the folder `HUB_TEST_GENERATORS`, where the packages of
//! tests/generators/package.json are installed, and in the Python of `HUB_TEST_PYTHON`.

use crate::common::BELO_HORIZONTE;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tests::TestApp;
use tests::app::Backend;
use tokio::process::Command;

/// What a program printed.
///
/// # Panics
/// It failed.
pub async fn run(command: &mut Command) -> String {
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1")
        // The tests' own file of roots has none: Python's client cannot read it.
        .env_remove("SSL_CERT_FILE");
    let ran = command.output().await.expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{command:?}: {said}{errors}");
    said
}

/// A file of tests/generators, in a folder of its own.
fn given(folder: &Path, name: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("generators")
        .join(name);
    let to = folder.join(name);
    std::fs::copy(from, &to).expect("copied");
    to
}

/// The document in a folder.
fn document(folder: &Path, base_url: &str) -> PathBuf {
    let file = folder.join("openapi.json");
    let document = api::openapi::document(base_url);
    std::fs::write(&file, document.to_string()).expect("written");
    file
}

async fn company() -> TestApp {
    let app = TestApp::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    app.emitter("11222333000181", BELO_HORIZONTE).await;
    app
}

/// What a client saw of the hub.
fn assert_seen(said: &str) {
    let saw: Value = serde_json::from_str(said.trim()).expect("JSON");
    let wanted = json!({
        "status": "autorizada", "valor": 37.8, "listada": true, "xml": "<nfeP",
        "depois": "cancelada", "recusa": "validacao_previa",
    });
    assert_eq!(saw, wanted);
}

#[tokio::test]
async fn spectral_finds_nothing() {
    let Some(modules) = judges::generators() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let (rules, file) = (
        given(folder.path(), "spectral.yaml"),
        document(folder.path(), "https://hub.example"),
    );
    let mut command = Command::new(modules.join("node_modules/.bin/spectral"));
    command.arg("lint").arg("--ruleset").arg(rules);
    run(command.args(["--fail-severity", "warn"]).arg(file)).await;
}

#[tokio::test]
async fn every_example_is_of_its_schema() {
    let Some(python) = tests::python::with("jsonschema") else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let script = given(folder.path(), "examples.py");
    let file = document(folder.path(), "https://hub.example");
    run(Command::new(python).arg(script).arg(file)).await;
}

/// `openapi-typescript`, `oazapfts` and `@hey-api/openapi-ts`, compiled by one strict compiler.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typescript_that_others_make_works() {
    let Some(modules) = judges::generators() else {
        return;
    };
    let app = company().await;
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let file = document(at, &app.base_url);
    std::fs::write(at.join("package.json"), "{\"type\":\"module\"}").expect("written");
    std::os::unix::fs::symlink(modules.join("node_modules"), at.join("node_modules"))
        .expect("a link");
    let program = |name: &str| Command::new(modules.join("node_modules/.bin").join(name));
    let mut types = program("openapi-typescript");
    types.arg(&file).arg("-o").arg(at.join("schema.d.ts"));
    let mut functions = program("oazapfts");
    functions.arg(&file).arg(at.join("functions.generated.ts"));
    let mut sdk = program("openapi-ts");
    sdk.arg("--no-log-file").arg("--file");
    sdk.arg(given(at, "hey-api.mjs")).current_dir(at);
    tokio::join!(run(&mut types), run(&mut functions), run(&mut sdk));
    let names = ["types", "functions", "sdk"];
    let scripts = names.map(|name| given(at, &format!("{name}.ts")));
    let compiler = std::env::var_os("HUB_TEST_TSC");
    let compiler = compiler.unwrap_or_else(|| modules.join("node_modules/.bin/tsc").into());
    let mut compile = Command::new(compiler);
    compile.args(["--strict", "--target", "es2022", "--module", "nodenext"]);
    compile.args(["--lib", "es2022,dom,dom.iterable", "--outDir"]);
    run(compile.arg(at.join("built")).args(scripts).current_dir(at)).await;
    for name in names {
        let script = at.join("built").join(format!("{name}.js"));
        let mut command = Command::new("node");
        let said = run(command.arg(script).args([&app.base_url, &app.live_key])).await;
        assert_seen(&said);
    }
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_that_others_make_works() {
    let there = ["openapi_python_client", "mypy"].map(tests::python::with);
    let [Some(generator), Some(python)] = there else {
        return;
    };
    let app = company().await;
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let file = document(at, &app.base_url);
    let config = given(at, "openapi-python-client.yaml");
    let mut command = Command::new(generator);
    command.args(["-m", "openapi_python_client", "generate", "--meta", "none"]);
    command.arg("--path").arg(file).arg("--config").arg(config);
    command.arg("--output-path").arg(at.join("hub_gerado"));
    run(command.arg("--fail-on-warning")).await;
    let script = given(at, "exercise.py");
    let mut check = Command::new(&python);
    check.args(["-m", "mypy", "--strict", "--cache-dir", "/dev/null"]);
    run(check.arg(&script).current_dir(at)).await;
    let mut command = Command::new(python);
    let said = run(command.arg(script).args([&app.base_url, &app.live_key])).await;
    assert_seen(&said);
    app.check_invariants().await;
}
