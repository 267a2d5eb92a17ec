//! `/admin/v1/deliveries`: webhook deliveries of all accounts that did not arrive, without
//! what they carry, and sending one again.

use super::asked::{Asked, InPath, JSON_BYTES, Nothing, Sent, named, parameter};
use super::desk::Desk;
use super::listing::{READ, cut};
use super::notes::Owner;
use super::queues::host;
use super::reason::{DOOR, Reason, by};
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use base::errors::{Code, Failure, Refusal};
use base::when;
use events::webhooks::resend;
use gate::error::{ApiError, ApiResult};
use serde::{Deserialize, Serialize};
use store::ids::{AccountId, DeliveryId, WebhookId};
use store::tables::deliveries::{self, DeliveryRow, DeliveryStatus, Older, OpenRow};

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/", get(list))
        .route("/{entrega}/resend", post(again))
        .layer(DefaultBodyLimit::max(JSON_BYTES))
}

/// Deliveries that did not arrive, the newest first.
#[derive(Serialize)]
pub(super) struct Open {
    pub entregas: Vec<Shown>,
    /// The `antes` of the page that follows; null: it is the last one.
    pub proxima: Option<DeliveryId>,
}

/// A delivery without its event.
#[derive(Serialize)]
pub(super) struct Shown {
    pub id: DeliveryId,
    /// The same as `id`.
    pub entrega_id: DeliveryId,
    pub conta: Owner,
    pub webhook_id: WebhookId,
    /// Of its address; empty: the webhook is gone.
    pub host: String,
    pub tipo: String,
    pub situacao: DeliveryStatus,
    pub tentativas: i64,
    /// HTTP status of the last attempt; null: there was no answer.
    pub ultimo_status: Option<i64>,
    pub criada_em: String,
    /// Null: it is not tried again by itself.
    pub proxima_tentativa_em: Option<String>,
    /// Why it was given up; empty: it was not.
    pub motivo: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    situacao: Option<String>,
    /// The `proxima` of the page before.
    #[serde(default)]
    antes: String,
}

async fn list(State(desk): State<Desk>, Asked(wanted): Asked<Wanted>) -> ApiResult<Json<Open>> {
    let status = match wanted.situacao.as_deref() {
        None => None,
        Some(word) => Some(state(word).ok_or_else(|| {
            let correction = "Envie pendente ou falhou.";
            parameter("situacao", "não é situação destas entregas", correction)
        })?),
    };
    Ok(Json(found(&desk, status, &wanted.antes).await?))
}

/// A status of what did not arrive.
pub(super) fn state(word: &str) -> Option<DeliveryStatus> {
    let status = word.parse().ok();
    status.filter(|status| *status != DeliveryStatus::Delivered)
}

/// Those of a status, or of either, that were made before another one.
///
/// # Errors
/// The database failed.
pub(super) async fn found(
    desk: &Desk,
    status: Option<DeliveryStatus>,
    before: &str,
) -> store::DbResult<Open> {
    let mut walk = desk.app.db.walk(&AccountId::default()).await?;
    let mut older = Older {
        at_ms: i64::MAX,
        id: DeliveryId::default(),
    };
    if !before.is_empty() {
        let last = match before {
            odd if odd.contains('\0') => None,
            id => deliveries::by_id(&mut walk, &id.into()).await?,
        };
        let Some(DeliveryRow {
            id, created_at_ms, ..
        }) = last
        else {
            return Ok(Open {
                entregas: Vec::new(),
                proxima: None,
            });
        };
        older = Older {
            at_ms: created_at_ms,
            id,
        };
    }
    let mut rows = deliveries::open(&mut walk, status, &older, READ).await?;
    let more = cut(&mut rows);
    Ok(Open {
        proxima: rows.last().filter(|_| more).map(|row| row.id.clone()),
        entregas: rows.into_iter().map(one).collect(),
    })
}

fn one(row: OpenRow) -> Shown {
    let waits = row.status == DeliveryStatus::Pending;
    Shown {
        id: row.id.clone(),
        entrega_id: row.id,
        conta: Owner {
            id: row.account_id,
            nome: row.nome,
        },
        webhook_id: row.webhook_id,
        host: host(&row.url),
        tipo: row.tipo,
        situacao: row.status,
        tentativas: row.attempts,
        ultimo_status: (row.last_status > 0).then_some(row.last_status),
        criada_em: when::rfc3339(row.created_at_ms),
        proxima_tentativa_em: waits.then(|| when::rfc3339(row.due_ms)),
        motivo: row.motivo,
    }
}

/// A delivery that is sent again.
#[derive(Serialize)]
struct Again {
    id: DeliveryId,
    /// The same as `id`.
    entrega_id: DeliveryId,
    situacao: DeliveryStatus,
    proxima_tentativa_em: String,
}

async fn again(
    State(desk): State<Desk>,
    path: InPath<DeliveryId>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(reason): Sent<Reason>,
) -> ApiResult<Json<Again>> {
    let reason = reason.read()?;
    let id = named(path).ok_or_else(unknown)?;
    let row = resent(&desk, &id, &reason, DOOR).await?;
    Ok(Json(Again {
        id: row.id.clone(),
        entrega_id: row.id,
        situacao: row.status,
        proxima_tentativa_em: when::rfc3339(row.due_ms),
    }))
}

fn unknown() -> ApiError {
    let refusal = Refusal::new(Code::NaoEncontrado)
        .message("Nenhuma entrega tem este id.")
        .hint("GET /admin/v1/deliveries mostra as que não chegaram.");
    ApiError(refusal.into())
}

/// Begins the schedule of a delivery again.
///
/// # Errors
/// It cannot be sent again, or the database failed.
pub(super) async fn resent(
    desk: &Desk,
    id: &DeliveryId,
    reason: &str,
    door: &'static str,
) -> Result<DeliveryRow, Failure> {
    let operator = by(door, desk.app.now_ms());
    resend::by_operator(&desk.events, id, reason, &operator).await
}
