//! A Bruno collection: a folder of text files.

use super::chain;
use super::journey;
use super::model::Model;
use super::requests::{Dialect, Request};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Path inside of the collection's folder, content.
pub type File = (String, String);

/// How scripts of Bruno are written.
const SCRIPT: Dialect = Dialect {
    test: "test",
    expect: "expect",
    code: "res.getStatus()",
    json: "res.getBody()",
    text: "String(res.getBody())",
    header: |name| format!("res.getHeader({:?})", name.to_ascii_lowercase()),
    set: |name, value| format!("bru.setVar({name:?}, {value})"),
    get: |name| format!("bru.getVar({name:?})"),
};

/// All files of the collection.
pub fn files(document: &Value) -> Vec<File> {
    let model = Model::of(document);
    let about = json!({ "version": "1", "name": "hub", "type": "collection", "ignore": [] });
    let about = serde_json::to_string_pretty(&about).unwrap_or_default();
    let environment = format!(
        "vars {{\n  base_url: {}\n}}\n\nvars:secret [\n  chave\n]\n",
        model.address()
    );
    let mut files = vec![
        ("bruno.json".to_owned(), format!("{about}\n")),
        ("collection.bru".to_owned(), collection()),
        ("environments/hub.bru".to_owned(), environment),
    ];
    let ways = journey::ways(&model);
    let first = ways.len() + 1;
    for (place, way) in ways.into_iter().enumerate() {
        let path = format!("{}/folder.bru", way.folder);
        files.push((path, folder(way.name, place + 1)));
        for (at, step) in way.steps.into_iter().enumerate() {
            let path = format!("{}/{:02}-{}.bru", way.folder, at + 1, step.op.id);
            let made = Request::of_step(step, at + 1);
            files.push((path, request(&made, at + 1)));
        }
    }
    for (place, (tag, name)) in model.families.iter().enumerate() {
        files.push((format!("{tag}/folder.bru"), folder(name, place + first)));
        for (at, op) in model.ops.iter().filter(|op| op.family == *tag).enumerate() {
            let path = format!("{tag}/{}.bru", op.id);
            files.push((path, request(&Request::of(op), at + 1)));
        }
    }
    files
}

/// What all requests have: the key, and ids until a request made real ones.
fn collection() -> String {
    let ids = chain::VARIABLES.iter();
    let ids = ids.map(|(prefix, name)| format!("  {name}: {}\n", chain::initial(prefix)));
    format!(
        "auth {{\n  mode: bearer\n}}\n\nauth:bearer {{\n  token: {{{{chave}}}}\n}}\n\nvars:pre-request {{\n{}}}\n",
        ids.collect::<String>()
    )
}

fn folder(name: &str, place: usize) -> String {
    format!("meta {{\n  name: {name}\n  seq: {place}\n}}\n")
}

fn request(made: &Request<'_>, place: usize) -> String {
    let op = made.op;
    let body = match (&made.body, op.bytes) {
        (Some(_), _) => "json",
        (None, true) => "file",
        (None, false) => "none",
    };
    let auth = if op.public { "none" } else { "inherit" };
    // Bruno sends the query of the address, and shows `params:query` beside it.
    let mut out = format!(
        "meta {{\n  name: {name}\n  type: http\n  seq: {place}\n}}\n\n{method} {{\n  url: {{{{base_url}}}}{path}{query}\n  body: {body}\n  auth: {auth}\n}}\n",
        name = made.name,
        method = op.method.to_lowercase(),
        path = op.colon_path(),
        query = made.sent(),
    );
    let mut block = |name: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _infallible = write!(out, "\n{name} {{\n{}}}\n", lines.concat());
        }
    };
    let query = made.query.iter().map(|one| {
        let off = if one.sent { "" } else { "~" };
        format!("  {off}{}: {}\n", one.name, one.value)
    });
    block("params:query", query.collect());
    let path = made.path.iter();
    let path = path.map(|one| format!("  {}: {}\n", one.name, one.value));
    block("params:path", path.collect());
    if op.idempotent {
        block("headers", vec!["  Idempotency-Key: {{$guid}}\n".to_owned()]);
    }
    if let Some(raw) = &made.body {
        let lines = raw.lines().map(|line| format!("  {line}\n"));
        block("body:json", lines.collect());
    }
    let script = made.script(&SCRIPT).into_iter();
    block("tests", script.map(|line| format!("  {line}\n")).collect());
    block("docs", vec![format!("  {}\n", op.summary)]);
    out
}
