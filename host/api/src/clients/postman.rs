//! A Postman collection (schema v2.1.0), with its variables.

use super::chain;
use super::journey::{self, Way};
use super::model::Model;
use super::requests::{Dialect, Request, Shown};
use serde_json::{Value, json};

/// How scripts of Postman are written.
const SCRIPT: Dialect = Dialect {
    test: "pm.test",
    expect: "pm.expect",
    code: "pm.response.code",
    json: "pm.response.json()",
    text: "pm.response.text()",
    header: |name| format!("pm.response.headers.get({name:?})"),
    set: |name, value| format!("pm.collectionVariables.set({name:?}, {value})"),
    get: |name| format!("pm.collectionVariables.get({name:?})"),
};

/// The collection; `base_url`, `chave` and the ids of what requests make are
/// variables of it.
pub fn collection(document: &Value) -> Value {
    let model = Model::of(document);
    let mut folders: Vec<Value> = journey::ways(&model).into_iter().map(way).collect();
    folders.extend(model.families.iter().map(|(tag, name)| {
        let items = model.ops.iter().filter(|op| op.family == *tag);
        let items = items.map(|op| item(&Request::of(op)));
        json!({ "name": name, "item": items.collect::<Vec<_>>() })
    }));
    let ids = chain::VARIABLES.iter().map(
        |(prefix, name)| json!({ "key": name, "value": chain::initial(prefix), "type": "string" }),
    );
    let variables: Vec<Value> = variables(&model).into_iter().chain(ids).collect();
    json!({
        "info": {
            "name": "hub", "version": model.version,
            "description": document["info"]["description"],
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "auth": { "type": "bearer", "bearer": [{ "key": "token", "value": "{{chave}}", "type": "string" }] },
        "variable": variables,
        "item": folders,
    })
}

/// A folder that the collection begins with: its requests run in their order.
fn way(way: Way<'_>) -> Value {
    let steps = way.steps.into_iter().enumerate();
    let items = steps.map(|(at, step)| item(&Request::of_step(step, at + 1)));
    json!({ "name": way.name, "description": way.about, "item": items.collect::<Vec<_>>() })
}

/// The same variables as an environment, for who keeps keys apart.
pub fn environment(document: &Value) -> Value {
    let values: Vec<Value> = variables(&Model::of(document))
        .into_iter()
        .map(|one| {
            let secret = one["key"] == "chave";
            json!({ "key": one["key"], "value": one["value"], "type": if secret { "secret" } else { "default" }, "enabled": true })
        })
        .collect();
    json!({ "name": "hub", "values": values, "_postman_variable_scope": "environment" })
}

fn variables(model: &Model) -> Vec<Value> {
    vec![
        json!({ "key": "base_url", "value": model.address(), "type": "string" }),
        json!({ "key": "chave", "value": "svc_test_…", "type": "string" }),
    ]
}

fn item(request: &Request<'_>) -> Value {
    let op = request.op;
    let mut headers = Vec::new();
    let mut body = None;
    if let Some(raw) = &request.body {
        headers.push(json!({ "key": "Content-Type", "value": "application/json" }));
        body = Some(
            json!({ "mode": "raw", "raw": raw, "options": { "raw": { "language": "json" } } }),
        );
    } else if op.bytes {
        body = Some(json!({ "mode": "file", "file": {} }));
    }
    if op.idempotent {
        headers.push(json!({ "key": "Idempotency-Key", "value": "{{$guid}}", "description": "Repita com a mesma para não emitir duas vezes." }));
    }
    for header in op
        .headers
        .iter()
        .filter(|header| header.name != "Idempotency-Key")
    {
        headers.push(json!({ "key": header.name, "value": "", "description": header.meaning, "disabled": true }));
    }
    let mut made = json!({
        "method": op.method,
        "header": headers,
        "url": url(request),
        "description": format!("{}\n\nOperação `{}`; preço em créditos: {}.", op.summary, op.id, op.price),
    });
    if let Some(members) = made.as_object_mut() {
        members.extend(body.map(|body| ("body".to_owned(), body)));
        if op.public {
            members.insert("auth".to_owned(), json!({ "type": "noauth" }));
        }
    }
    let script = json!({ "type": "text/javascript", "exec": request.script(&SCRIPT) });
    json!({
        "name": request.name, "request": made, "response": [],
        "event": [{ "listen": "test", "script": script }],
    })
}

fn url(request: &Request<'_>) -> Value {
    let query = |one: &Shown| json!({ "key": one.name, "value": one.value, "description": one.meaning, "disabled": !one.sent });
    let variable =
        |one: &Shown| json!({ "key": one.name, "value": one.value, "description": one.meaning });
    let path = request.op.colon_path();
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    json!({
        "raw": format!("{{{{base_url}}}}{path}{}", request.sent()),
        "host": ["{{base_url}}"], "path": parts,
        "query": request.query.iter().map(query).collect::<Vec<_>>(),
        "variable": request.path.iter().map(variable).collect::<Vec<_>>(),
    })
}
