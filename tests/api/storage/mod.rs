//! /api/v1/storage

mod attacks;
mod objetos;
mod quota;
mod s3;

use base::config::Config;
use reqwest::Method;
use std::path::PathBuf;
use tests::app::Backend;
use tests::{Answer, TestApp};

const PATH: &str = "/api/v1/storage/objetos";

/// The same test on both databases, with settings of the hub changed.
macro_rules! both_with {
    ($change:expr; async fn $name:ident($app:ident: TestApp) $body:block) => {
        mod $name {
            use super::*;

            async fn run(backend: tests::app::Backend) {
                let Some($app) = tests::TestApp::start_with(backend, $change).await else {
                    return;
                };
                $body
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(tests::app::Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                run(tests::app::Backend::Postgres).await;
            }
        }
    };
}
use both_with;

/// A PUT with a key of the account and headers of its own.
async fn put_with(
    app: &TestApp,
    key: &str,
    caminho: &str,
    headers: &[(&str, &str)],
    body: impl Into<reqwest::Body>,
) -> Answer {
    let url = format!("{}{PATH}/{caminho}", app.base_url);
    let mut request = app.http().put(url).bearer_auth(key).body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.send(request).await
}

async fn put(app: &TestApp, caminho: &str, body: impl Into<reqwest::Body>) -> Answer {
    put_with(
        app,
        &app.live_key,
        caminho,
        &[("content-type", "text/plain")],
        body,
    )
    .await
}

/// The link to an object.
async fn link(app: &TestApp, caminho: &str) -> String {
    let answer = app.get(&format!("{PATH}/{caminho}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.text_at("/url").to_owned()
}

/// What is behind a link, without a key.
async fn fetch(app: &TestApp, url: &str) -> Answer {
    app.send(
        app.http()
            .request(Method::GET, format!("{}{url}", app.base_url)),
    )
    .await
}

/// The content of an object.
async fn content(app: &TestApp, caminho: &str) -> String {
    let url = link(app, caminho).await;
    let file = fetch(app, &url).await;
    assert_eq!(file.status, 200, "{}", file.text);
    file.text
}

/// Used bytes and objects, as the account sees them.
async fn uso(app: &TestApp) -> (i64, i64) {
    let answer = app.get("/api/v1/storage/uso").await;
    let number = |name: &str| answer.body[name].as_i64().unwrap_or(-1);
    (number("usado_bytes"), number("objetos"))
}

/// Files below the folder of objects.
fn files(app: &TestApp) -> Vec<PathBuf> {
    let mut folders = vec![app.app.config.storage.data_dir.join("objetos")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// A hub on SQLite that keeps its objects elsewhere.
async fn app_with(change: impl FnOnce(&mut Config)) -> TestApp {
    let app = TestApp::start_with(Backend::Sqlite, change).await;
    app.expect("SQLite is always there")
}
