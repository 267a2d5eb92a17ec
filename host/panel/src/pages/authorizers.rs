//! The board of the 27 states: what is known of their authorizers, and the way
//! to ask one of them.

use super::coverage::MAP;
use super::listing::{items, kind};
use crate::Panel;
use crate::form::Sent;
use crate::layout::page;
use crate::parts::{
    alert, done, encoded, field, hidden, moment, reais, select, states, table, top,
};
use crate::reply::{Problem, refusal, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Query;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base::operations;
use data::ufs::{UFS, by_uf};
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

const HERE: &str = "/painel/autorizadores";

/// States by the words of the API: what people call them, colour of the badge,
/// class of a cell of the board.
const STATES: [(&str, &str, &str, &str); 5] = [
    ("em_operacao", "em operação", "selo ok", "bom"),
    (
        "paralisado_temporario",
        "paralisado por pouco tempo",
        "selo aviso",
        "lento",
    ),
    ("paralisado", "paralisado", "selo erro", "mau"),
    ("fora_do_ar", "fora do ar", "selo erro", "mau"),
    ("sem_noticia", "sem notícia", "selo", "nada"),
];

pub fn router() -> Router<Panel> {
    Router::new().route(HERE, get(shown).post(ask))
}

/// What is known, of all states.
pub async fn known(visitor: &Visitor) -> Result<Vec<Value>, Problem> {
    let answer = visitor.get("/api/v1/autorizadores").await?;
    Ok(items(&answer).to_vec())
}

fn state(one: &Value) -> (&'static str, &'static str, &'static str) {
    let word = text(one, "situacao");
    let known = STATES.iter().find(|(known, ..)| *known == word);
    known.map_or(
        ("sem notícia", "selo", "nada"),
        |(_, name, badge, cell)| (*name, *badge, *cell),
    )
}

/// The board as a map of cells, each with the state of NF-e; the worse of both
/// models counts.
pub fn board(known: &[Value]) -> Markup {
    let worst = |uf: &str| {
        let rank = |one: &&Value| match text(one, "situacao") {
            "fora_do_ar" => 5,
            "paralisado" => 4,
            "paralisado_temporario" => 3,
            "em_operacao" => 2,
            _ => 1,
        };
        known
            .iter()
            .filter(|one| text(one, "uf") == uf)
            .max_by_key(rank)
    };
    html! {
        div class="mapa quadro" role="list" aria-label="Situação das SEFAZ por UF" {
            @for row in MAP {
                @for cell in row.split(' ') {
                    @if cell == "." { span role="presentation" {} } @else {
                        @let (name, _, class) = worst(cell).map_or(("sem notícia", "selo", "nada"), state);
                        span role="listitem" class=(class) title=(format!("{cell}: {name}")) { (cell) span class="so-leitor" { ": " (name) } @if class != "nada" { small aria-hidden="true" { (sign(class)) } } }
                    }
                }
            }
        }
        ul class="legenda" {
            li { span class="cor bom" {} "em operação" }
            li { span class="cor lento" {} "paralisada por pouco tempo" }
            li { span class="cor mau" {} "parada ou fora do ar" }
            li { span class="cor nada" {} "sem notícia" }
        }
    }
}

/// A sign beside the colour, for who does not see colours.
fn sign(class: &str) -> &'static str {
    match class {
        "bom" => "ok",
        "lento" => "lenta",
        _ => "parada",
    }
}

/// States of these companies whose authorizer does not work, by name.
pub fn down(known: &[Value], companies: &[Value]) -> Vec<String> {
    let own = |uf: &str| {
        // A municipality's code begins with that of its state.
        let code = by_uf(uf).map(|uf| uf.codigo.to_string());
        code.is_some_and(|code| {
            companies.iter().any(|company| {
                let city = company.pointer("/perfil_fiscal/endereco/codigo_ibge");
                city.and_then(Value::as_str)
                    .is_some_and(|city| city.starts_with(&code))
            })
        })
    };
    let bad = |one: &&Value| {
        let state = text(one, "situacao");
        matches!(state, "fora_do_ar" | "paralisado" | "paralisado_temporario")
            && own(text(one, "uf"))
    };
    known
        .iter()
        .filter(bad)
        .map(|one| {
            let (name, ..) = state(one);
            format!(
                "{} ({}): {name}",
                text(one, "uf"),
                kind(text(one, "modelo"))
            )
        })
        .collect()
}

async fn shown(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let asked = query
        .get("feito")
        .and_then(|asked| UFS.iter().find(|uf| uf.abbreviation == asked));
    let note = match asked {
        Some(uf) => done(&format!("A SEFAZ de {} respondeu.", uf.abbreviation)),
        None => html! {},
    };
    page_with(&visitor, "", note).await
}

async fn page_with(visitor: &Visitor, uf: &str, note: Markup) -> Result<Markup, Problem> {
    let known = known(visitor).await?;
    let names = states();
    let credits = operations::get("nfe.autorizador.status").and_then(operations::Operation::price);
    let credits = credits.unwrap_or(0);
    Ok(page(
        visitor,
        HERE,
        "Situação das SEFAZ",
        html! {
            (top("Situação das SEFAZ", "O que o hub sabe pelas consultas e pelas notas desta conta, sem perguntar a ninguém.", html! {}))
            (note)
            div class="grade larga" {
                section class="cartao" { h2 { "As 27 UFs" } (board(&known)) }
                section class="cartao" {
                    h2 { "Perguntar a uma SEFAZ" }
                    p class="suave" { "A resposta vale por três minutos e aparece no quadro. Precisa do certificado de um emitente." }
                    @if visitor.may(Action::Documentos) {
                        form class="campos" method="post" action=(HERE) {
                            (hidden(visitor))
                            (field("uf", "UF", "", select("uf", &names, uf)))
                            (field("modelo", "Documento", "", select("modelo", &[("55", "NF-e"), ("65", "NFC-e")], "55")))
                            p class="suave pequeno" { "Preço: " (credits) " créditos (" (reais(credits)) ")." }
                            div { button class="botao secundario" { "Perguntar" } }
                        }
                    } @else {
                        p { "O seu papel nesta conta não permite perguntar: a pergunta gasta créditos e usa o certificado da empresa." }
                    }
                }
            }
            section class="cartao" {
                (table("Autorizadores", &["UF", "Documento", "Autorizador", "Situação", "Desde", "Última nota da conta"], html! {
                    @for one in &known {
                        @let (name, badge, _) = state(one);
                        tr {
                            td { (text(one, "uf")) }
                            td { (kind(text(one, "modelo"))) }
                            td { (text(one, "autorizador")) }
                            td { span class=(badge) { (name) } @if !text(one, "proxima_tentativa_em").is_empty() { div class="suave pequeno" { "nova tentativa " (moment(text(one, "proxima_tentativa_em"))) } } }
                            td class="curto" { (moment(text(one, "em"))) }
                            td class="curto" { (moment(text(one, "ultima_autorizacao_em"))) }
                        }
                    }
                }))
            }
        },
    ))
}

async fn ask(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    // It costs credits and is asked with the certificate of a company.
    visitor.must(Action::Documentos)?;
    let uf = fields.get("uf");
    let kind = match fields.get("modelo") {
        "65" => "nfce",
        _ => "nfe",
    };
    let path = format!("/api/v1/{kind}/autorizador/status?uf={}", encoded(uf));
    let reply = visitor.ask(Method::GET, &path, None).await?;
    if !reply.ok() {
        let note = match reply.status {
            503 => alert(&format!("A SEFAZ de {uf} não respondeu.")),
            _ => refusal(&reply),
        };
        let page = page_with(visitor, uf, note).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    Ok(Redirect::to(&format!("{HERE}?feito={}", encoded(uf))).into_response())
}
