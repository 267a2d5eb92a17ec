//! `/admin/v1/actions`: what operators did to accounts, notes, deliveries, authorizers and
//! the hub itself, with the reasons they gave, and what was done to adapters.

use super::asked::Asked;
use super::desk::Desk;
use super::listing::{READ, cut};
use crate::releases::change::ACTION;
use crate::releases::short;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use base::when;
use gate::error::ApiResult;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use store::Conn;
use store::ids::{AccountId, OperatorActionId};
use store::tables::operator_actions::{self, OperatorActionRow};
use store::tables::releases::{self, ActionRow};

/// Actions of `adapter_actions`, as this list calls them.
const OF_ADAPTERS: [(&str, &str); 7] = [
    ("install", "adaptador.instalado"),
    ("canary", "adaptador.em_canario"),
    ("activate", "adaptador.ativado"),
    ("promote", "adaptador.promovido"),
    ("rollback", "adaptador.desfeito"),
    ("quarantine", "adaptador.em_quarentena"),
    ("refuse", "adaptador.recusado"),
];

pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/", get(list))
}

/// Actions, the newest first.
#[derive(Serialize)]
pub(super) struct Actions {
    pub acoes: Vec<Shown>,
    /// The `antes` of the page that follows; null: it is the last one.
    pub proxima: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Shown {
    pub id: String,
    pub em: String,
    /// `hub`, `admin` or `operador`: the door. Of an adapter also the name of whoever ran
    /// the command.
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
            id: row.id.into(),
            em: when::rfc3339(row.at_ms),
            quem: row.actor,
            acao: row.action,
            alvo: row.target,
            conta_id: row.account_id.0,
            motivo: row.detail,
        }
    }
}

impl From<ActionRow> for Shown {
    fn from(row: ActionRow) -> Shown {
        let known = OF_ADAPTERS.iter().find(|(word, _)| *word == row.action);
        let action = known.map_or(row.action.as_str(), |(_, action)| *action);
        let detail = format!("{} {}", short(&row.digest), row.detail);
        Shown {
            acao: action.to_owned(),
            motivo: detail.trim().to_owned(),
            id: row.id,
            em: when::rfc3339(row.at_ms),
            quem: row.actor,
            alvo: row.name,
            conta_id: None,
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
    let (own, of_adapters) = both(&mut conn, before).await?;
    // Both are in order; of one moment, those of adapters are the older ones.
    let own = own.into_iter().map(|row| (row.at_ms, 1, Shown::from(row)));
    let of_adapters = of_adapters.into_iter();
    let of_adapters = of_adapters.map(|row| (row.at_ms, 0, Shown::from(row)));
    let mut all: Vec<(i64, u8, Shown)> = own.chain(of_adapters).collect();
    all.sort_by_key(|(at_ms, of, _)| Reverse((*at_ms, *of)));
    let mut acoes: Vec<Shown> = all.into_iter().map(|(_, _, shown)| shown).collect();
    let more = cut(&mut acoes);
    Ok(Actions {
        proxima: acoes.last().filter(|_| more).map(|row| row.id.clone()),
        acoes,
    })
}

/// Enough of both tables for a page below an id of either; empty: from the newest on.
async fn both(
    conn: &mut Conn,
    before: &str,
) -> store::DbResult<(Vec<OperatorActionRow>, Vec<ActionRow>)> {
    if let Some(at_ms) = base::ids::moment(ACTION, before) {
        let below = OperatorActionId::floor(at_ms);
        let own = operator_actions::list(conn, below.as_str(), READ).await?;
        return Ok((own, releases::actions_before(conn, before, READ).await?));
    }
    let own = operator_actions::list(conn, before, READ).await?;
    let of_adapters = if before.is_empty() {
        releases::actions(conn, READ).await?
    } else if let Some(at_ms) = OperatorActionId::from(before).moment() {
        releases::actions_until(conn, at_ms, READ).await?
    } else {
        Vec::new()
    };
    Ok((own, of_adapters))
}
