//! `/operador/entregas`: webhook deliveries that did not arrive, without what they carry.

use super::frame::{DELIVERIES, NO_REASON, action, page as framed};
use super::{ACTOR, FORM, Operator, Pages, down, failed, nowhere, unclear};
use crate::admin::asked::{InPath, named};
use crate::admin::deliveries::{Open, Shown, found, resent, state};
use crate::admin::reason::{line, sentence};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use page::parts::{alert, done, empty, encoded, field, moment, select, status, table, top, whole};
use page::reply::Problem;
use serde::Deserialize;
use store::ids::DeliveryId;
use store::tables::deliveries::DeliveryStatus;

/// Choices of the page, with their words.
const STATES: [(&str, &str); 3] = [
    ("", "pendentes e que falharam"),
    ("pendente", "pendentes"),
    ("falhou", "que falharam"),
];

pub(super) fn routes() -> Router<Pages> {
    Router::new().route(DELIVERIES, get(page)).route(
        "/operador/entregas/{entrega}",
        get(async || nowhere()).post(again),
    )
}

/// Which deliveries, and what was done before.
#[derive(Default, Deserialize)]
struct Wanted {
    #[serde(default)]
    situacao: String,
    /// Those made before this one.
    #[serde(default)]
    antes: String,
    #[serde(default)]
    feito: String,
}

async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Markup, Problem> {
    let Ok(Query(wanted)) = wanted else {
        return Err(unclear());
    };
    let again = wanted.feito == "reenviar";
    let notice = html! { @if again { (done("A entrega será tentada de novo em seguida.")) } };
    listed(&pages, &operator, &wanted, notice).await
}

async fn listed(
    pages: &Pages,
    operator: &Operator,
    wanted: &Wanted,
    notice: Markup,
) -> Result<Markup, Problem> {
    let chosen = state(&wanted.situacao);
    let open = found(&pages.desk, chosen, &wanted.antes).await;
    let open = open.map_err(down)?;
    let sentence = "Entregas de webhooks que não chegaram, de todas as contas, a mais nova primeiro. O conteúdo delas só a conta vê.";
    let word = chosen.map_or("", DeliveryStatus::as_str);
    let content = html! {
        (top("Entregas", sentence, html! {}))
        (notice)
        form class="cartao campos" method="get" action=(DELIVERIES) {
            (field("situacao", "Mostrar", "", select("situacao", &STATES, word)))
            button class="botao secundario" { "Mostrar" }
        }
        (rows(operator, &open))
        @if let Some(last) = &open.proxima {
            p { a class="botao secundario" href=(format!("{DELIVERIES}?situacao={word}&antes={}", encoded(last))) { "Mais antigas" } }
        }
    };
    Ok(framed(operator, DELIVERIES, "Entregas", content))
}

fn rows(operator: &Operator, open: &Open) -> Markup {
    if open.entregas.is_empty() {
        return empty("sino", "Nenhuma entrega espera ou falhou.", html! {});
    }
    let head = [
        "Entrega",
        "Conta",
        "Situação",
        "Tentativas",
        "Criada em",
        "Próxima tentativa",
        "Ações",
    ];
    html! {
        section class="cartao" {
            (table("Entregas", &head, html! {
                @for delivery in &open.entregas { (row(operator, delivery)) }
            }))
        }
    }
}

fn row(operator: &Operator, delivery: &Shown) -> Markup {
    let to = format!("{DELIVERIES}/{}", encoded(&delivery.entrega_id));
    html! {
        tr {
            td class="quebra" {
                strong { (delivery.tipo) }
                div class="suave pequeno" { (if delivery.host.is_empty() { "webhook removido" } else { &delivery.host }) }
                div class="suave pequeno mono" { (delivery.entrega_id) }
            }
            td class="quebra" { a href=(format!("/operador/contas/{}", encoded(&delivery.conta.id))) { (delivery.conta.nome) } }
            td {
                (status(delivery.situacao.as_str()))
                @if !delivery.motivo.is_empty() { div class="suave pequeno" { (delivery.motivo) } }
            }
            td {
                (whole(delivery.tentativas))
                div class="suave pequeno" {
                    @match delivery.ultimo_status {
                        Some(200..=299) => { "recebida" },
                        Some(status) => { "respondeu com erro (HTTP " (status) ")" },
                        None if delivery.tentativas > 0 => { "sem resposta" },
                        None => {},
                    }
                }
            }
            td { (moment(&delivery.criada_em)) }
            td {
                @match &delivery.proxima_tentativa_em {
                    Some(at) => (moment(at)),
                    None => span class="suave" { "–" },
                }
            }
            td {
                @if delivery.situacao == DeliveryStatus::Failed {
                    (action(operator, (&to, &delivery.entrega_id), "Reenviar", html! {}))
                }
            }
        }
    }
}

async fn again(
    State(pages): State<Pages>,
    operator: Operator,
    path: InPath<DeliveryId>,
    request: Request,
) -> Result<Response, Response> {
    let Some(id) = named(path) else {
        return Err(nowhere().into_response());
    };
    let fields = operator.form(request, FORM).await?;
    let Some(reason) = line(fields.get("motivo")) else {
        return told(&pages, &operator, NO_REASON).await;
    };
    match resent(&pages.desk, &id, &reason, ACTOR).await {
        Ok(_) => Ok(Redirect::to(&format!("{DELIVERIES}?feito=reenviar")).into_response()),
        Err(failure) => match sentence(&failure) {
            Some(why) => told(&pages, &operator, &why).await,
            None => Err(failed(failure).into_response()),
        },
    }
}

/// The list with the sentence that says why nothing is sent again.
async fn told(pages: &Pages, operator: &Operator, why: &str) -> Result<Response, Response> {
    let page = listed(pages, operator, &Wanted::default(), alert(why)).await;
    let page = page.map_err(IntoResponse::into_response)?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}
