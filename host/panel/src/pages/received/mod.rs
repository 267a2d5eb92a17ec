//! Notes that others issued against the account's companies, and what the
//! companies say of them (manifestation).

mod list;
mod selection;

use super::companies::Companies;
use super::document::content::{Content, product_of, shown as content_of};
use super::document::files::{File, name_of_received, unknown};
use super::emitter::inputs::AUTOMATIC;
use super::listing::items;
use crate::Panel;
use crate::form::hidden_of;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Keyed, Sent};
use crate::layout::page;
use crate::once;
use crate::parts::{
    self, ambiente, copy, done, encoded, field, hidden, hidden_as, moment, money, reais, select,
    status, table, top,
};
use crate::reply::{Problem, attached, refusal, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base::operations;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use issuing::document::print;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const HERE: &str = "/painel/recebidas";

/// What a company can say of a note: word of the API, name, what it means.
const SAID: [(&str, &str, &str); 4] = [
    (
        "ciencia",
        "Ciência da operação",
        "A empresa sabe da nota; libera o XML completo. Não confirma nada.",
    ),
    (
        "confirmacao",
        "Confirmação da operação",
        "A operação aconteceu como a nota diz.",
    ),
    (
        "desconhecimento",
        "Desconhecimento da operação",
        "A empresa não pediu isto e não sabe do que se trata.",
    ),
    (
        "nao_realizada",
        "Operação não realizada",
        "A empresa pediu, mas a operação não se completou. Exige justificativa.",
    ),
];
const MANIFESTED: &[(&str, &str)] = &[
    ("", "Todas"),
    ("nenhuma", "Sem manifestação"),
    ("ciencia", "Ciência"),
    ("confirmacao", "Confirmadas"),
    ("desconhecimento", "Desconhecidas"),
    ("nao_realizada", "Não realizadas"),
];
const COMPLETE: &[(&str, &str)] = &[
    ("", "Todas"),
    ("1", "Com XML completo"),
    ("0", "Só o resumo"),
];

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(list::page_of))
        .route("/painel/recebidas/csv", get(list::download))
        .route(
            "/painel/recebidas/ciencia",
            get(selection::page_of).post(selection::say),
        )
        .route("/painel/recebidas/consultar", get(ask).post(consult))
        .route("/painel/recebidas/{chave}", get(one))
        .route("/painel/recebidas/{chave}/manifestar", post(manifest))
        .route("/painel/recebidas/{chave}/{arquivo}", get(download))
}

fn name(note: &Value) -> &str {
    match text(&note["emitente"], "nome") {
        "" => "Fornecedor sem nome",
        name => name,
    }
}

/// Its number: the digits 26 to 34 of the access key.
fn number(chave: &str) -> &str {
    part(chave, 25, 34)
}

/// Its series: the digits 23 to 25 of the access key.
fn series(chave: &str) -> &str {
    part(chave, 22, 25)
}

/// A number that stands in the key, without zeros in front; empty where the key is none.
fn part(chave: &str, from: usize, until: usize) -> &str {
    let digits = chave.get(from..until).unwrap_or_default();
    match digits.trim_start_matches('0') {
        "" if !digits.is_empty() => "0",
        digits => digits,
    }
}

/// `NF-e 1523`.
fn titled(note: &Value) -> String {
    match number(text(note, "chave")) {
        "" => "NF-e".to_owned(),
        number => format!("NF-e {number}"),
    }
}

/// The page of a note, in the world that shows it.
fn place(visitor: &Visitor, note: &Value) -> String {
    format!(
        "{HERE}/{}?empresa={}&ambiente={}",
        encoded(text(note, "chave")),
        encoded(text(note, "emitente_id")),
        visitor.ambiente()
    )
}

fn said(word: &str) -> &str {
    let known = MANIFESTED
        .iter()
        .find(|(known, _)| *known == word && !word.is_empty());
    known.map_or("–", |(_, name)| name)
}

/// A received note: the answer of the operation.
async fn read(visitor: &Visitor, chave: &str, company: &str) -> Result<Value, Problem> {
    let mut path = format!("/api/v1/nfe-entrada/{}", encoded(chave));
    if !company.is_empty() {
        path.push_str(&format!("?emitente_id={}", encoded(company)));
    }
    visitor.subject(&path).await
}

fn xml(note: &Value) -> Vec<u8> {
    STANDARD
        .decode(text(note, "xml_base64"))
        .unwrap_or_default()
}

async fn one(
    visitor: Visitor,
    Path(chave): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let company = query.get("empresa").map_or("", String::as_str);
    let note = match query.get("feito").map(String::as_str) {
        Some("espera") => done("A manifestação foi enviada e ainda não tem resposta."),
        Some(_) => done("Manifestação registrada."),
        None => html! {},
    };
    shown(
        &visitor,
        &chave,
        company,
        &Fields::default(),
        &Wrongs::default(),
        note,
    )
    .await
}

async fn shown(
    visitor: &Visitor,
    chave: &str,
    company: &str,
    fields: &Fields,
    wrong: &Wrongs,
    note: Markup,
) -> Result<Markup, Problem> {
    let received = read(visitor, chave, company).await?;
    let summary = &received["resumo"];
    let companies = Companies::read(visitor).await?;
    let events = visitor
        .get(&format!(
            "/api/v1/nfe-entrada/eventos?limite=50&chave={}",
            encoded(chave)
        ))
        .await?;
    let content = match received["completa"] == true {
        true => product_of(xml(&received)).await?,
        false => Content::Unknown,
    };
    let company = text(summary, "emitente_id");
    let file = |file: &str| {
        format!(
            "{HERE}/{}/{file}?empresa={}&ambiente={}",
            encoded(chave),
            encoded(company),
            visitor.ambiente()
        )
    };
    let title = format!("{} de {}", titled(summary), name(summary));
    Ok(page(
        visitor,
        HERE,
        &title,
        html! {
            (top(&title, &money(&summary["valor"]), html! {
                (status(text(summary, "situacao")))
                a class="botao secundario mini" href=(HERE) { "Voltar" }
            }))
            (note)
            (wrong.above(None))
            div class="grade larga" {
                section class="cartao" {
                    h2 { "Dados" }
                    dl class="fatos" {
                        dt { "Fornecedor" } dd { (name(summary)) " " span class="suave mono" { (parts::cpf_cnpj(text(&summary["emitente"], "cpf_cnpj"))) } }
                        dt { "Número" } dd { (number(text(summary, "chave"))) @if !series(text(summary, "chave")).is_empty() { ", série " (series(text(summary, "chave"))) } }
                        dt { "Empresa" } dd { (companies.name(company)) }
                        dt { "Chave de acesso" } dd { (copy("chave-recebida", text(summary, "chave"))) }
                        dt { "Emitida em" } dd { (moment(text(summary, "emitida_em"))) }
                        dt { "Recebida em" } dd { (moment(text(summary, "recebida_em"))) }
                        @if !text(summary, "protocolo").is_empty() { dt { "Protocolo" } dd class="mono" { (text(summary, "protocolo")) } }
                        dt { "Ambiente" } dd { (ambiente(text(summary, "ambiente"))) }
                        dt { "Manifestação" } dd { (said(text(summary, "manifestacao"))) }
                    }
                    p class="acoes" {
                        @if received["completa"] == true { a class="botao" href=(file("pdf")) { "Baixar PDF" } }
                        a class="botao secundario" href=(file("xml")) { (if received["completa"] == true { "Baixar XML" } else { "Baixar o XML do resumo" }) }
                    }
                    @if received["completa"] != true { p class="suave" { "Só o resumo chegou. A ciência da operação libera o XML completo, que vem na próxima busca." } }
                }
                @if visitor.may(Action::Documentos) && text(summary, "situacao") != "denegada" {
                    (manifest_form(visitor, chave, company, fields, wrong))
                }
            }
            (told(items(&events)))
            (content_of(&content, &json!({ "status": "", "modelo": "55" })))
        },
    ))
}

/// What the authority told the company of the note.
fn told(events: &[Value]) -> Markup {
    html! {
        @if !events.is_empty() {
            section class="cartao" {
                h2 { "Eventos distribuídos" }
                (table("Eventos distribuídos", &["Evento", "Registrado em", "Protocolo"], html! {
                    @for event in events {
                        tr {
                            td { (match text(event, "descricao") { "" => text(event, "codigo"), words => words }) }
                            td class="curto" { (moment(text(event, "registrado_em"))) }
                            td class="mono" { (text(event, "protocolo")) }
                        }
                    }
                }))
            }
        }
    }
}

fn manifest_form(
    visitor: &Visitor,
    chave: &str,
    company: &str,
    fields: &Fields,
    wrong: &Wrongs,
) -> Markup {
    let hint = "De 15 a 255 caracteres; só para a operação não realizada.";
    html! {
        section class="cartao" {
            h2 { "Manifestar" }
            form class="campos" method="post" action=(format!("{HERE}/{}/manifestar", encoded(chave))) novalidate {
                (hidden_of(visitor, fields))
                input type="hidden" name="empresa" value=(company);
                fieldset {
                    legend { "O que a empresa diz da nota" }
                    (wrong.beside("tipo"))
                    @for (word, name, meaning) in SAID {
                        label class="marcar" { input type="radio" name="tipo" value=(word) checked[fields.get("tipo") == word]; span { (name) span class="dica abaixo" { (meaning) } } }
                    }
                }
                div class="campo" {
                    label for="justificativa" { "Justificativa" }
                    textarea id="justificativa" name="justificativa" maxlength="255" aria-invalid=[wrong.has("justificativa").then_some("true")] aria-describedby=[wrong.described("justificativa", hint)] { (fields.raw("justificativa")) }
                    (wrong.beside("justificativa"))
                    span class="dica" id="justificativa-dica" { (hint) }
                }
                div { button class="botao" { "Continuar" } }
            }
        }
    }
}

async fn manifest(Path(chave): Path<String>, Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Documentos)?;
    let company = fields.get("empresa");
    let known = SAID.iter().find(|(word, ..)| *word == fields.get("tipo"));
    let mut wrong = Wrongs::default();
    if known.is_none() {
        wrong.add("tipo", "Escolha o que a empresa diz da nota.");
    }
    let count = fields.get("justificativa").chars().count();
    if fields.get("tipo") == "nao_realizada" && !(15..=255).contains(&count) {
        wrong.add(
            "justificativa",
            &format!("Escreva de 15 a 255 caracteres; há {count}."),
        );
    }
    if !wrong.is_empty() || fields.on("corrigir") {
        let code = match wrong.is_empty() {
            true => StatusCode::OK,
            false => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let page = shown(visitor, &chave, company, fields, &wrong, html! {}).await?;
        return Ok((code, page).into_response());
    }
    if !fields.on("confirmado") {
        let received = read(visitor, &chave, company).await?;
        return Ok(question(visitor, &received["resumo"], fields).into_response());
    }
    let mut body = json!({ "chave": chave, "tipo": fields.get("tipo") });
    for (name, value) in [
        ("emitente_id", company),
        ("justificativa", fields.get("justificativa")),
    ] {
        if !value.is_empty() {
            body[name] = value.into();
        }
    }
    let path = "/api/v1/nfe-entrada/manifestar";
    let reply = sent.ask(Method::POST, path, Some(&body)).await?;
    if !reply.ok() {
        let wrong = Wrongs::of(&reply, |name| matches!(name, "tipo" | "justificativa"));
        let page = shown(visitor, &chave, company, fields, &wrong, html! {}).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    visitor
        .note("recebida.manifestada", &chave, fields.get("tipo"))
        .await?;
    let how = if reply.status == 202 { "espera" } else { "1" };
    let to = format!(
        "{HERE}/{}?empresa={}&feito={how}",
        encoded(&chave),
        encoded(company)
    );
    Ok(Redirect::to(&to).into_response())
}

/// Asks before the company says something of a note.
fn question(visitor: &Visitor, summary: &Value, fields: &Fields) -> Markup {
    let known = SAID.iter().find(|(word, ..)| *word == fields.get("tipo"));
    let (name_of, meaning) = known.map_or(("", ""), |(_, name, meaning)| (*name, *meaning));
    let credits = operations::get("nfe-entrada.manifestar").and_then(operations::Operation::price);
    let kept = fields.kept();
    page(
        visitor,
        HERE,
        "Manifestar",
        html! {
            (top("Manifestar", "Nada foi enviado ainda.", html! {}))
            section class="cartao" {
                h2 { (name_of) }
                p { (meaning) }
                dl class="fatos" {
                    dt { "Nota" } dd { (titled(summary)) }
                    dt { "Fornecedor" } dd { (name(summary)) }
                    dt { "Valor" } dd { (money(&summary["valor"])) }
                    dt { "Chave" } dd class="mono" { (text(summary, "chave")) }
                    @if !fields.get("justificativa").is_empty() { dt { "Justificativa" } dd class="linhas" { (fields.get("justificativa")) } }
                    dt { "Preço" } dd { (credits.unwrap_or(0)) " créditos (" (reais(credits.unwrap_or(0))) "), cobrados só se a SEFAZ registrar." }
                }
                form class="campos" method="post" action=(format!("{HERE}/{}/manifestar", encoded(text(summary, "chave")))) {
                    (hidden_as(visitor, fields.get(once::FIELD)))
                    @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                    div class="acoes" {
                        button class="botao" name="confirmado" value="1" { "Enviar a manifestação" }
                        button class="botao secundario" name="corrigir" value="1" { "Voltar e corrigir" }
                    }
                }
            }
        },
    )
}

/// Asks before the authority is asked, which is paid for.
async fn ask(visitor: Visitor) -> Result<Markup, Problem> {
    visitor.must(Action::Documentos)?;
    asked(&visitor, "", html! {}).await
}

async fn asked(visitor: &Visitor, company: &str, note: Markup) -> Result<Markup, Problem> {
    let companies = Companies::read(visitor).await?;
    let names = companies.choices();
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let credits = operations::get("nfe-entrada.consultar").and_then(operations::Operation::price);
    let credits = credits.unwrap_or(0);
    let one = match names.as_slice() {
        [(id, _)] => *id,
        _ => company,
    };
    let automatic = match one {
        "" => "/painel/emitentes".to_owned(),
        id => format!("/painel/emitentes/{}#{AUTOMATIC}", encoded(id)),
    };
    Ok(page(
        visitor,
        HERE,
        "Buscar notas recebidas",
        html! {
            (top("Buscar notas recebidas", "Pergunta à SEFAZ o que foi emitido contra a empresa desde a última vez.", html! { a class="botao secundario mini" href=(HERE) { "Voltar" } }))
            (note)
            section class="cartao" {
                p {
                    "Depois de uma resposta sem novidades, a SEFAZ pede uma hora de pausa por CNPJ. A busca automática cuida disso: "
                    a href=(automatic) { "ligue-a nos dados da empresa" }
                    "."
                }
                form class="campos" method="post" action="/painel/recebidas/consultar" {
                    (hidden(visitor))
                    (field("empresa", "Empresa", "", select("empresa", &names, company)))
                    p class="suave pequeno" { "Preço: " (credits) " créditos (" (reais(credits)) ") por consulta." }
                    div { button class="botao" { "Buscar agora" } }
                }
            }
        },
    ))
}

async fn consult(sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Documentos)?;
    let company = sent.fields.get("empresa");
    let body = json!({ "emitente_id": company, "modo": "novas" });
    let path = "/api/v1/nfe-entrada/consultar";
    let reply = sent.ask(Method::POST, path, Some(&body)).await?;
    if !reply.ok() {
        let page = asked(visitor, company, refusal(&reply)).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    let new = reply.json()["novas"].to_string();
    visitor.note("recebidas.consultadas", company, &new).await?;
    Ok(Redirect::to(&format!("{HERE}?novas={}", encoded(&new))).into_response())
}

async fn download(
    visitor: Visitor,
    Path((chave, file)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Response, Problem> {
    let file = File::of(&file).ok_or_else(unknown)?;
    let company = query.get("empresa").map_or("", String::as_str);
    let received = read(&visitor, &chave, company).await?;
    let bytes = xml(&received);
    let complete = received["completa"] == true;
    let name = name_of_received(&chave, complete, file);
    if file == File::Xml {
        return Ok(attached(file.media(), &name, bytes));
    }
    if !complete {
        let sentence = "O PDF existe quando o XML completo chegar.";
        return Err(Problem::new(409, "Só há o resumo", sentence).back(HERE));
    }
    let cancelled = text(&received["resumo"], "situacao") == "cancelada";
    let simulated = received["resumo"]["simulada"] == true;
    let drawn = tokio::task::spawn_blocking(move || print::received(&bytes, cancelled, simulated));
    let pdf = drawn.await.map_err(anyhow::Error::from)??;
    Ok(attached(file.media(), &name, pdf))
}
