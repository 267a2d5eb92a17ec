//! `/operador/autorizadores`: who authorizes product notes and transport documents, who of
//! them this hub leaves alone, and ending such a pause.

use super::frame::{AUTHORIZERS, NO_REASON, action, page as framed};
use super::{ACTOR, FORM, Operator, Pages, failed, unclear};
use crate::admin::authorizers::{Authorizers, Company, Paused, Shown, closed, found};
use crate::admin::reason::{line, sentence};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use page::parts::{alert, ambiente, cnpj, done, empty, encoded, moment, table, top, whole};
use page::reply::Problem;
use serde::Deserialize;

pub(super) fn routes() -> Router<Pages> {
    Router::new().route(AUTHORIZERS, get(page).post(close))
}

/// What was done before, told above the page.
#[derive(Deserialize)]
struct Before {
    #[serde(default)]
    feito: String,
}

async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    before: Result<Query<Before>, QueryRejection>,
) -> Result<Markup, Problem> {
    let Ok(Query(before)) = before else {
        return Err(unclear());
    };
    let told = match before.feito.as_str() {
        "encerrar" => Some("A pausa terminou: a próxima chamada vai ao autorizador."),
        "nada" => Some("Nada mudou: o autorizador não estava em pausa neste hub."),
        _ => None,
    };
    let notice = html! { @if let Some(told) = told { (done(told)) } };
    Ok(shown(&pages, &operator, notice))
}

fn shown(pages: &Pages, operator: &Operator, notice: Markup) -> Markup {
    let all = found(&pages.desk);
    let sentence = "Depois de uma falha, o hub não chama o autorizador por meio minuto e então tenta de novo. Cada processo do hub decide por si: esta página mostra o que vale neste.";
    let content = html! {
        (top("Autorizadores", sentence, html! {}))
        (notice)
        (pauses(operator, &all))
        section class="cartao" {
            h2 { "Empresas em espera" }
            p class="suave" { "A autoridade disse que elas consultam demais (cStat 656 ou 678). Perguntar antes da hora alonga a espera: não há como encerrá-la aqui." }
            (companies(&all.empresas_em_espera))
        }
        section class="cartao" {
            h2 { "Todos" }
            (table("Autorizadores", &["Autorizador", "Ambiente", "Endereços", "Situação"], html! {
                @for one in &all.autorizadores {
                    tr {
                        td class="quebra" { strong { (one.autorizador) } div class="suave pequeno" { (one.nome) } }
                        td { (ambiente(one.ambiente.as_str())) }
                        td class="quebra" { @for host in &one.hosts { div class="pequeno mono" { (host) } } }
                        td { (state(one)) }
                    }
                }
            }))
        }
    };
    framed(operator, AUTHORIZERS, "Autorizadores", content)
}

fn state(one: &Shown) -> Markup {
    match &one.pausa {
        Some(_) => html! { span class="selo erro" { "em pausa" } },
        None => html! { span class="selo ok" { "em uso" } },
    }
}

fn pauses(operator: &Operator, all: &Authorizers) -> Markup {
    let open: Vec<(&Shown, &Paused)> = all
        .autorizadores
        .iter()
        .filter_map(|one| Some((one, one.pausa.as_ref()?)))
        .collect();
    html! {
        section class="cartao" {
            h2 { "Em pausa agora" }
            @if open.is_empty() {
                (empty("certo", "Nenhum autorizador está em pausa neste hub.", html! {}))
            } @else {
                (table("Em pausa", &["Autorizador", "Desde", "Próxima tentativa", "Motivo", "Falhas", "Ações"], html! {
                    @for (one, pause) in &open { (row(operator, one, pause)) }
                }))
            }
        }
    }
}

fn row(operator: &Operator, one: &Shown, pause: &Paused) -> Markup {
    let ambiente_of = one.ambiente.as_str();
    let id = format!("{}-{ambiente_of}", one.autorizador);
    html! {
        tr {
            td class="quebra" { strong { (one.autorizador) } div class="suave pequeno" { (ambiente(ambiente_of)) } }
            td { (moment(&pause.desde)) }
            td { (moment(&pause.ate)) }
            td class="quebra" { (pause.motivo) }
            td { (whole(i64::from(pause.falhas))) }
            td {
                (action(operator, (AUTHORIZERS, &id), "Encerrar a pausa", html! {
                    input type="hidden" name="autorizador" value=(one.autorizador);
                    input type="hidden" name="ambiente" value=(ambiente_of);
                }))
            }
        }
    }
}

fn companies(rows: &[Company]) -> Markup {
    if rows.is_empty() {
        return empty("loja", "Nenhuma empresa espera.", html! {});
    }
    table(
        "Empresas em espera",
        &["Empresa", "Autoridade", "Desde", "Até"],
        html! {
            @for row in rows {
                tr {
                    td class="mono" { a href=(format!("/operador/contas?busca={}", encoded(&row.cnpj))) { (cnpj(&row.cnpj)) } }
                    td class="quebra mono pequeno" { (row.host) }
                    td { (moment(&row.desde)) }
                    td { (moment(&row.ate)) }
                }
            }
        },
    )
}

async fn close(
    State(pages): State<Pages>,
    operator: Operator,
    request: Request,
) -> Result<Response, Response> {
    let fields = operator.form(request, FORM).await?;
    let told = |why: &str| {
        let page = shown(&pages, &operator, alert(why));
        (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
    };
    let Some(reason) = line(fields.get("motivo")) else {
        return Ok(told(NO_REASON));
    };
    let Ok(of) = fields.get("ambiente").parse() else {
        return Ok(told(
            "O formulário não diz qual ambiente. Recarregue a página.",
        ));
    };
    match closed(&pages.desk, (fields.get("autorizador"), of), &reason, ACTOR).await {
        Ok(ended) => {
            let done = if ended { "encerrar" } else { "nada" };
            Ok(Redirect::to(&format!("{AUTHORIZERS}?feito={done}")).into_response())
        }
        Err(failure) => match sentence(&failure) {
            Some(why) => Ok(told(&why)),
            None => Err(failed(failure).into_response()),
        },
    }
}
