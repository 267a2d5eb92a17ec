//! `/operador/acoes`: what operators did, with the reasons they gave.

use super::frame::{ACTIONS, page as framed};
use super::{Operator, Pages, down, unclear};
use crate::admin::actions::found;
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::routing::get;
use maud::{Markup, html};
use page::names::change_named;
use page::parts::{empty, encoded, moment, table, top};
use page::reply::Problem;
use serde::Deserialize;

pub(super) fn routes() -> Router<Pages> {
    Router::new().route(ACTIONS, get(page))
}

#[derive(Deserialize)]
struct Earlier {
    /// The id of an action: what was done before it.
    #[serde(default)]
    antes: String,
}

async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    earlier: Result<Query<Earlier>, QueryRejection>,
) -> Result<Markup, Problem> {
    let Ok(Query(earlier)) = earlier else {
        return Err(unclear());
    };
    let actions = found(&pages.desk, &earlier.antes).await.map_err(down)?;
    let none = if earlier.antes.is_empty() {
        "Nenhum operador fez nada ainda."
    } else {
        "Nenhuma ação é mais antiga do que essa."
    };
    let sentence = "O que operadores fizeram com contas, notas, entregas, autorizadores, adaptadores e com o próprio hub, do mais novo ao mais antigo. Nada aqui pode ser mudado ou apagado.";
    let head = ["Quando", "Ação", "Alvo", "Conta", "Quem", "Motivo"];
    let content = html! {
        (top("Ações", sentence, html! {}))
        @if actions.acoes.is_empty() {
            (empty("certo", none, html! {}))
        } @else {
            section class="cartao" {
                (table("Ações", &head, html! {
                    @for row in &actions.acoes {
                        tr {
                            td { (moment(&row.em)) }
                            td { (change_named(&row.acao)) }
                            td class="quebra mono" { (row.alvo) }
                            td class="quebra mono" {
                                @if let Some(account) = &row.conta_id {
                                    a href=(format!("/operador/contas/{}", encoded(account))) { (account) }
                                } @else { span class="suave" { "–" } }
                            }
                            td { (row.quem) }
                            td class="quebra" { (row.motivo) }
                        }
                    }
                }))
            }
        }
        @if let Some(last) = &actions.proxima {
            p { a class="botao secundario" href=(format!("{ACTIONS}?antes={}", encoded(last))) { "Mais antigas" } }
        }
    };
    Ok(framed(&operator, ACTIONS, "Ações", content))
}
