//! The overview: balance, calls and credits of a month, last documents.

use super::uso;
use crate::Panel;
use crate::chart::bars;
use crate::confirmar::reminder;
use crate::layout::page;
use crate::parts::{
    self, ambiente, done, empty, icon, issue, moment, money, reais, stat, status, table, top, whole,
};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::Router;
use axum::extract::Query;
use axum::routing::get;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

pub fn router() -> Router<Panel> {
    Router::new().route("/painel", get(overview))
}

async fn overview(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let credits = visitor.get("/api/v1/creditos").await?;
    let usage = visitor.get("/api/v1/usage?agrupar=dia").await?;
    let emitters = visitor.get("/api/v1/emitters?limite=100").await?;
    let documents = latest(&visitor).await?;
    let days = uso::series(&usage);
    let calls: Vec<(String, i64)> = days
        .iter()
        .map(|day| (day.label.clone(), day.calls))
        .collect();
    let asked: i64 = days.iter().map(|day| day.calls).sum();
    let spent: i64 = days.iter().map(|day| day.spent).sum();
    let balance = credits["disponivel"].as_i64().unwrap_or(0);
    let held = credits["reservado"].as_i64().unwrap_or(0);
    let notices = certificates(&emitters);
    Ok(page(
        &visitor,
        "/painel",
        "Visão geral",
        html! {
            (top("Visão geral", "O que aconteceu nos últimos 30 dias.", html! {
                a class="botao" href=(issue(&visitor)) { (icon("mais")) "Emitir uma nota" }
            }))
            @if query.contains_key("bem-vindo") {
                (done("Conta criada. Comece emitindo uma nota de teste: não é preciso certificado, e nada é cobrado."))
            }
            @if query.contains_key("confirmacao") { (done("Enviamos outro link; olhe a sua caixa de entrada.")) }
            (reminder(&visitor))
            @for notice in &notices { div class="aviso-caixa aviso" { p { (notice) } } }
            div class="grade" {
                (stat("Saldo", &reais(balance), html! {
                    div class="rotulo" { (whole(balance)) " créditos" @if held > 0 { ", " (whole(held)) " reservados" } }
                }))
                (stat("Gasto", &reais(spent), html! { div class="rotulo" { (whole(spent)) " créditos" } }))
                (stat("Chamadas", &whole(asked), html! {
                    a class="pequeno" href="/painel/uso" { "Ver o uso" }
                }))
                (stat("Emitentes", &whole(i64::try_from(items(&emitters).len()).unwrap_or(0)), html! {
                    a class="pequeno" href="/painel/emitentes" { "Ver certificados" }
                }))
            }
            @if items(&emitters).is_empty() || documents.is_empty() { (first_steps(&visitor, !items(&emitters).is_empty())) }
            @if !documents.is_empty() {
                section class="cartao" {
                    div class="cabeca" { h2 { "Últimos documentos" } a class="pequeno" href="/painel/documentos" { "Ver todos" } }
                    (rows(&visitor, &documents))
                }
            }
            section class="cartao" {
                h2 { "Chamadas por dia" }
                @if asked == 0 {
                    (empty("barras", "As chamadas feitas com as chaves desta conta aparecem aqui.", html! { a class="botao secundario" href="/painel/chaves" { "Ver as chaves" } }))
                } @else { (bars("Chamadas por dia", ("chamada", "chamadas"), &calls)) }
            }
        },
    ))
}

/// What leads to a first note, until there is one. `emitter`: there is a
/// company.
fn first_steps(visitor: &Visitor, emitter: bool) -> Markup {
    let kind = if visitor.live() { "" } else { " de teste" };
    let step = |number: &str, done: bool, (href, word): (&str, &str), sentence: &str| {
        html! {
            li class=[done.then_some("feito")] {
                span class="disco" { @if done { (icon("certo")) } @else { (number) } }
                div {
                    a href=(href) { (word) } @if done { span class="so-leitor" { " (feito)" } }
                    div class="suave pequeno" { (sentence) }
                }
            }
        }
    };
    let words = format!("Emita uma nota{kind}");
    let example = if visitor.live() {
        "Pelo formulário; antes de emitir, ele mostra o total e o preço."
    } else {
        "Pelo formulário, com um exemplo já preenchido."
    };
    html! {
        section class="cartao" {
            h2 { "Primeiros passos" }
            ol class="passos" {
                (step("1", emitter, ("/painel/emitentes", "Cadastre um emitente"), "A empresa que assina as notas: CNPJ e endereço bastam para testar."))
                (step("2", false, (&issue(visitor), &words), example))
                (step("3", false, ("/painel/chaves", "Crie uma chave de API"), "Para o seu sistema emitir sozinho."))
                (step("4", false, ("/docs", "Leia a documentação"), "Cada operação com o seu corpo e as suas respostas."))
            }
        }
    }
}

/// The newest documents of every kind.
async fn latest(visitor: &Visitor) -> Result<Vec<Value>, Problem> {
    let mut all = Vec::new();
    for list in ["/api/v1/nfe?limite=6", "/api/v1/nfse?limite=6"] {
        all.extend(items(&visitor.get(list).await?).iter().cloned());
    }
    all.sort_by(|one, other| text(other, "criada_em").cmp(text(one, "criada_em")));
    all.truncate(6);
    Ok(all)
}

/// Items of a listing.
pub fn items(answer: &Value) -> &[Value] {
    answer["itens"].as_array().map_or(&[], Vec::as_slice)
}

/// Documents as a table; used by the list of them, too.
pub fn rows(visitor: &Visitor, documents: &[Value]) -> Markup {
    let live = visitor.live();
    table(
        "Documentos",
        &["Documento", "Destinatário", "Valor", "Estado", "Criada em"],
        html! {
            @for document in documents {
                tr {
                    td {
                        a href=(parts::document(text(document, "nota_id"), visitor.ambiente())) { (title(document)) }
                    }
                    td { (recipient(document).unwrap_or(if text(document, "modelo") == "65" { "Consumidor" } else { "–" })) }
                    td class="num" { (money(value_of(document))) }
                    td {
                        (status(text(document, "status")))
                        @if live && text(document, "ambiente") != "producao" { " " span class="selo" { (ambiente(text(document, "ambiente"))) } }
                    }
                    td class="curto" { (moment(text(document, "criada_em"))) }
                }
            }
        },
    )
}

/// `NF-e 1/1523`.
pub fn title(document: &Value) -> String {
    let kind = match text(document, "modelo") {
        "55" => "NF-e",
        "65" => "NFC-e",
        "nfse" => "NFS-e",
        _ => "Documento",
    };
    let number = ["/numero", "/numero_nfse", "/rps/numero"]
        .iter()
        .filter_map(|at| document.pointer(at))
        .map(|number| number.to_string().trim_matches('"').to_owned())
        .find(|number| !matches!(number.as_str(), "" | "0" | "null"));
    match number {
        Some(number) => format!("{kind} {number}"),
        None => format!("{kind} (rascunho)"),
    }
}

/// Name of the other party.
pub fn recipient(document: &Value) -> Option<&str> {
    ["/destinatario/nome", "/tomador/nome"]
        .iter()
        .filter_map(|at| document.pointer(at)?.as_str())
        .find(|name| !name.is_empty())
}

/// The document's amount, wherever its kind keeps it.
pub fn value_of(document: &Value) -> &Value {
    let places = ["/valor_total", "/valor", "/valores/servico", "/totais/nota"];
    places
        .iter()
        .filter_map(|at| document.pointer(at))
        .find(|value| !value.is_null())
        .unwrap_or(&Value::Null)
}

/// Certificates that end soon.
fn certificates(emitters: &Value) -> Vec<String> {
    items(emitters)
        .iter()
        .filter_map(|emitter| {
            let state = emitter.pointer("/certificado/situacao")?.as_str()?;
            let days = emitter.pointer("/certificado/dias_restantes")?.as_i64()?;
            let name = text(emitter, "razao_social");
            match state {
                "vencido" => Some(format!(
                    "O certificado de {name} venceu: as notas dela não podem ser assinadas."
                )),
                "vence_em_breve" => Some(format!("O certificado de {name} vence em {days} dias.")),
                _ => None,
            }
        })
        .collect()
}
