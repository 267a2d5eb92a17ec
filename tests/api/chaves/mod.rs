//! /api/v1/chaves

mod address;
mod audit;
mod create;
mod limits;
mod revoke;
mod rotate;

use crate::common::{ask, ask_as};
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Answer, TestApp};

const CHAVES: &str = "/api/v1/chaves";
/// Free for any key.
const CONTA: &str = "/api/v1/conta";
/// Costs 4 credits when it finds something.
const PROVEDOR: &str = "/api/v1/fiscal/nfse/provedor";

/// A live key with what `change` asks for.
async fn key(app: &TestApp, change: Value) -> Answer {
    key_by(app, &app.live_key, change).await
}

/// The same, made with another key.
async fn key_by(app: &TestApp, creator: &str, change: Value) -> Answer {
    let mut body = json!({ "nome": "Loja", "tipo": "producao" });
    let members = body.as_object_mut().expect("object");
    members.extend(change.as_object().expect("object").clone());
    let answer = ask_as(app, creator, Method::POST, CHAVES, Some(&body)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer
}

async fn conta(app: &TestApp, key: &str) -> Answer {
    ask_as(app, key, Method::GET, CONTA, None).await
}

/// A call that is charged when it answers.
async fn provedor(app: &TestApp, key: &str) -> Answer {
    let body = json!({ "codigo_ibge": crate::common::BELO_HORIZONTE });
    ask_as(app, key, Method::POST, PROVEDOR, Some(&body)).await
}

async fn rotate(app: &TestApp, id: &str, body: &Value) -> Answer {
    ask(
        app,
        Method::POST,
        &format!("{CHAVES}/{id}/rotacionar"),
        Some(body),
    )
    .await
}

async fn delete_as(app: &TestApp, key: &str, id: &str) -> Answer {
    ask_as(app, key, Method::DELETE, &format!("{CHAVES}/{id}"), None).await
}

/// A key in the listing.
async fn listed(app: &TestApp, id: &str) -> Value {
    let list = app.get(&format!("{CHAVES}?limite=100")).await;
    assert_eq!(list.status, 200, "{}", list.text);
    let items = list.body["itens"].as_array().expect("items");
    let found = items.iter().find(|item| item["id"] == id);
    found.expect("the key is listed").clone()
}
