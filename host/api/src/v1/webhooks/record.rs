//! A webhook as the API shows it, and what a body may say about one.

use base::when;
use events::attempt::sealed::Sealed;
use events::webhooks::registration::{MASK, Wish};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use store::tables::webhooks::WebhookRow;

/// Os campos ausentes ficam como estão; um webhook novo precisa de `url`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WebhookIn {
    /// Endereço https que recebe os eventos.
    #[schemars(length(min = 1, max = 2048))]
    url: Option<String>,
    /// Tipos de evento, `familia.*` ou `*`; vazio: os 14 do contrato.
    #[schemars(length(max = 50))]
    eventos: Option<Vec<String>>,
    /// Só os eventos destes emitentes; vazio: todos.
    #[schemars(length(max = 100))]
    emitente_ids: Option<Vec<String>>,
    #[schemars(length(max = 200))]
    descricao: Option<String>,
    /// Cabeçalhos enviados em cada entrega. As respostas mostram `***` no lugar
    /// de cada valor; enviado de volta, `***` mantém o valor guardado, desde que
    /// o webhook não mude de servidor.
    cabecalhos: Option<BTreeMap<String, String>>,
    ativo: Option<bool>,
}

impl From<WebhookIn> for Wish {
    fn from(body: WebhookIn) -> Wish {
        Wish {
            url: body.url,
            eventos: body.eventos,
            emitente_ids: body.emitente_ids,
            descricao: body.descricao,
            cabecalhos: body.cabecalhos,
            ativo: body.ativo,
        }
    }
}

/// A webhook without its secret and without the values of its headers, which
/// may be secrets of the receiver.
pub fn webhook(row: &WebhookRow, sealed: &Sealed, now_ms: i64) -> Map<String, Value> {
    let list = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| json!([]));
    let until = |ms: i64| (ms > now_ms).then(|| when::rfc3339(ms));
    let cabecalhos: BTreeMap<&str, &str> = sealed
        .cabecalhos
        .keys()
        .map(|name| (name.as_str(), MASK))
        .collect();
    let record = json!({
        "id": row.id,
        "url": row.url,
        "eventos": list(&row.eventos),
        "emitente_ids": list(&row.emitente_ids),
        "descricao": row.descricao,
        "cabecalhos": cabecalhos,
        "ativo": row.ativo == 1,
        "motivo_desativado": Some(&row.motivo).filter(|motivo| !motivo.is_empty()),
        "falhas_seguidas": row.failures,
        "em_pausa_ate": until(row.cool_until_ms),
        "segredo_anterior_ate": until(row.anterior_ate_ms),
        "criado_em": when::rfc3339(row.created_at_ms),
        "atualizado_em": when::rfc3339(row.updated_at_ms),
    });
    match record {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// The same as an answer.
pub fn answer(
    row: &WebhookRow,
    sealed: &Sealed,
    now_ms: i64,
    request_id: &str,
) -> Map<String, Value> {
    let mut body = webhook(row, sealed, now_ms);
    body.insert("sucesso".to_owned(), true.into());
    body.insert("request_id".to_owned(), request_id.into());
    body
}
