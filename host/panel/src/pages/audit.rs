//! What people and keys did to the account.

use crate::Panel;
use crate::layout::page;
use crate::names::{capital, change_named};
use crate::parts::{ambiente, empty, moment, table, top};
use crate::reply::Problem;
use crate::visitor::Visitor;
use axum::Router;
use axum::extract::Query;
use axum::routing::get;
use base::when;
use maud::{Markup, html};
use std::collections::BTreeMap;
use store::tables::audit;

const ROWS: i64 = 50;

pub fn router() -> Router<Panel> {
    Router::new().route("/painel/auditoria", get(list))
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let before = query.get("antes").map_or("", String::as_str);
    let account = &visitor.session.row.account_id;
    let mut conn = visitor
        .panel
        .app
        .db
        .walk(account)
        .await
        .map_err(anyhow::Error::from)?;
    let rows = audit::list(&mut conn, account, before, ROWS)
        .await
        .map_err(anyhow::Error::from)?;
    drop(conn);
    let next = rows
        .last()
        .filter(|_| i64::try_from(rows.len()).unwrap_or(0) == ROWS);
    Ok(page(
        &visitor,
        "/painel/auditoria",
        "Auditoria",
        html! {
            (top("Auditoria", "Quem fez o quê nesta conta. Nada aqui pode ser mudado ou apagado.", html! {}))
            section class="cartao auditoria" {
                @if rows.is_empty() { (empty("lista", "Nada ainda.", html! {})) } @else {
                    (table("Auditoria", &["Quando", "Ação", "Alvo", "Quem"], html! {
                        @for row in &rows {
                            tr {
                                td class="curto" { (moment(&when::rfc3339(row.at_ms))) }
                                td class="texto" { (change_named(&row.action)) }
                                td class="quebra" {
                                    span class="mono" { (row.target) }
                                    @if !row.detail.is_empty() { div class="suave pequeno" { (detail(&row.action, &row.detail)) } }
                                }
                                td class="quebra" {
                                    (row.actor)
                                    @if !row.ip.is_empty() { div class="suave pequeno mono" { (row.ip) } }
                                }
                            }
                        }
                    }))
                }
                @if let Some(last) = next {
                    nav class="paginas" aria-label="Páginas" { a class="botao secundario mini" href=(format!("/painel/auditoria?antes={}", last.id)) { "Mais antigos" } }
                }
            }
        },
    ))
}

/// What a change was, as people read it.
fn detail(action: &str, stored: &str) -> String {
    match action {
        "emitente.ambiente" => capital(ambiente(stored)),
        _ => stored.to_owned(),
    }
}
