//! Events in the document: what a customer's server is sent, and what it
//! should answer.

use super::tag;
use events::webhooks::catalogue::{Kind, TIPOS};
use gate::docs::meanings::described_as;
use serde_json::{Map, Value, json};

/// Headers of every delivery: name, meaning, an example.
const HEADERS: [(&str, &str, &str); 8] = [
    (
        "X-Webhook-Id",
        "O id do evento, o mesmo em toda tentativa: despreze um repetido.",
        "evt_01JTESTE00000000000000000A",
    ),
    ("X-Webhook-Attempt", "A tentativa, a partir de 1.", "1"),
    ("X-Webhook-Event", "O tipo do evento.", "nfe.autorizada"),
    (
        "X-Webhook-Timestamp",
        "Quando esta tentativa foi assinada, em segundos Unix.",
        "1791206103",
    ),
    (
        "X-Webhook-Signature-256",
        "`t=<segundos>,v1=<hex>`: HMAC-SHA256 de `t + \".\" + X-Webhook-Id + \".\" + corpo`; a chave é o segredo inteiro como texto, whsec_ incluído.",
        "t=1791206103,v1=226ddf25e242c95bbbfd927a80f89e1dd03429282113f07300c7648202627234",
    ),
    (
        "webhook-id",
        "Standard Webhooks: o mesmo de X-Webhook-Id.",
        "evt_01JTESTE00000000000000000A",
    ),
    (
        "webhook-timestamp",
        "Standard Webhooks: o mesmo de X-Webhook-Timestamp.",
        "1791206103",
    ),
    (
        "webhook-signature",
        "Standard Webhooks, `v1,<base64>`: HMAC-SHA256 de `webhook-id + \".\" + webhook-timestamp + \".\" + corpo`; a chave são os bytes que a parte depois de whsec_ representa em base64.",
        "v1,VU1DyuXJmkHEpW0L+GXlN6OT3Xmx3bshSWvgWNqLkmM=",
    ),
];

/// `components.parameters`.
pub(super) fn parameters() -> Map<String, Value> {
    HEADERS
        .into_iter()
        .map(|(name, meaning, example)| {
            let one = json!({
                "name": name, "in": "header", "required": true, "description": meaning,
                "schema": { "type": "string" }, "example": example,
            });
            (name.to_owned(), one)
        })
        .collect()
}

/// One entry per kind of event; the schemas of their bodies go to `schemas`.
pub(super) fn webhooks(base_url: &str, schemas: &mut Map<String, Value>) -> Map<String, Value> {
    TIPOS
        .iter()
        .map(|kind| {
            schemas
                .entry(kind.schema_name())
                .or_insert_with(|| described_as(kind.schema_name(), kind.schema()));
            (
                kind.name.to_owned(),
                json!({ "post": delivery(kind, base_url) }),
            )
        })
        .collect()
}

fn delivery(kind: &Kind, base_url: &str) -> Value {
    let parameters: Vec<Value> = HEADERS
        .iter()
        .map(|(name, _, _)| json!({ "$ref": format!("#/components/parameters/{name}") }))
        .collect();
    let media = json!({
        "schema": { "$ref": format!("#/components/schemas/{}", kind.schema_name()) },
        "example": kind.example(base_url),
    });
    let default = if kind.default {
        "Enviado também ao webhook que não escolhe tipos."
    } else {
        "Só é enviado a quem o pede em eventos."
    };
    json!({
        "summary": kind.description,
        "description": format!("{default} Como conferir a assinatura está no início deste documento."),
        "tags": [tag("webhooks")],
        // A delivery has no key of ours.
        "security": [],
        "parameters": parameters,
        "requestBody": { "required": true, "content": { "application/json": media } },
        "responses": {
            "2XX": { "description": "Recebido. Responda em até 10 s; o corpo da resposta não importa." },
            "410": { "description": "Não envie mais: o webhook é desativado." },
            "default": {
                "description": "Falha, como também um redirecionamento ou nenhuma resposta: repetida depois de 60 s, 5 min, 30 min, 2 h e 6 h, se o operador não mudou os intervalos.",
            },
        },
    })
}
