//! /api/v1/eventos: what happened, to be read in order. Who lost a webhook, or
//! wants none, reads on from the last cursor.

use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use events::attempt::envelope::Evento;
use events::webhooks::catalogue;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::ids::OutboxId;
use store::tables::outbox::{self, Feed};
use store::words::Maybe;

const DAY_MS: i64 = 24 * 3_600_000;

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "eventos.list",
            route: |method| on(method, list),
            docs: Docs::new(
                "Lê os eventos da conta na ordem em que aconteceram, a partir de um cursor; 90 dias.",
            )
            .query("tipo", "Só deste tipo.", json!({ "type": "string", "minLength": 1 }))
            .query("emitente_id", "Só deste emitente.", json!({ "type": "string", "minLength": 1 }))
            .query(
                "limite",
                "Eventos por página.",
                json!({ "type": "integer", "minimum": 1, "maximum": 100 }),
            )
            .query(
                "cursor",
                "Onde a leitura anterior parou (proximo_cursor). Não vence.",
                json!({ "type": "string", "pattern": "^[0-9]{1,18}$" }),
            )
            .success::<EventosOut>(),
        },
        Built {
            operation: "eventos.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra um evento, como foi entregue.").success::<EventoOut>(),
        },
    ]
}

/// Eventos na ordem em que aconteceram.
#[derive(Serialize, JsonSchema)]
struct EventosOut {
    itens: Vec<Evento>,
    /// Já há outros.
    tem_mais: bool,
    /// O `cursor` com que se lê adiante, também quando não há outros.
    proximo_cursor: String,
}

#[derive(Serialize, JsonSchema)]
struct EventoOut {
    evento: Evento,
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<EventosOut> {
    only(&query, &["tipo", "emitente_id", "limite", "cursor"])?;
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let kind = text("tipo");
    if !kind.is_empty() && catalogue::get(&kind).is_none() {
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
        kind,
        emitter_id: Maybe::of(&text("emitente_id")),
    };
    let mut conn = call.app.db.walk(&caller.account_id).await?;
    let mut rows = outbox::feed(&mut conn, &feed, limit + 1).await?;
    drop(conn);
    let more = rows.len() > usize::try_from(limit).unwrap_or(50);
    rows.truncate(usize::try_from(limit).unwrap_or(50));
    let cursor = rows.last().map_or(feed.after, |row| row.sequencia);
    let base_url = &call.app.config.server.base_url;
    let items: Result<Vec<Evento>, _> = rows.iter().map(|row| Evento::of(row, base_url)).collect();
    call.ok(EventosOut {
        itens: items?,
        tem_mais: more,
        proximo_cursor: cursor.to_string(),
    })
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

async fn get(call: Call, Path(id): Path<OutboxId>) -> ApiAnswer<EventoOut> {
    let caller = &call.caller;
    let mut conn = call.app.db.read().await?;
    let row = outbox::get(&mut conn, &caller.account_id, &id, caller.unseen())
        .await?
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Evento não encontrado."))?;
    drop(conn);
    call.ok(EventoOut {
        evento: Evento::of(&row, &call.app.config.server.base_url)?,
    })
}
