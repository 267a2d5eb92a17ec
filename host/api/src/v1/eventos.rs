//! /api/v1/eventos: what happened, to be read in order. Who lost a webhook, or
//! wants none, reads on from the last cursor.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, bad, only};
use crate::{Built, json};
use axum::extract::{Path, Query as UrlQuery};
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use events::attempt::envelope::envelope;
use events::webhooks::catalogue;
use serde_json::{Value, json as value};
use store::DbResult;
use store::tables::outbox::{self, Feed};

const DAY_MS: i64 = 24 * 3_600_000;

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "eventos.list",
            route: |method| on(method, list),
            docs: Docs::new(
                "Lê os eventos da conta na ordem em que aconteceram, a partir de um cursor; 90 dias.",
            )
            .query("tipo", "Só deste tipo.", value!({ "type": "string", "minLength": 1 }))
            .query("emitente_id", "Só deste emitente.", value!({ "type": "string", "minLength": 1 }))
            .query(
                "limite",
                "Eventos por página.",
                value!({ "type": "integer", "minimum": 1, "maximum": 100 }),
            )
            .query(
                "cursor",
                "Onde a leitura anterior parou (proximo_cursor). Não vence.",
                value!({ "type": "string", "pattern": "^[0-9]{1,18}$" }),
            ),
        },
        Built {
            operation: "eventos.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra um evento, como foi entregue."),
        },
    ]
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    only(&query, &["tipo", "emitente_id", "limite", "cursor"])?;
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let tipo = text("tipo");
    if !tipo.is_empty() && catalogue::get(&tipo).is_none() {
        return Err(bad("tipo", "Use um dos de GET /api/v1/webhooks/tipos-evento.").into());
    }
    let limit = number(&query, "limite", 50)?;
    if !(1..=100).contains(&limit) {
        return Err(bad("limite", "O limite vai de 1 a 100.").into());
    }
    let caller = &call.caller;
    let keep_ms = call.app.config.webhooks.keep_days * DAY_MS;
    let feed = Feed {
        account_id: caller.account_id.clone(),
        unseen: caller.unseen().to_owned(),
        after: number(&query, "cursor", 0)?,
        since_ms: call.app.now_ms() - keep_ms,
        tipo,
        emitter_id: text("emitente_id"),
    };
    let mut conn = call.app.db.walk(&caller.account_id).await?;
    let mut rows = outbox::feed(&mut conn, &feed, limit + 1).await?;
    drop(conn);
    let more = rows.len() > usize::try_from(limit).unwrap_or(50);
    rows.truncate(usize::try_from(limit).unwrap_or(50));
    let cursor = rows.last().map_or(feed.after, |row| row.sequencia);
    let base_url = &call.app.config.server.base_url;
    let items = rows.iter().map(|row| envelope(row, base_url));
    let items = items.collect::<DbResult<Vec<Value>>>()?;
    Ok(json(
        200,
        &value!({
            "sucesso": true, "itens": items, "tem_mais": more, "proximo_cursor": cursor.to_string(),
            "request_id": caller.request_id,
        }),
    ))
}

fn number(query: &Query, name: &str, default: i64) -> Result<i64, Failure> {
    let Some(text) = query.get(name).filter(|text| !text.is_empty()) else {
        return Ok(default);
    };
    let digits = (1..=18).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| bad(name, "Use um número inteiro."))
}

async fn get(call: Call, Path(id): Path<String>) -> ApiResult<Response> {
    let caller = &call.caller;
    let mut conn = call.app.db.read().await?;
    let row = outbox::get(&mut conn, &caller.account_id, &id, caller.unseen())
        .await?
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Evento não encontrado."))?;
    drop(conn);
    let event = envelope(&row, &call.app.config.server.base_url)?;
    Ok(json(
        200,
        &value!({ "sucesso": true, "evento": event, "request_id": caller.request_id }),
    ))
}
