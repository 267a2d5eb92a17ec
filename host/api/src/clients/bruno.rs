//! A Bruno collection: a folder of text files.

use super::model::{Model, Op};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Path inside of the collection's folder, content.
pub type File = (String, String);

/// All files of the collection.
pub fn files(document: &Value) -> Vec<File> {
    let model = Model::of(document);
    let about = json!({ "version": "1", "name": "hub", "type": "collection", "ignore": [] });
    let mut files = vec![
        (
            "bruno.json".to_owned(),
            format!(
                "{}\n",
                serde_json::to_string_pretty(&about).unwrap_or_default()
            ),
        ),
        (
            "collection.bru".to_owned(),
            "auth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{chave}}\n}\n".to_owned(),
        ),
        (
            "environments/hub.bru".to_owned(),
            format!(
                "vars {{\n  base_url: {}\n}}\n\nvars:secret [\n  chave\n]\n",
                model.address()
            ),
        ),
    ];
    for (tag, name) in &model.families {
        files.push((
            format!("{tag}/folder.bru"),
            format!("meta {{\n  name: {name}\n}}\n"),
        ));
        for (at, op) in model.ops.iter().filter(|op| op.family == *tag).enumerate() {
            files.push((format!("{tag}/{}.bru", op.id), request(op, at + 1)));
        }
    }
    files
}

fn request(op: &Op, place: usize) -> String {
    let body = match (&op.body, op.bytes) {
        (Some(_), _) => "json",
        (None, true) => "file",
        (None, false) => "none",
    };
    let auth = if op.public { "none" } else { "inherit" };
    let mut out = format!(
        "meta {{\n  name: {id}\n  type: http\n  seq: {place}\n}}\n\n{method} {{\n  url: {{{{base_url}}}}{path}\n  body: {body}\n  auth: {auth}\n}}\n",
        id = op.id,
        method = op.method.to_lowercase(),
        path = op.colon_path(),
    );
    let mut block = |name: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _infallible = write!(out, "\n{name} {{\n{}}}\n", lines.concat());
        }
    };
    let query = op.query.iter().map(|param| {
        let off = if param.example.is_null() { "~" } else { "" };
        format!("  {off}{}: {}\n", param.name, param.shown())
    });
    block("params:query", query.collect());
    let path = op
        .path_params
        .iter()
        .map(|param| format!("  {}: {}\n", param.name, param.shown()));
    block("params:path", path.collect());
    if op.idempotent {
        block("headers", vec!["  Idempotency-Key: {{$guid}}\n".to_owned()]);
    }
    if let Some((_, example)) = &op.body {
        let pretty = serde_json::to_string_pretty(example).unwrap_or_default();
        block(
            "body:json",
            pretty.lines().map(|line| format!("  {line}\n")).collect(),
        );
    }
    block("docs", vec![format!("  {}\n", op.summary)]);
    out
}
