//! `/admin/v1/authorizers`: the authorizers of product notes and transport documents, who
//! of them is left alone, and ending such a pause. Each hub has pauses of its own: what is
//! shown and ended here is that of this process.

use super::asked::{Asked, JSON_BYTES, Nothing, Sent};
use super::desk::Desk;
use super::queues::host;
use super::reason::{DOOR, Reason, by};
use accounts::operator::{self, Done};
use authority::breaker::{self, Pause, Why};
use authority::way::Mode;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use base::errors::{Code, Failure, Refusal};
use base::when;
use gate::error::ApiResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::TxError;
use store::words::Ambiente;

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/", get(list))
        .route("/close", post(close))
        .layer(DefaultBodyLimit::max(JSON_BYTES))
}

#[derive(Serialize)]
pub(super) struct Authorizers {
    pub autorizadores: Vec<Shown>,
    /// Companies that an authority makes wait (cStat 656, 678).
    pub empresas_em_espera: Vec<Company>,
}

#[derive(Serialize)]
pub(super) struct Shown {
    pub autorizador: String,
    pub nome: String,
    pub ambiente: Ambiente,
    pub hosts: BTreeSet<String>,
    /// Null: calls go to it.
    pub pausa: Option<Paused>,
}

#[derive(Serialize)]
pub(super) struct Paused {
    pub desde: String,
    /// When it is asked again.
    pub ate: String,
    pub falhas: u32,
    pub motivo: &'static str,
}

#[derive(Serialize)]
pub(super) struct Company {
    pub cnpj: String,
    pub host: String,
    pub desde: String,
    pub ate: String,
}

fn paused(pause: &Pause) -> Paused {
    Paused {
        desde: when::rfc3339(pause.since_ms),
        ate: when::rfc3339(pause.until_ms),
        falhas: pause.failures,
        motivo: match pause.why {
            Why::Dns => "O nome não é encontrado.",
            Why::Connect => "Não há conexão.",
            Why::Timeout => "Não responde a tempo.",
            Why::Paused => "Diz que o serviço está paralisado.",
            Why::UndueUse => "Diz que a empresa consulta demais.",
        },
    }
}

async fn list(
    State(desk): State<Desk>,
    Asked(Nothing {}): Asked<Nothing>,
) -> ApiResult<Json<Authorizers>> {
    Ok(Json(found(&desk)))
}

/// All of them, as this process knows them.
pub(super) fn found(desk: &Desk) -> Authorizers {
    let now_ms = desk.app.now_ms();
    let all = breaker::all(&desk.app.registry.load(), &desk.app.breaker, now_ms);
    let waiting = desk.app.breaker.pauses(now_ms).into_iter();
    Authorizers {
        autorizadores: all
            .into_iter()
            .map(|one| Shown {
                hosts: one.addresses.iter().map(|url| host(url)).collect(),
                autorizador: one.id,
                nome: one.name,
                ambiente: one.ambiente,
                pausa: one.pause.as_ref().map(paused),
            })
            .collect(),
        empresas_em_espera: waiting
            .filter(|pause| !pause.company.is_empty() && pause.mode != Mode::InProcess)
            .map(|pause| Company {
                host: host(&pause.address),
                desde: when::rfc3339(pause.since_ms),
                ate: when::rfc3339(pause.until_ms),
                cnpj: pause.company,
            })
            .collect(),
    }
}

/// The authorizer whose pause is to end, and why.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    autorizador: String,
    ambiente: Ambiente,
    motivo: String,
}

/// What came of it.
#[derive(Serialize)]
struct Closed {
    /// False: it was not left alone.
    mudou: bool,
    #[serde(flatten)]
    all: Authorizers,
}

async fn close(
    State(desk): State<Desk>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(ended): Sent<Ended>,
) -> ApiResult<Json<Closed>> {
    let reason = Reason::of(ended.motivo).read()?;
    let which = (ended.autorizador.as_str(), ended.ambiente);
    let changed = closed(&desk, which, &reason, DOOR).await?;
    let all = found(&desk);
    Ok(Json(Closed {
        mudou: changed,
        all,
    }))
}

/// Ends the pauses of an authorizer in this process; false: it has none. The reason is
/// written down first.
///
/// # Errors
/// There is no such authorizer, or the database failed.
pub(super) async fn closed(
    desk: &Desk,
    (id, ambiente): (&str, Ambiente),
    reason: &str,
    door: &'static str,
) -> Result<bool, Failure> {
    let now_ms = desk.app.now_ms();
    let all = breaker::all(&desk.app.registry.load(), &desk.app.breaker, now_ms);
    let mut named = all.into_iter();
    let one = named.find(|one| one.id == id && one.ambiente == ambiente);
    let Some(one) = one else {
        let refusal = Refusal::new(Code::NaoEncontrado)
            .message("Nenhum autorizador se chama assim neste ambiente.")
            .hint("GET /admin/v1/authorizers mostra os nomes.");
        return Err(refusal.into());
    };
    if one.pause.is_none() {
        return Ok(false);
    }
    let target = format!("{id} {ambiente}");
    let input = (target, reason.to_owned(), by(door, now_ms));
    let written = desk
        .app
        .db
        .write(input, |(target, reason, operator), conn| {
            Box::pin(async move {
                let done = Done {
                    account: None,
                    action: "autorizador.pausa_encerrada",
                    target,
                    detail: reason,
                };
                operator::record(conn, &done, operator).await?;
                Ok::<_, TxError<Refusal>>(())
            })
        });
    written.await?;
    // Of each model: one that is down is often down for all.
    let mut ended = false;
    for address in &one.addresses {
        for mode in [Mode::Official, Mode::Simulator] {
            ended |= desk.app.breaker.close(mode, address, now_ms);
        }
    }
    Ok(ended)
}
