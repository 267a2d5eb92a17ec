//! `/operador/historico`: who did what with releases, and when.

use super::frame::{HISTORY, page as framed};
use super::{Operator, Pages, down, unclear};
use crate::admin::listing::{READ, cut};
use crate::releases::short;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use base::when;
use maud::{Markup, html};
use page::parts::{empty, encoded, moment, table, top};
use page::reply::Problem;
use serde::Deserialize;
use store::tables::releases;

/// Which of them.
#[derive(Deserialize)]
pub(super) struct Earlier {
    /// The id of an action: what was done before it.
    antes: Option<String>,
}

pub(super) async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    earlier: Result<Query<Earlier>, QueryRejection>,
) -> Result<Markup, Problem> {
    let db = &pages.desk.app.db;
    let Ok(Query(earlier)) = earlier else {
        return Err(unclear());
    };
    let mut conn = db.read().await.map_err(down)?;
    let rows = match &earlier.antes {
        Some(id) => releases::actions_before(&mut conn, id, READ).await,
        None => releases::actions(&mut conn, READ).await,
    };
    let mut rows = rows.map_err(down)?;
    let has_older = cut(&mut rows);
    let last = rows.last().filter(|_| has_older);
    let none = match earlier.antes {
        Some(_) => "Nenhuma mudança é mais antiga do que essa.",
        None => "Nada foi instalado nem mudado ainda.",
    };
    let content = html! {
        (top("Histórico", "As mudanças de versões, a mais nova primeiro, cem de cada vez.", html! {}))
        @if rows.is_empty() {
            (empty("lista", none, html! {}))
        } @else {
            section class="cartao" {
                (table("Mudanças", &["Quando", "O quê", "Adaptador", "SHA-256", "Quem", "Detalhe"], html! {
                    @for row in &rows {
                        tr {
                            td { (moment(&when::format(when::utc(row.at_ms)))) }
                            td { (word(&row.action)) }
                            td { (row.name) }
                            td class="mono" { (short(&row.digest)) }
                            td { (row.actor) }
                            td class="quebra" { (row.detail) }
                        }
                    }
                }))
            }
        }
        @if let Some(last) = last {
            p { a class="botao secundario" href=(format!("{HISTORY}?antes={}", encoded(&last.id))) { "Mais antigas" } }
        }
    };
    Ok(framed(&operator, HISTORY, "Histórico", content))
}

fn word(action: &str) -> &str {
    match action {
        "install" => "instalou",
        "canary" => "pôs em canário",
        "activate" => "ativou",
        "promote" => "promoveu",
        "rollback" => "desfez",
        "quarantine" => "pôs em quarentena",
        "refuse" => "recusou",
        other => other,
    }
}
