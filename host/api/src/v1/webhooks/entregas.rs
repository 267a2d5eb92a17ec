//! GET /api/v1/webhooks/entregas: the log of deliveries; and one with each of
//! its attempts.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, bad, page, period};
use crate::{Built, json};
use axum::extract::{Path, Query as UrlQuery};
use axum::response::Response;
use axum::routing::on;
use base::errors::Failure;
use base::when;
use events::attempt::envelope::envelope;
use events::webhooks::catalogue;
use events::webhooks::resend::missing;
use serde_json::{Map, Value, json as value};
use store::tables::deliveries::{self, AttemptRow, Choice, DeliveryRow};
use store::tables::{outbox, webhooks};

const STATUS: [&str; 3] = ["entregue", "pendente", "falhou"];

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "webhooks.entregas.list",
            route: |method| on(method, list),
            docs: Docs::new("Lista as entregas, da mais nova para a mais antiga.")
                .query(
                    "status",
                    "Estado.",
                    value!({ "type": "string", "enum": STATUS }),
                )
                .query(
                    "evento",
                    "Tipo de evento.",
                    value!({ "type": "string", "minLength": 1 }),
                )
                .query(
                    "webhook_id",
                    "Webhook.",
                    value!({ "type": "string", "minLength": 1 }),
                )
                .period()
                .paged(),
        },
        Built {
            operation: "webhooks.entregas.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra uma entrega: o corpo enviado e cada tentativa com a resposta."),
        },
    ]
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let page = page(&query, &["status", "evento", "webhook_id", "de", "ate"])?;
    let choice = choice(&call, &query)?;
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = deliveries::list(&mut conn, &choice, &page.before, page.rows()).await?;
    let resting = webhooks::resting(&mut conn, &choice.account_id, call.app.now_ms()).await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let rest = |row: &DeliveryRow| resting.iter().find(|one| one.id == row.webhook_id);
    let items = rows
        .iter()
        .map(|row| record(row, rest(row).map_or(0, |one| one.cool_until_ms)).into())
        .collect();
    Ok(json(200, &page.body(items, ids, &call.caller.request_id)))
}

fn choice(call: &Call, query: &Query) -> Result<Choice, Failure> {
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let (from_ms, to_ms) = period(query)?;
    let (status, tipo) = (text("status"), text("evento"));
    if !status.is_empty() && !STATUS.contains(&status.as_str()) {
        return Err(bad("status", "Use entregue, pendente ou falhou."));
    }
    if !tipo.is_empty() && catalogue::get(&tipo).is_none() {
        return Err(bad(
            "evento",
            "Use um dos de GET /api/v1/webhooks/tipos-evento.",
        ));
    }
    Ok(Choice {
        account_id: call.caller.account_id.clone(),
        kind: call.caller.kind.clone(),
        webhook_id: text("webhook_id"),
        status,
        tipo,
        from_ms,
        to_ms,
    })
}

/// A delivery as the API shows it. Nothing is tried before `rest_ms`, the end
/// of its webhook's pause; 0: it has none.
pub fn record(row: &DeliveryRow, rest_ms: i64) -> Map<String, Value> {
    let waits = row.status == "pendente";
    let record = value!({
        "id": row.id,
        "webhook_id": row.webhook_id,
        "evento_id": row.event_id,
        "evento": row.tipo,
        "status": row.status,
        "tentativas": row.attempts,
        "proxima_tentativa_em": waits.then(|| when::rfc3339(row.due_ms.max(rest_ms))),
        "motivo": Some(&row.motivo).filter(|motivo| !motivo.is_empty()),
        "criada_em": when::rfc3339(row.created_at_ms),
        "atualizada_em": when::rfc3339(row.updated_at_ms),
    });
    match record {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

async fn get(call: Call, Path(id): Path<String>) -> ApiResult<Response> {
    let caller = &call.caller;
    let mut conn = call.app.db.read().await?;
    let row = deliveries::get(&mut conn, &caller.account_id, &caller.kind, &id)
        .await?
        .ok_or_else(missing)?;
    let event = outbox::get(
        &mut conn,
        &caller.account_id,
        &row.event_id,
        caller.unseen(),
    )
    .await?;
    let attempts = deliveries::attempts(&mut conn, &row.id).await?;
    let resting = webhooks::resting(&mut conn, &caller.account_id, call.app.now_ms()).await?;
    let rest = resting.iter().find(|one| one.id == row.webhook_id);
    let mut body = record(&row, rest.map_or(0, |one| one.cool_until_ms));
    let base_url = &call.app.config.server.base_url;
    let sent = event.map(|event| envelope(&event, base_url)).transpose()?;
    body.insert("corpo".to_owned(), sent.into());
    let attempts: Vec<Value> = attempts.iter().map(attempt).collect();
    body.insert("historico".to_owned(), attempts.into());
    body.insert("sucesso".to_owned(), true.into());
    body.insert("request_id".to_owned(), caller.request_id.clone().into());
    Ok(json(200, &body.into()))
}

fn attempt(row: &AttemptRow) -> Value {
    value!({
        "numero": row.number,
        "em": when::rfc3339(row.at_ms),
        "duracao_ms": row.duration_ms,
        "resposta_status": (row.status > 0).then_some(row.status),
        "resposta_corpo": (row.status > 0).then_some(&row.answer),
        "erro": Some(&row.error).filter(|error| !error.is_empty()),
    })
}
