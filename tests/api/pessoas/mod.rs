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
fn endereco() -> Value {
    json!({ "cep": "30140-071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": "3106200" })
}

/// A person with everything; a new CNPJ for each root.
fn pessoa(root: &str) -> Value {
    json!({
        "cpf_cnpj": cnpj(root), "nome": "Padaria São João Ltda", "email": "compras@padaria.example.com", "ie": "062.307904-0081",
        "im": "998877", "papeis": ["tomador", "cliente", "cliente"], "enderecos": [endereco()],
        "telefones": [{ "numero": "(31) 99876-5432" }, { "numero": "+55 31 3333-4444", "tipo": "comercial" }],
    })
}

/// A company without a certificate, the account's default.
async fn emitente(app: &TestApp) -> String {
    app.emitter_without_certificate("11222333000181", "3106200")
        .await
}

/// Registers a person; its id.
async fn cadastrada(app: &TestApp, body: &Value) -> String {
    let answer = ask(app, Method::POST, PATH, Some(body)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.text_at("/id").to_owned()
}

/// Which fields a refusal names, with their codes.
fn pontos(answer: &tests::Answer) -> Vec<String> {
    let campos = answer.body["campos"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let point = |campo: &Value| {
        format!(
            "{} {}",
            campo["campo"].as_str().unwrap_or_default(),
            campo["codigo"].as_str().unwrap_or_default()
        )
    };
    campos.iter().map(point).collect()
}
