//! `/admin/v1/queues`: what waits in this hub, over all accounts.

use super::asked::{Asked, Nothing};
use super::desk::Desk;
use super::notes::Owner;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use base::when;
use gate::error::ApiResult;
use reqwest::Url;
use serde::Serialize;
use store::ids::{AccountId, WebhookId};
use store::tables::{metrics, webhooks};

/// Webhooks that rest and are named.
const RESTING: i64 = 100;

pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/", get(shown))
}

/// Everything that waits.
#[derive(Serialize)]
pub(super) struct Queues {
    pub notas: Waiting,
    /// Cancellations, letters and other events of notes.
    pub eventos: Waiting,
    pub fluxos: Flows,
    /// Events of accounts that have no place in their order yet.
    pub saida: Waiting,
    pub entregas: Deliveries,
    pub emails: Mails,
    pub webhooks_em_pausa: Vec<Resting>,
}

/// How many, and since when the oldest waits; null: nothing waits.
#[derive(Serialize)]
pub(super) struct Waiting {
    pub quantas: i64,
    pub desde: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Flows {
    /// Nobody runs them, and their moment has come.
    pub vencidos: Waiting,
    /// They sleep until a moment.
    pub esperando: i64,
    /// A node of the database runs them.
    pub em_execucao: i64,
    /// This process runs them.
    pub em_execucao_aqui: usize,
}

#[derive(Serialize)]
pub(super) struct Deliveries {
    pub pendentes: i64,
    pub vencidas: Waiting,
    /// In the failure queue: nobody sends them again unless asked to.
    pub falharam: i64,
}

#[derive(Serialize)]
pub(super) struct Mails {
    pub na_fila: i64,
    pub vencidos: Waiting,
    /// Of those in the queue: tried before.
    pub tentados: i64,
    /// A server is configured.
    pub servidor: bool,
}

/// A webhook that rests after failures.
#[derive(Serialize)]
pub(super) struct Resting {
    pub webhook_id: WebhookId,
    pub conta: Owner,
    /// Of its address; the rest of it may hold a secret.
    pub host: String,
    pub falhas: i64,
    pub ate: String,
}

fn waiting(count: i64, since_ms: i64) -> Waiting {
    Waiting {
        quantas: count,
        desde: (since_ms > 0).then(|| when::rfc3339(since_ms)),
    }
}

/// The host of an address.
pub(super) fn host(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.unwrap_or_default().to_owned()
}

async fn shown(
    State(desk): State<Desk>,
    Asked(Nothing {}): Asked<Nothing>,
) -> ApiResult<Json<Queues>> {
    Ok(Json(found(&desk).await?))
}

/// What waits now.
///
/// # Errors
/// The database failed.
pub(super) async fn found(desk: &Desk) -> store::DbResult<Queues> {
    let now_ms = desk.app.now_ms();
    let mut walk = desk.app.db.walk(&AccountId::default()).await?;
    let queues = metrics::queues(&mut walk, now_ms).await?;
    let resting = webhooks::resting_all(&mut walk, now_ms, RESTING).await?;
    let (levels, flows) = (&queues.levels, &queues.flows);
    let mails = &levels.mails;
    Ok(Queues {
        notas: waiting(levels.unknown, levels.unknown_since_ms),
        eventos: waiting(queues.events, queues.events_since_ms),
        fluxos: Flows {
            vencidos: waiting(flows.due, flows.due_since_ms),
            esperando: flows.asleep,
            em_execucao: flows.running,
            em_execucao_aqui: desk.issuing.running.len(),
        },
        saida: waiting(levels.outbox, levels.outbox_since_ms),
        entregas: Deliveries {
            pendentes: queues.deliveries_waiting,
            vencidas: waiting(levels.deliveries, levels.deliveries_since_ms),
            falharam: queues.deliveries_failed,
        },
        emails: Mails {
            na_fila: mails.waiting,
            vencidos: waiting(mails.due, mails.due_since_ms),
            tentados: mails.tried,
            servidor: !desk.app.config.mail.host.is_empty(),
        },
        webhooks_em_pausa: resting
            .into_iter()
            .map(|row| Resting {
                webhook_id: row.id,
                conta: Owner {
                    id: row.account_id,
                    nome: row.nome,
                },
                host: host(&row.url),
                falhas: row.failures,
                ate: when::rfc3339(row.cool_until_ms),
            })
            .collect(),
    })
}
