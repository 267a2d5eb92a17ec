//! The collections, run by the programs they are for: from an account without companies
//! to a cancelled note, and then a customer, a webhook, a service note and an export, with
//! ids that go from one answer into the next request.

use super::generators::run;
use api::clients::{bruno, journey, postman};
use serde_json::Value;
use std::path::Path;
use tests::TestApp;
use tests::app::Backend;
use tokio::process::Command;

/// Requests of the two ways, which all checks are of.
const STEPS: usize = 9 + 11;

async fn empty_account() -> TestApp {
    TestApp::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newman_runs_the_postman_collection() {
    let Some(modules) = judges::generators() else {
        return;
    };
    let app = empty_account().await;
    let folder = tempfile::tempdir().expect("folder");
    let collection = postman::collection(&api::openapi::document(&app.base_url));
    let file = folder.path().join("hub.json");
    std::fs::write(&file, collection.to_string()).expect("written");
    let report = folder.path().join("report.json");
    let mut command = Command::new(modules.join("node_modules/.bin/newman"));
    command.arg("run").arg(&file);
    for folder in journey::FOLDERS {
        command.args(["--folder", folder]);
    }
    command.args(["--env-var", &format!("chave={}", app.test_key)]);
    command.args(["--env-var", &format!("base_url={}", app.base_url)]);
    command
        .args(["--reporters", "json", "--reporter-json-export"])
        .arg(&report);
    let said = run(&mut command).await;
    let report = read(&report, &said);
    let stats = &report["run"]["stats"];
    assert_eq!(stats["requests"]["total"], STEPS, "{said}");
    assert_eq!(stats["assertions"]["failed"], 0, "{said}");
    let checks = stats["assertions"]["total"].as_u64().unwrap_or_default();
    assert!(checks > 2 * STEPS as u64, "{checks} checks");
    cancelled(&app).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bruno_runs_its_collection() {
    let Some(modules) = judges::generators() else {
        return;
    };
    let app = empty_account().await;
    let folder = tempfile::tempdir().expect("folder");
    for (path, text) in bruno::files(&api::openapi::document(&app.base_url)) {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        std::fs::write(path, text).expect("written");
    }
    let report = folder.path().join("report.json");
    let mut command = Command::new(modules.join("node_modules/.bin/bru"));
    command.args(["run", "comece-aqui", "continue-aqui"]);
    command.args(["--env", "hub", "--noproxy"]);
    command.args(["--env-var", &format!("chave={}", app.test_key)]);
    command.arg("--reporter-json").arg(&report);
    let said = run(command.current_dir(folder.path())).await;
    let report = read(&report, &said);
    let summary = &report[0]["summary"];
    assert_eq!(summary["totalRequests"], STEPS, "{said}");
    assert_eq!(summary["failedTests"], 0, "{said}");
    let checks = summary["totalTests"].as_u64().unwrap_or_default();
    assert!(checks > 2 * STEPS as u64, "{checks} checks");
    cancelled(&app).await;
}

fn read(report: &Path, said: &str) -> Value {
    let text = std::fs::read_to_string(report).unwrap_or_else(|_| panic!("no report: {said}"));
    serde_json::from_str(&text).expect("JSON")
}

/// What the collection did is there: one note of each kind, both cancelled, and a customer;
/// the webhook is gone.
async fn cancelled(app: &TestApp) {
    for path in ["nfe", "nfse"] {
        let items = listed(app, path).await;
        assert_eq!(items.len(), 1, "{path}: {items:?}");
        assert_eq!(items[0]["status"], "cancelada", "{path}: {items:?}");
    }
    assert_eq!(listed(app, "pessoas").await.len(), 1);
    assert_eq!(listed(app, "webhooks").await, Vec::<Value>::new());
    app.check_invariants().await;
}

/// What a list has, for the key of the collection.
async fn listed(app: &TestApp, path: &str) -> Vec<Value> {
    let request = app.http().get(format!("{}/api/v1/{path}", app.base_url));
    let listed = app.send(request.bearer_auth(&app.test_key)).await;
    let items = listed.body["itens"].as_array();
    items.expect("a list").clone()
}
