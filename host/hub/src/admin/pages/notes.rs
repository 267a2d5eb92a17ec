//! `/operador/notas`: notes whose result is not known, what to do about each, and the
//! question that can be asked now.

use super::frame::{NO_REASON, NOTES, action, page as framed};
use super::{ACTOR, FORM, Operator, Pages, down, failed, nowhere, unclear};
use crate::admin::asked::{InPath, named};
use crate::admin::notes::{MINUTES, MOST_MINUTES, Shown, Stuck, found, heard};
use crate::admin::reason::{line, sentence};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use page::parts::{alert, ambiente, done, empty, encoded, field, moment, status, table, top};
use page::reply::Problem;
use serde::Deserialize;
use store::ids::NotaId;

pub(super) fn routes() -> Router<Pages> {
    Router::new()
        .route(NOTES, get(page))
        .route("/operador/notas/{nota}", get(async || nowhere()).post(ask))
}

/// Which notes, and what was done before.
#[derive(Default, Deserialize)]
struct Wanted {
    #[serde(default)]
    minutos: String,
    /// Those after this one.
    #[serde(default)]
    depois: String,
    #[serde(default)]
    feito: String,
}

impl Wanted {
    /// The least age that is asked for; that of the page, where it is none.
    fn minutes(&self) -> i64 {
        let asked = self.minutos.trim().parse().ok();
        let asked = asked.filter(|minutes| (0..=MOST_MINUTES).contains(minutes));
        asked.unwrap_or(MINUTES)
    }
}

async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Markup, Problem> {
    let Ok(Query(wanted)) = wanted else {
        return Err(unclear());
    };
    let told = match wanted.feito.as_str() {
        "resultado" => Some("A autoridade respondeu, e o resultado da nota é conhecido agora."),
        "nada" => Some(
            "A consulta foi feita, e a autoridade ainda não disse o que fez da nota. O hub continua perguntando.",
        ),
        _ => None,
    };
    let notice = html! { @if let Some(told) = told { (done(told)) } };
    listed(&pages, &operator, &wanted, notice).await
}

async fn listed(
    pages: &Pages,
    operator: &Operator,
    wanted: &Wanted,
    notice: Markup,
) -> Result<Markup, Problem> {
    let minutes = wanted.minutes();
    let stuck = found(&pages.desk, minutes, &wanted.depois).await;
    let stuck = stuck.map_err(down)?;
    let sentence = "Notas que a autoridade ainda não respondeu, a mais antiga primeiro. O crédito fica reservado, e o hub pergunta sozinho.";
    let content = html! {
        (top("Notas sem resultado", sentence, html! {}))
        (notice)
        (search(minutes))
        (rows(operator, &stuck))
        @if let Some(last) = &stuck.proxima {
            p { a class="botao secundario" href=(format!("{NOTES}?minutos={minutes}&depois={}", encoded(last))) { "Mais novas" } }
        }
    };
    Ok(framed(operator, NOTES, "Notas sem resultado", content))
}

fn search(minutes: i64) -> Markup {
    let input = html! {
        input id="minutos" name="minutos" type="number" min="0" max=(MOST_MINUTES) value=(minutes) aria-describedby="minutos-dica";
    };
    html! {
        form class="cartao campos" method="get" action=(NOTES) {
            (field("minutos", "Criadas há pelo menos, em minutos", "0 mostra também as que estão a caminho.", input))
            button class="botao secundario" { "Mostrar" }
        }
    }
}

fn rows(operator: &Operator, stuck: &Stuck) -> Markup {
    if stuck.notas.is_empty() {
        return empty("folha", "Nenhuma nota espera há tanto tempo.", html! {});
    }
    let head = [
        "Nota",
        "Conta",
        "Criada em",
        "Próxima consulta",
        "Motivo e o que fazer",
        "Ações",
    ];
    html! {
        section class="cartao" {
            (table("Notas sem resultado", &head, html! {
                @for nota in &stuck.notas { (row(operator, nota)) }
            }))
        }
    }
}

fn row(operator: &Operator, nota: &Shown) -> Markup {
    let to = format!("{NOTES}/{}", encoded(&nota.nota_id));
    html! {
        tr {
            td class="quebra" {
                strong { (nota.modelo.title()) " " (nota.serie) "/" (nota.numero) }
                div class="suave pequeno mono" { (nota.nota_id) }
                div class="suave pequeno" { (ambiente(nota.ambiente.as_str())) " " (nota.sistema) }
                (status(nota.situacao.as_str()))
            }
            td class="quebra" {
                a href=(format!("/operador/contas/{}", encoded(&nota.conta.id))) { (nota.conta.nome) }
            }
            td { (moment(&nota.criada_em)) }
            td {
                @match &nota.proxima_consulta_em {
                    Some(at) => (moment(at)),
                    None => span class="suave" { "–" },
                }
            }
            td class="quebra" {
                div { (nota.motivo) }
                div class="suave" { (nota.o_que_fazer) }
            }
            td {
                @if nota.pode_consultar {
                    (action(operator, (&to, &nota.nota_id), "Consultar agora", html! {}))
                }
            }
        }
    }
}

async fn ask(
    State(pages): State<Pages>,
    operator: Operator,
    path: InPath<NotaId>,
    request: Request,
) -> Result<Response, Response> {
    let Some(id) = named(path) else {
        return Err(nowhere().into_response());
    };
    let fields = operator.form(request, FORM).await?;
    let Some(reason) = line(fields.get("motivo")) else {
        return told(&pages, &operator, NO_REASON).await;
    };
    match heard(&pages.desk, &id, &reason, ACTOR).await {
        Ok(heard) => {
            let done = if heard.mudou { "resultado" } else { "nada" };
            Ok(Redirect::to(&format!("{NOTES}?feito={done}")).into_response())
        }
        Err(failure) => match sentence(&failure) {
            Some(why) => told(&pages, &operator, &why).await,
            None => Err(failed(failure).into_response()),
        },
    }
}

/// The list with the sentence that says why nobody was asked.
async fn told(pages: &Pages, operator: &Operator, why: &str) -> Result<Response, Response> {
    let page = listed(pages, operator, &Wanted::default(), alert(why)).await;
    let page = page.map_err(IntoResponse::into_response)?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}
