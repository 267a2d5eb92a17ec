//! Credits: balance, packages and purchase, statement.

use super::inicio::items;
use crate::panel::Panel;
use crate::panel::layout::page;
use crate::panel::parts::{empty, encoded, moment, pager, reais, stat, table, top, whole};
use crate::panel::reply::{Problem, text};
use crate::panel::visitor::Visitor;
use axum::Router;
use axum::extract::Query;
use axum::routing::get;
use maud::{Markup, html};
use std::collections::BTreeMap;

pub fn router() -> Router<Panel> {
    Router::new().route("/painel/creditos", get(credits))
}

async fn credits(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let balance = visitor.get("/api/v1/creditos").await?;
    let cursor = query.get("cursor").map_or(String::new(), |cursor| {
        format!("&cursor={}", encoded(cursor))
    });
    let statement = visitor
        .get(&format!("/api/v1/creditos/extrato?limite=25{cursor}"))
        .await?;
    let number = |name: &str| balance[name].as_i64().unwrap_or(0);
    Ok(page(
        &visitor,
        "/painel/creditos",
        "Créditos",
        html! {
            (top("Créditos", "1 crédito vale R$ 0,01. Não há mensalidade, e os créditos não vencem.", html! {}))
            div class="grade" {
                (stat("Disponível", &reais(number("disponivel")), html! { div class="rotulo" { (whole(number("disponivel"))) " créditos" } }))
                (stat("Reservado", &whole(number("reservado")), html! { div class="rotulo" { "em notas sem resultado ainda" } }))
                (stat("Presente", &whole(number("presente")), html! { div class="rotulo" { "gasto primeiro, não reembolsável" } }))
                (stat("Comprado", &whole(number("comprado")), html! {}))
            }
            section class="cartao" {
                h2 { "Extrato" }
                @if items(&statement).is_empty() { (empty("Nenhum movimento.", html! {})) } @else {
                    (table("Extrato", &["Quando", "Tipo", "Operação", "Créditos", "Saldo"], html! {
                        @for item in items(&statement) {
                            tr {
                                td class="curto" { (moment(text(item, "em"))) }
                                td { (text(item, "tipo")) }
                                td {
                                    @let nota = text(item, "nota_id");
                                    @if nota.is_empty() { (text(item, "operacao")) } @else { a href=(format!("/painel/documentos/{nota}")) { (text(item, "operacao")) } }
                                }
                                td class="num" { (whole(item["creditos"].as_i64().unwrap_or(0))) }
                                td class="num" { (whole(item["saldo_apos"].as_i64().unwrap_or(0))) }
                            }
                        }
                    }))
                    (pager("/painel/creditos", "", &statement))
                }
            }
        },
    ))
}
