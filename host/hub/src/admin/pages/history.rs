//! `/operador/historico`: who did what with releases, and when.

use super::frame::{HISTORY, page as framed};
use super::{Operator, Pages};
use crate::releases::short;
use axum::extract::State;
use base::when;
use maud::{Markup, html};
use panel::parts::{empty, moment, table, top};
use panel::reply::Problem;
use store::tables::releases;

/// Actions that are shown.
const SHOWN: i64 = 100;

pub(super) async fn page(
    State(pages): State<Pages>,
    operator: Operator,
) -> Result<Markup, Problem> {
    let db = &pages.desk.app.db;
    let mut conn = db.read().await.map_err(anyhow::Error::from)?;
    let rows = releases::actions(&mut conn, SHOWN).await;
    let rows = rows.map_err(anyhow::Error::from)?;
    let content = html! {
        (top("Histórico", "As cem últimas mudanças de versões, a mais nova primeiro.", html! {}))
        @if rows.is_empty() {
            (empty("lista", "Nada foi instalado nem mudado ainda.", html! {}))
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
