//! The OpenAPI document, made of the operations table, what each built operation
//! says about itself, the catalogue of errors, and the examples of
//! `host/hub/examples`.

mod answers;
mod docs;
mod errors;
mod examples;
mod headers;
mod operation;
mod parameters;
mod schemas;

pub use docs::Docs;
pub use examples::{Example, Given, example, names};

use crate::operations;
use serde_json::{Map, Value, json};

/// What a reader of the document should know first.
const ABOUT: &str = "Documentos fiscais brasileiros por uma API JSON pré-paga: uma chave, um saldo de créditos (1 crédito = R$ 0,01).\n\n\
    Toda chamada, menos as públicas, leva `Authorization: Bearer <chave>`; o ambiente é o da chave (`svc_test_` simula, `svc_live_` emite). \
    Repetir uma emissão com a mesma `Idempotency-Key` devolve o mesmo documento. Toda recusa tem `X-Error-Code`, uma dica e os campos a corrigir; \
    os códigos estão em `/docs/erros`.";

/// The document of what is built. `base_url` is where the API answers; empty:
/// where the document came from.
pub fn document(base_url: &str) -> Value {
    let mut paths = Map::new();
    let mut schemas = errors::schemas();
    let mut tags: Vec<&str> = Vec::new();
    for one in super::built() {
        let Some(row) = operations::get(one.operation) else {
            continue;
        };
        if !tags.contains(&row.family.as_str()) {
            tags.push(&row.family);
        }
        let made = operation::operation(row, &one.docs, &mut schemas);
        let item = paths.entry(template(row)).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(row.method.to_lowercase(), made);
        }
    }
    let tags: Vec<Value> = tags
        .into_iter()
        .map(|tag| json!({ "name": tag, "description": family(tag) }))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "hub", "version": env!("CARGO_PKG_VERSION"), "description": ABOUT,
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": if base_url.is_empty() { "/" } else { base_url } }],
        "security": [{ "chave": [] }, { "par_chave": [], "par_segredo": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "chave": { "type": "http", "scheme": "bearer", "description": "A chave inteira, svc_test_… ou svc_live_…." },
                "par_chave": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
                "par_segredo": { "type": "apiKey", "in": "header", "name": "X-API-Secret" },
            },
            "headers": headers::components(),
            "responses": errors::responses(),
            "examples": errors::examples(base_url),
        }
    })
}

/// A path as the router knows it: one position has one parameter name.
pub fn template(row: &operations::Operation) -> String {
    row.path.replace("{nota_id}", "{ref}")
}

/// A family of the operations table, for people.
pub fn family(name: &str) -> &'static str {
    match name {
        "issuance" => "Emissão",
        "life_cycle" => "Ciclo de vida",
        "purchase_notes" => "Notas recebidas",
        "vault" => "Cofre fiscal",
        "documents" => "Documentos",
        "fiscal_tools" => "Ferramentas fiscais",
        "emitters" => "Emitentes",
        "persons" => "Pessoas",
        "platform" => "Uso",
        "storage" => "Armazenamento",
        "webhooks" => "Webhooks",
        "events" => "Eventos",
        "credits" => "Créditos",
        "keys" => "Chaves de API",
        "account" => "Conta",
        "system" => "Sistema",
        _ => "Outras",
    }
}
