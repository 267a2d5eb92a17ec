//! /api/v1/pessoas

mod create;
mod emitir;
mod list;
mod update;

use crate::common::{ask, cnpj};
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;

const PATH: &str = "/api/v1/pessoas";

/// An address in Belo Horizonte.
fn address() -> Value {
    json!({ "cep": "30140-071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": "3106200" })
}

/// A person with everything; a new CNPJ for each root.
fn person(root: &str) -> Value {
    json!({
        "cpf_cnpj": cnpj(root), "nome": "Padaria São João Ltda", "email": "compras@padaria.example.com", "ie": "062.307904-0081",
        "im": "998877", "papeis": ["tomador", "cliente", "cliente"], "enderecos": [address()],
        "telefones": [{ "numero": "(31) 99876-5432" }, { "numero": "+55 31 3333-4444", "tipo": "comercial" }],
    })
}

/// A company without a certificate, the account's default.
async fn emitter(app: &TestApp) -> String {
    app.emitter_without_certificate("11222333000181", "3106200")
        .await
}

/// Registers a person; its id.
async fn registered(app: &TestApp, body: &Value) -> String {
    let answer = ask(app, Method::POST, PATH, Some(body)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.text_at("/id").to_owned()
}

/// Which fields a refusal names, with their codes.
fn points(answer: &tests::Answer) -> Vec<String> {
    let fields = answer.body["campos"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let point = |field: &Value| {
        format!(
            "{} {}",
            field["campo"].as_str().unwrap_or_default(),
            field["codigo"].as_str().unwrap_or_default()
        )
    };
    fields.iter().map(point).collect()
}
