//! Refusals in the document: one response per status, with an example of each
//! code that has it.

use super::headers;
use base::errors::{Code, Refusal, body};
use gate::docs::meanings::described_as;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The request id that examples show.
const REQUEST_ID: &str = "req_01KAEXEMPL0000000000000000";

/// All statuses of the catalogue.
pub(super) fn statuses() -> BTreeSet<u16> {
    Code::ALL.iter().map(|code| code.status()).collect()
}

/// `components.responses`.
pub(super) fn responses() -> Map<String, Value> {
    statuses()
        .into_iter()
        .map(|status| {
            let codes = || Code::ALL.iter().filter(move |code| code.status() == status);
            let examples: Map<String, Value> = codes()
                .map(|code| {
                    let name = code.as_str();
                    (name.to_owned(), json!({ "$ref": format!("#/components/examples/{name}") }))
                })
                .collect();
            let names: Vec<&str> = codes().map(|code| code.as_str()).collect();
            let media = json!({ "schema": { "$ref": "#/components/schemas/Erro" }, "examples": examples });
            let response = json!({
                "description": format!("Recusa: {}.", names.join(", ")),
                "headers": headers::of_refusal(status),
                "content": {
                    "application/json": media,
                    "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problema" } },
                },
            });
            (format!("Erro{status}"), response)
        })
        .collect()
}

/// `components.examples`: each code as its body looks.
pub(super) fn examples(base_url: &str) -> Map<String, Value> {
    Code::ALL
        .iter()
        .map(|code| {
            let entry = code.entry();
            let value = body(&Refusal::new(*code), REQUEST_ID, base_url);
            (
                entry.codigo.to_owned(),
                json!({ "summary": entry.message, "description": entry.hint, "value": value }),
            )
        })
        .collect()
}

/// Schemas of a refusal, of a field to correct, and of what an authority said.
pub(super) fn schemas() -> Map<String, Value> {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let text = || json!({ "type": "string" });
    let error = json!({
        "type": "object",
        "required": ["sucesso", "codigo", "mensagem", "dica", "campos", "consumiu_numero_fiscal", "consumiu_credito", "request_id", "documentacao"],
        "properties": {
            "sucesso": { "const": false, "description": "Sempre `false`." },
            "codigo": { "type": "string", "enum": codes, "description": "O código do erro, como em X-Error-Code." },
            "mensagem": { "type": "string", "description": "O que aconteceu." },
            "dica": { "type": "string", "description": "O que fazer." },
            "campos": { "type": "array", "items": { "$ref": "#/components/schemas/Campo" }, "description": "Os campos a corrigir." },
            "rejeicao": { "$ref": "#/components/schemas/Rejeicao", "description": "A primeira de `rejeicoes`." },
            "rejeicoes": { "type": "array", "items": { "$ref": "#/components/schemas/Rejeicao" }, "description": "O que a autoridade disse, como veio." },
            "nota_id": text(),
            "consumiu_numero_fiscal": { "type": "boolean" },
            "consumiu_credito": { "type": "boolean" },
            "request_id": text(),
            "documentacao": { "type": "string", "description": "A página deste código." },
        }
    });
    let field = json!({
        "type": "object",
        "description": "Um campo a corrigir.",
        "required": ["campo", "codigo", "mensagem", "correcao"],
        "properties": { "campo": text(), "codigo": text(), "mensagem": text(), "correcao": text(), "valor": text() },
    });
    let rejection = json!({
        "type": "object",
        "description": "O que a autoridade disse, como veio.",
        "required": ["origem", "codigo", "motivo", "correcao"],
        "properties": { "origem": text(), "codigo": text(), "motivo": text(), "correcao": text() },
    });
    let problem = json!({
        "description": "O mesmo, como RFC 9457, com Accept: application/problem+json.",
        "allOf": [{ "$ref": "#/components/schemas/Erro" }, {
            "type": "object",
            "required": ["type", "title", "status", "detail", "instance"],
            "properties": { "type": text(), "title": text(), "status": { "type": "integer", "description": "Status HTTP." }, "detail": text(), "instance": text() },
        }],
    });
    [
        ("Erro", error),
        ("Campo", field),
        ("Rejeicao", rejection),
        ("Problema", problem),
    ]
    .into_iter()
    .map(|(name, schema)| (name.to_owned(), described_as(name, schema)))
    .collect()
}
