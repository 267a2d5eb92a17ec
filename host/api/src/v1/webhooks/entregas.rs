//! GET /api/v1/webhooks/entregas: the log of deliveries; and one with each of
//! its attempts.

use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::Failure;
use base::when;
use events::attempt::envelope::Evento;
use events::webhooks::catalogue;
use events::webhooks::resend::missing;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, bad, page, period};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::ids::{DeliveryId, OutboxId, WebhookId};
use store::tables::deliveries::{self, AttemptRow, Choice, DeliveryRow, DeliveryStatus};
use store::tables::{outbox, webhooks};
use store::words::Maybe;

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
                    json!({ "type": "string", "enum": STATUS }),
                )
                .query(
                    "evento",
                    "Tipo de evento.",
                    json!({ "type": "string", "minLength": 1 }),
                )
                .query(
                    "webhook_id",
                    "Webhook.",
                    json!({ "type": "string", "minLength": 1 }),
                )
                .period()
                .paged()
                .success::<Listing<Delivery>>(),
        },
        Built {
            operation: "webhooks.entregas.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra uma entrega: o corpo enviado e cada tentativa com a resposta.")
                .success::<DeliveryOut>(),
        },
    ]
}

/// Um evento para um webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Entrega")]
pub struct Delivery {
    id: DeliveryId,
    webhook_id: WebhookId,
    evento_id: OutboxId,
    /// O tipo do evento.
    evento: String,
    status: DeliveryStatus,
    /// Quantas já foram feitas.
    tentativas: i64,
    /// Só enquanto pendente.
    proxima_tentativa_em: Option<String>,
    /// Por que falhou.
    motivo: Option<String>,
    criada_em: String,
    atualizada_em: String,
}

/// Uma entrega, o que foi enviado e cada tentativa.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EntregaOut")]
struct DeliveryOut {
    #[serde(flatten)]
    entrega: Delivery,
    /// O corpo enviado; `null` depois que o evento foi eliminado.
    corpo: Option<Evento>,
    historico: Vec<Attempt>,
}

/// Uma tentativa de entrega.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Tentativa")]
struct Attempt {
    /// A partir de 1.
    numero: i64,
    em: String,
    duracao_ms: i64,
    /// Status HTTP; `null` se não houve resposta.
    resposta_status: Option<i64>,
    /// O começo da resposta.
    resposta_corpo: Option<String>,
    /// Por que não houve resposta.
    erro: Option<String>,
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<Delivery>> {
    let page = page(&query, &["status", "evento", "webhook_id", "de", "ate"])?;
    let choice = choice(&call, &query)?;
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = deliveries::list(&mut conn, &choice, &page.before, page.rows()).await?;
    let resting = webhooks::resting(&mut conn, &choice.account_id, call.app.now_ms()).await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let rest = |row: &DeliveryRow| resting.iter().find(|one| one.id == row.webhook_id);
    let items = rows
        .iter()
        .map(|row| Delivery::of(row, rest(row).map_or(0, |one| one.cool_until_ms)));
    call.ok(page.listing(items.collect(), ids))
}

fn choice(call: &Call, query: &Query) -> Result<Choice, Failure> {
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let (from_ms, to_ms) = period(query)?;
    let (status, event_kind) = (text("status"), text("evento"));
    if !status.is_empty() && !STATUS.contains(&status.as_str()) {
        return Err(bad("status", "Use entregue, pendente ou falhou."));
    }
    if !event_kind.is_empty() && catalogue::get(&event_kind).is_none() {
        return Err(bad(
            "evento",
            "Use um dos de GET /api/v1/webhooks/tipos-evento.",
        ));
    }
    Ok(Choice {
        account_id: call.caller.account_id.clone(),
        kind: call.caller.kind,
        webhook_id: Maybe::of(&text("webhook_id")),
        status,
        event_kind,
        from_ms,
        to_ms,
    })
}

impl Delivery {
    /// A delivery as the API shows it. Nothing is tried before `rest_ms`, the end
    /// of its webhook's pause; 0: it has none.
    pub fn of(row: &DeliveryRow, rest_ms: i64) -> Delivery {
        let waits = row.status == DeliveryStatus::Pending;
        Delivery {
            id: row.id.clone(),
            webhook_id: row.webhook_id.clone(),
            evento_id: row.event_id.clone(),
            evento: row.tipo.clone(),
            status: row.status,
            tentativas: row.attempts,
            proxima_tentativa_em: waits.then(|| when::rfc3339(row.due_ms.max(rest_ms))),
            motivo: Some(row.motivo.clone()).filter(|reason| !reason.is_empty()),
            criada_em: when::rfc3339(row.created_at_ms),
            atualizada_em: when::rfc3339(row.updated_at_ms),
        }
    }
}

async fn get(call: Call, Path(id): Path<DeliveryId>) -> ApiAnswer<DeliveryOut> {
    let caller = &call.caller;
    let mut conn = call.app.db.read().await?;
    let row = deliveries::get(&mut conn, &caller.account_id, caller.kind, &id)
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
    drop(conn);
    let base_url = &call.app.config.server.base_url;
    let sent = event.map(|event| Evento::of(&event, base_url));
    call.ok(DeliveryOut {
        entrega: Delivery::of(&row, rest.map_or(0, |one| one.cool_until_ms)),
        corpo: sent.transpose()?,
        historico: attempts.into_iter().map(Attempt::from).collect(),
    })
}

impl From<AttemptRow> for Attempt {
    fn from(row: AttemptRow) -> Attempt {
        let answered = row.status > 0;
        Attempt {
            numero: row.number,
            em: when::rfc3339(row.at_ms),
            duracao_ms: row.duration_ms,
            resposta_status: answered.then_some(row.status),
            resposta_corpo: answered.then_some(row.answer),
            erro: Some(row.error).filter(|error| !error.is_empty()),
        }
    }
}
