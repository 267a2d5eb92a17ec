//! `/admin/v1/actions`: what operators did to accounts, notes, deliveries and authorizers,
//! with the reasons they gave.

use super::asked::Asked;
use super::desk::Desk;
use super::listing::{READ, cut};
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use base::when;
use gate::error::ApiResult;
use serde::{Deserialize, Serialize};
use store::ids::{AccountId, OperatorActionId};
use store::tables::operator_actions::{self, OperatorActionRow};

pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/", get(list))
}

/// Actions, the newest first.
#[derive(Serialize)]
pub(super) struct Actions {
    pub acoes: Vec<Shown>,
    /// The `antes` of the page that follows; null: it is the last one.
    pub proxima: Option<OperatorActionId>,
}

#[derive(Serialize)]
pub(super) struct Shown {
    pub id: OperatorActionId,
    pub em: String,
    /// `hub`, `admin` or `operador`: the door.
    pub quem: String,
    pub acao: String,
    pub alvo: String,
    /// Null: it was done to no account.
    pub conta_id: Option<AccountId>,
    pub motivo: String,
}

impl From<OperatorActionRow> for Shown {
    fn from(row: OperatorActionRow) -> Shown {
        Shown {
            id: row.id,
            em: when::rfc3339(row.at_ms),
            quem: row.actor,
            acao: row.action,
            alvo: row.target,
            conta_id: row.account_id.0,
            motivo: row.detail,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The `proxima` of the page before.
    #[serde(default)]
    antes: String,
}

async fn list(State(desk): State<Desk>, Asked(wanted): Asked<Wanted>) -> ApiResult<Json<Actions>> {
    Ok(Json(found(&desk, &wanted.antes).await?))
}

/// Those below an id.
///
/// # Errors
/// The database failed.
pub(super) async fn found(desk: &Desk, before: &str) -> store::DbResult<Actions> {
    // Nothing is called so, and PostgreSQL refuses to compare it.
    let before = if before.contains('\0') { "" } else { before };
    let mut conn = desk.app.db.read().await?;
    let mut rows = operator_actions::list(&mut conn, before, READ).await?;
    let more = cut(&mut rows);
    Ok(Actions {
        proxima: rows.last().filter(|_| more).map(|row| row.id.clone()),
        acoes: rows.into_iter().map(Shown::from).collect(),
    })
}
