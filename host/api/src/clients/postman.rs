//! A Postman collection (schema v2.1.0), with its variables.

use super::model::{Model, Op};
use serde_json::{Value, json};

/// The collection; `base_url` and `chave` are variables of it.
pub fn collection(document: &Value) -> Value {
    let model = Model::of(document);
    let folders: Vec<Value> = model
        .families
        .iter()
        .map(|(tag, name)| {
            let items = model.ops.iter().filter(|op| op.family == *tag).map(item);
            json!({ "name": name, "item": items.collect::<Vec<_>>() })
        })
        .collect();
    json!({
        "info": {
            "name": "hub", "version": model.version,
            "description": document["info"]["description"],
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "auth": { "type": "bearer", "bearer": [{ "key": "token", "value": "{{chave}}", "type": "string" }] },
        "variable": variables(&model),
        "item": folders,
    })
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

fn item(op: &Op) -> Value {
    let mut headers = Vec::new();
    let mut body = None;
    if let Some((_, example)) = &op.body {
        headers.push(json!({ "key": "Content-Type", "value": "application/json" }));
        let raw = serde_json::to_string_pretty(example).unwrap_or_default();
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
    let query: Vec<Value> = op
        .query
        .iter()
        .map(|param| {
            json!({ "key": param.name, "value": param.shown(), "description": param.meaning, "disabled": param.example.is_null() })
        })
        .collect();
    let path = op.colon_path();
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let variables: Vec<Value> = op
        .path_params
        .iter()
        .map(|param| json!({ "key": param.name, "value": param.example, "description": param.meaning }))
        .collect();
    let shown = op.query.iter().filter(|param| !param.example.is_null());
    let shown: Vec<String> = shown
        .map(|param| format!("{}={}", param.name, param.shown()))
        .collect();
    let tail = if shown.is_empty() {
        String::new()
    } else {
        format!("?{}", shown.join("&"))
    };
    let mut request = json!({
        "method": op.method,
        "header": headers,
        "url": {
            "raw": format!("{{{{base_url}}}}{path}{tail}"),
            "host": ["{{base_url}}"], "path": parts, "query": query, "variable": variables,
        },
        "description": format!("{}\n\nOperação `{}`; preço em créditos: {}.", op.summary, op.id, op.price),
    });
    if let Some(members) = request.as_object_mut() {
        members.extend(body.map(|body| ("body".to_owned(), body)));
        if op.public {
            members.insert("auth".to_owned(), json!({ "type": "noauth" }));
        }
    }
    json!({ "name": op.id, "request": request, "response": [] })
}
