//! The OpenAPI document, made of the operations table, what each built operation
//! says about itself, the catalogue of errors, and the examples of
//! `host/api/examples`.

mod answers;
mod description;
mod errors;
mod examples;
mod headers;
mod merge;
mod official;
mod operation;
mod parameters;
mod schemas;
mod webhooks;

pub use examples::{Example, Given, example, names};

use self::merge::Moved;
use base::operations;
use events::attempt::signature::HOW_TO_CHECK;
use serde_json::{Map, Value, json};

/// What a reader of the document should know first.
const ABOUT: &str = "Documentos fiscais brasileiros por uma API JSON pré-paga: uma chave, um saldo de créditos (1 crédito = R$ 0,01).\n\n\
    Toda chamada, menos as públicas, leva `Authorization: Bearer <chave>`; `svc_live_` emite no ambiente do emitente; \
    `svc_test_` nunca chega à produção: simula, sem custo, a NFS-e sempre e a NF-e e a NFC-e enquanto o emitente não tem certificado; com ele, \
    emite em homologação, ao mesmo preço. \
    Repetir uma emissão com a mesma `Idempotency-Key` devolve o mesmo documento. Toda recusa tem `X-Error-Code`, uma dica e os campos a corrigir; \
    os códigos estão em `/docs/erros`.";

/// The document of what is built. `base_url` is where the API answers; empty:
/// where the document came from.
pub fn document(base_url: &str) -> Value {
    let mut paths = Map::new();
    let mut schemas = errors::schemas();
    let mut moved = Moved::new();
    let mut answers = Vec::new();
    let mut tags: Vec<&str> = Vec::new();
    for one in super::built() {
        let Some(row) = operations::get(one.operation) else {
            continue;
        };
        if !tags.contains(&row.family.as_str()) {
            tags.push(&row.family);
        }
        let made = operation::operation(row, &one.docs, &mut schemas, &mut moved, &mut answers);
        let item = paths.entry(template(row)).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(row.method.to_lowercase(), made);
        }
    }
    let tags: Vec<Value> = tags
        .into_iter()
        .map(|name| json!({ "name": tag(name), "description": family(name) }))
        .collect();
    merge::merge(&moved, &mut paths, &mut schemas);
    merge::fold(&answers, &mut paths, &mut schemas);
    let webhooks = webhooks::webhooks(base_url, &mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "hub", "version": env!("CARGO_PKG_VERSION"), "description": format!("{ABOUT}\n\n## Webhooks\n\n{HOW_TO_CHECK}"),
            "license": { "name": "MIT", "identifier": "MIT" },
            "contact": { "name": "Quem opera este hub", "url": format!("{base_url}/docs") },
        },
        "servers": [{ "url": if base_url.is_empty() { "/" } else { base_url } }],
        "security": [{ "chave": [] }, { "par_chave": [], "par_segredo": [] }],
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "parameters": webhooks::parameters(),
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
    words(name).1
}

/// The same as the document's tag. A part of addresses and of names of
/// folders: no accents, no spaces.
pub fn tag(name: &str) -> &'static str {
    words(name).0
}

fn words(family: &str) -> (&'static str, &'static str) {
    match family {
        "issuance" => ("emissao", "Emissão"),
        "life_cycle" => ("ciclo-de-vida", "Ciclo de vida"),
        "purchase_notes" => ("notas-recebidas", "Notas recebidas"),
        "vault" => ("cofre-fiscal", "Cofre fiscal"),
        "documents" => ("documentos", "Documentos"),
        "fiscal_tools" => ("ferramentas-fiscais", "Ferramentas fiscais"),
        "fiscal_lookup" => ("tabelas-fiscais", "Tabelas fiscais"),
        "data_catalog" => ("catalogo-de-produtos", "Catálogo de produtos"),
        "data_geo" => ("geografia", "Geografia"),
        "data_company" => ("empresas", "Empresas"),
        "data_vehicle" => ("veiculos", "Veículos"),
        "data_validation" => ("validacao", "Validação"),
        "payments" => ("pix", "PIX"),
        "cte" => ("ct-e", "CT-e (em teste)"),
        "mdfe" => ("mdf-e", "MDF-e"),
        "reform" => ("reforma-tributaria", "Reforma tributária"),
        "dere" => ("dere", "DeRE (beta)"),
        "emitters" => ("emitentes", "Emitentes"),
        "persons" => ("pessoas", "Pessoas"),
        "platform" => ("uso", "Uso"),
        "storage" => ("armazenamento", "Armazenamento"),
        "webhooks" => ("webhooks", "Webhooks"),
        "events" => ("eventos", "Eventos"),
        "credits" => ("creditos", "Créditos"),
        "keys" => ("chaves", "Chaves de API"),
        "account" => ("conta", "Conta"),
        "system" => ("sistema", "Sistema"),
        "demo" => ("demonstracao", "Demonstração"),
        _ => ("outras", "Outras"),
    }
}
