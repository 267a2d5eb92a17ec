//! One document: what it says, what happened to it, and what may be done to it.

mod acting;
mod actions;
mod asked;
mod cities;
pub mod content;
pub mod files;
pub mod product;
mod service;
mod substitute;
mod timeline;
mod transport;

use self::files::File;
use super::issue::{self, past, places};
use super::listing::{self, kind, recipient, title, value_of};
use crate::Panel;
use crate::form::hidden_of;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Keyed};
use crate::layout::page;
use crate::parts::{
    ambiente, cnpj, copy, done, encoded, icon, moment, money, status, status_of_document, table,
    together, top,
};
use crate::reply::plain::plain;
use crate::reply::{Problem, refused_for, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action as Right;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/documentos/{id}", get(one))
        .route(
            "/painel/documentos/{id}/{acao}",
            get(below).post(acting::act),
        )
        .route("/painel/documentos/{id}/email", post(email))
        .route(
            "/painel/documentos/{id}/substituir",
            get(substitute::form).post(substitute::send),
        )
        .route(
            "/painel/documentos/{id}/evento/{evento}/{arquivo}",
            get(files::of_event),
        )
}

async fn one(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let did = query.get("feito").map_or("", String::as_str);
    let action = actions::ACTIONS.iter().find(|action| action.word == did);
    let note = match action {
        Some(_) if query.contains_key("espera") => {
            done("O pedido foi enviado. A linha do tempo diz quando a autoridade responder.")
        }
        Some(action) => done(action.done),
        None if did == "substituir" => done("A nota foi substituída por esta."),
        None if query.contains_key("enviada") => {
            done("O e-mail está na fila. A linha do tempo diz quando ele sair.")
        }
        None => html! {},
    };
    shown(&visitor, &id, &Fields::default(), &Wrongs::default(), note).await
}

/// A file of the document, or the page of an action.
async fn below(
    visitor: Visitor,
    Path((id, word)): Path<(String, String)>,
) -> Result<Response, Problem> {
    match File::of(&word) {
        Some(file) => files::download(&visitor, &id, file).await,
        None => Ok(acting::form(&visitor, &id, &word).await?.into_response()),
    }
}

async fn shown(
    visitor: &Visitor,
    id: &str,
    fields: &Fields,
    wrong: &Wrongs,
    note: Markup,
) -> Result<Markup, Problem> {
    let id = encoded(id);
    let document = visitor.subject(&format!("/api/v1/documentos/{id}")).await?;
    // A key leads here, too: what follows goes by the id.
    let id = text(&document, "nota_id");
    let history = visitor
        .get(&format!("/api/v1/documentos/{id}/historico"))
        .await?;
    let emitter = visitor
        .get(&format!(
            "/api/v1/emitters/{}",
            encoded(text(&document, "emitente_id"))
        ))
        .await?;
    let said = timeline::said(visitor, &history).await?;
    let read = match files::exist(&document) {
        true => content::of(visitor, &document).await?,
        false => asked::of(visitor, &document, &emitter).await?,
    };
    let world = visitor.ambiente();
    let state = text(&document, "status");
    let unanswered = matches!(state, "em_transmissao" | "pendente_prefeitura");
    let open = unanswered || timeline::mailing(&history) || timeline::waiting(&history);
    let may = visitor.may(Right::Documentos);
    let mail = may && files::exist(&document) && visitor.panel.app.config.mail.on();
    let amount = money(value_of(&document));
    let subtitle = recipient(&document).map_or_else(
        || amount.clone(),
        |recipient| format!("{amount} · {recipient}"),
    );
    let linked = links(visitor, &document).await?;
    let choices = choices(visitor, &document, &emitter).await?;
    Ok(page(
        visitor,
        "/painel/documentos",
        &title(&document),
        html! {
            div id="documento" data-atualiza=[open.then_some("2000")] {
                (top(&title(&document), &subtitle, html! {
                    (status_of_document(text(&document, "modelo"), state))
                    @if document["simulada"] == true { span class="selo" { "simulada" } }
                }))
                (note)
                (wrong.above(None))
                (refused(&document))
                (explained(state))
                div class="grade larga" {
                    section class="cartao" {
                        h2 { "Dados" }
                        (facts(&document, &emitter, &said))
                        @if files::exist(&document) {
                            p class="acoes" {
                                a class="botao" href=(format!("/painel/documentos/{id}/pdf?ambiente={world}")) { "Baixar PDF" }
                                a class="botao secundario" href=(format!("/painel/documentos/{id}/xml?ambiente={world}")) { "Baixar XML" }
                            }
                        }
                    }
                    section class="cartao" {
                        h2 { "Linha do tempo" }
                        (timeline::timeline(&history, &document, world, &said))
                    }
                }
            }
            (choices)
            (linked)
            div id="conteudo-da-nota" data-atualiza=[unanswered.then_some("4000")] { (content::shown(&read, &document)) }
            @if mail { (email_form(visitor, &document, fields, wrong)) }
        },
    ))
}

/// `events`: what was done to the document since.
fn facts(document: &Value, emitter: &Value, events: &timeline::Said) -> Markup {
    let told = |word: &'static str, name: &str| (word, text(document, name).to_owned());
    // Why it was refused stands above.
    let code = rejection(document).map_or(text(document, "status_sefaz"), |_| "");
    let said = match (code, text(document, "mensagem_sefaz")) {
        ("", _) => String::new(),
        (code, "") => format!("código {code}"),
        (code, message) => format!("{code} {message}"),
    };
    let authority = document["autorizador"]
        .as_str()
        .or(document["provedor"].as_str())
        .unwrap_or_default()
        .to_owned();
    let facts = [
        ("Número", listing::number(document).unwrap_or_default()),
        ("Série", listing::serie(document)),
        told("Natureza da operação", "natureza_operacao"),
        told("Código de verificação", "codigo_verificacao"),
        ("Ambiente", ambiente(text(document, "ambiente")).to_owned()),
        ("Autorizador", authority),
        ("Última resposta", said),
        told("Referência", "referencia"),
    ];
    let (created, authorized, cancelled) = match text(document, "modelo") {
        "57" | "58" => ("Criado em", "Autorizado em", "Cancelado em"),
        _ => ("Criada em", "Autorizada em", "Cancelada em"),
    };
    html! {
        dl class="fatos" {
            dt { "Emitente" }
            dd { a href=(format!("/painel/emitentes/{}", encoded(text(emitter, "id")))) { (text(emitter, "razao_social")) } " " span class="suave mono" { (cnpj(text(emitter, "cnpj"))) } }
            @if !text(document, "chave").is_empty() { dt { "Chave de acesso" } dd { (copy("chave-de-acesso", text(document, "chave"))) } }
            @if !text(document, "protocolo").is_empty() { dt { "Protocolo" } dd { (copy("protocolo-de-autorizacao", text(document, "protocolo"))) } }
            @for (word, fact) in &facts { @if !fact.is_empty() { dt { (word) } dd { (together(fact)) } } }
            dt { (created) } dd { (moment(text(document, "criada_em"))) }
            @for (word, name) in [(authorized, "autorizada_em"), ("Encerrado em", "encerrado_em"), ("Próxima consulta", "proxima_consulta_em")] {
                @if !text(document, name).is_empty() { dt { (word) } dd { (moment(text(document, name))) } }
            }
            @if let Some(over) = &events.cancelled {
                dt { (cancelled) } dd { (moment(&over.at)) }
                @if !over.why.is_empty() { dt { "Motivo" } dd { (over.why) } }
            }
            @if let Some(letter) = &events.letter { dt { "Correção" } dd { a href=(format!("#{letter}")) { "Tem carta de correção" } } }
            dt { "Identificador" } dd { (copy("nota-id", text(document, "nota_id"))) }
        }
        @for notice in document["avisos"].as_array().into_iter().flatten() {
            @if let Some(sentence) = plain(text(notice, "mensagem")) { p class="suave pequeno" { (sentence) } }
        }
    }
}

/// Why a document is not issued: what keeps it from the authority, what the hub
/// refused, what the authority did.
fn refused(document: &Value) -> Markup {
    html! {
        @if let Some(held) = document.get("impedimento").filter(|one| one.is_object()) {
            div class="aviso-caixa erro" {
                p { strong { (text(held, "mensagem")) } " " (text(held, "dica")) }
            }
        }
        @if let Some(refused) = document.get("recusa").filter(|one| one.is_object()) {
            div class="aviso-caixa erro" {
                // What the authority said is in both, and is read once.
                @match rejection(document) { Some(why) => { p { (why) } } None => { (told(refused)) } }
                @for field in refused["campos"].as_array().into_iter().flatten() {
                    p { @if let Some(number) = item(text(field, "campo")) { "Item " (number) ": " } (wrong_with(field)) }
                }
            }
        }
    }
}

/// What is wrong with a field, where its sentence is for programs by what the form calls it.
fn wrong_with(field: &Value) -> String {
    if let Some(sentence) = plain(text(field, "mensagem")) {
        return sentence;
    }
    match (
        issue::wrong::label_of(text(field, "campo")),
        text(field, "codigo"),
    ) {
        (Some(label), "obrigatorio") => format!("{label}: falta preencher."),
        (Some(label), _) => format!("{label}: o que foi informado não foi aceito."),
        (None, _) => "Um dado da nota não foi aceito.".to_owned(),
    }
}

/// What a refusal says and advises, without what only programs need.
fn told(refusal: &Value) -> Markup {
    let said = |name: &str| plain(text(refusal, name));
    let what = said("mensagem").unwrap_or_else(|| "O documento não foi emitido.".to_owned());
    html! { p { strong { (what) } " " (said("dica").unwrap_or_default()) } }
}

/// The item that a path of a request is about, counted from 1.
fn item(path: &str) -> Option<usize> {
    let index = path.strip_prefix("itens[")?.split(']').next()?;
    index.parse::<usize>().ok()?.checked_add(1)
}

/// The items that a refusal is about, counted from 1: an authority names one behind its reason
/// (`[nItem: 2]`), the hub in the paths of fields.
fn items_refused(document: &Value) -> Vec<usize> {
    let named = text(&document["rejeicao"], "motivo").split("[nItem:");
    let named = named.skip(1).filter_map(|rest| {
        let mut parts = rest.trim_start().split(|sign: char| !sign.is_ascii_digit());
        parts.next()?.parse::<usize>().ok()
    });
    let fields = document["recusa"]["campos"].as_array();
    let fields = fields.into_iter().flatten();
    let found = fields.filter_map(|field| item(text(field, "campo")));
    named.chain(found).collect()
}

/// What a state means that its word does not tell: `validada`, of a service note of
/// the test environment.
fn explained(state: &str) -> Markup {
    html! {
        @if state == "validada" {
            div class="aviso-caixa" {
                p { "Nota de teste: o leiaute e as regras foram conferidos, mas nenhuma prefeitura a recebeu nem lhe deu número. Ela não tem valor fiscal, e não há o que cancelar." }
            }
        }
    }
}

/// Why the authority refused it.
pub fn rejection(document: &Value) -> Option<String> {
    let rejected = &document["rejeicao"];
    let one = rejected
        .as_array()
        .and_then(|all| all.first())
        .unwrap_or(rejected);
    refused_for(one)
}

/// What may be done to it now, each on a page of its own.
async fn choices(visitor: &Visitor, document: &Value, emitter: &Value) -> Result<Markup, Problem> {
    if !visitor.may(Right::Documentos) {
        return Ok(html! {});
    }
    let draft = past::draft(visitor, document).await?;
    if let Some(elsewhere) = past::elsewhere(visitor, draft.as_ref())? {
        return Ok(html! {
            section class="cartao" {
                h2 { "O que fazer" }
                p { (elsewhere.sentence) " " a href=(elsewhere.page) { (elsewhere.words) } }
            }
        });
    }
    // No note can be made of such a form yet.
    let unfinished = draft.as_ref().map(past::form).transpose()?.flatten();
    let unfinished = unfinished.is_some();
    let world = visitor.ambiente();
    let mut actions = actions::of(document);
    actions.retain(|action| {
        action.word != actions::UNLINK && !(unfinished && action.word == actions::ISSUE)
    });
    let id = text(document, "nota_id");
    let replaced = substitute::is_possible(document);
    Ok(html! {
        @let again = issue::offers(visitor, document);
        @if !actions.is_empty() || replaced || !again.0.is_empty() {
            section class="cartao" {
                h2 { "O que fazer" }
                p class="acoes" {
                    (again)
                    @for action in &actions {
                        a class=(if action.grave { "botao perigo" } else { "botao secundario" }) href=(format!("/painel/documentos/{id}/{}?ambiente={world}", action.word)) { (action.title) (cost(visitor, document, emitter, action)) }
                    }
                    @if replaced { a class="botao secundario" href=(format!("/painel/documentos/{id}/substituir?ambiente={world}")) { "Substituir" } }
                }
            }
        }
    })
}

/// What issuing a draft costs, as its button says it; empty of other actions.
fn cost(visitor: &Visitor, document: &Value, emitter: &Value, action: &actions::Action) -> String {
    let model = text(document, "modelo");
    let row = action.operation(model);
    let row = row.filter(|_| action.word == actions::ISSUE);
    row.map_or_else(String::new, |row| {
        places::cost(places::of(visitor, emitter, model), &row.operation)
    })
}

/// Notes and payments it is linked to.
async fn links(visitor: &Visitor, document: &Value) -> Result<Markup, Problem> {
    let others = replacements(document, visitor.ambiente());
    if text(document, "modelo") != "55" || !files::exist(document) {
        return Ok(others);
    }
    let id = encoded(text(document, "nota_id"));
    let linked = visitor.get(&format!("/api/v1/nfe/{id}/vinculos")).await?;
    let paid = visitor.get(&format!("/api/v1/nfe/{id}/econf")).await?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (origins, derived) = (list(&linked["origem"]), list(&linked["derivados"]));
    let payments = list(&paid["pagamentos"]);
    let world = visitor.ambiente();
    Ok(html! {
        (others)
        @if !origins.is_empty() || !derived.is_empty() {
            section class="cartao" {
                h2 { "Notas ligadas" }
                (table("Notas ligadas", &["Nota", "Ligação", "Situação"], html! {
                    @for one in &origins {
                        tr { td class="mono" { (text(one, "chave")) } td { "nota de origem (" (link_kind(text(one, "tipo"))) ")" } td {} }
                    }
                    @for one in &derived {
                        tr { td class="mono" { a href=(crate::parts::document(text(one, "nota_id"), world)) { (text(one, "chave")) } } td { (link_kind(text(one, "tipo"))) " desta" } td { (status(text(one, "status"))) } }
                    }
                }))
            }
        }
        @if !payments.is_empty() {
            section class="cartao" {
                h2 { "Pagamentos vinculados" }
                (table("Pagamentos vinculados", &["Protocolo", "Registrado em", "Forma", "Valor", "Situação"], html! {
                    @for one in &payments {
                        tr {
                            td class="mono" { (text(one, "protocolo")) }
                            td class="curto" { (moment(text(one, "em"))) }
                            td { (list(&one["pagamentos"]).iter().map(|payment| product::means(text(payment, "forma"))).collect::<Vec<_>>().join(", ")) }
                            td class="num" { (money(&one["valor"])) }
                            td { @if one["desfeito"] == true { span class="selo" { "desfeito" } } @else { "em vigor" } }
                        }
                    }
                }))
                @if payments.iter().any(|one| one["desfeito"] != true) && actions::of(document).iter().any(|action| action.word == actions::UNLINK) {
                    p { a href=(format!("/painel/documentos/{id}/{}?ambiente={world}", actions::UNLINK)) { "Desfazer um vínculo" } }
                }
                p class="suave" { "Falta vincular " (money(&paid["valor_restante"])) " de " (money(&paid["valor_total"])) "." }
            }
        }
    })
}

/// How a note is linked to another, as people write it.
fn link_kind(word: &str) -> String {
    match word {
        "devolucao" => "devolução".to_owned(),
        other => other.replace('_', " "),
    }
}

/// The service note it replaces, and the one that replaced it.
fn replacements(document: &Value, world: &str) -> Markup {
    let (old, new) = (
        text(document, "substitui"),
        text(document, "substituida_por"),
    );
    html! {
        @if !old.is_empty() || !new.is_empty() {
            section class="cartao" {
                h2 { "Substituição" }
                @if !old.is_empty() { p { "Esta nota substitui " a href=(crate::parts::document(old, world)) { "outra " (kind(text(document, "modelo"))) } "." } }
                @if !new.is_empty() { p { "Esta nota foi substituída por " a href=(crate::parts::document(new, world)) { "outra " (kind(text(document, "modelo"))) } "." } }
            }
        }
    }
}

fn email_form(visitor: &Visitor, document: &Value, fields: &Fields, wrong: &Wrongs) -> Markup {
    let id = text(document, "nota_id");
    let party = listing::party_name(text(document, "modelo")).to_lowercase();
    let hint = format!("Endereços separados por espaço. Vazio: o do {party} da nota.");
    html! {
        section class="cartao" id="enviar" {
            h2 { "Enviar por e-mail" }
            form class="campos" method="post" action=(format!("/painel/documentos/{id}/email")) {
                (hidden_of(visitor, fields))
                div class="campo" {
                    label for="para" { "Para" }
                    input id="para" name="para" inputmode="email" value=(fields.get("para")) aria-describedby=[wrong.described("para", &hint)] aria-invalid=[wrong.invalid("para")] autofocus[wrong.focus("para")];
                    (wrong.beside("para"))
                    span class="dica" id="para-dica" { (hint) }
                }
                div class="campo" {
                    label for="mensagem" { "Mensagem" }
                    textarea id="mensagem" name="mensagem" maxlength="2000" aria-describedby="mensagem-dica" { (fields.get("mensagem")) }
                    (wrong.beside("mensagem"))
                    span class="dica" id="mensagem-dica" { "Vai antes dos dados da nota; pode ficar vazia." }
                }
                div { button class="botao secundario" { (icon("carta")) "Enviar XML e PDF" } }
            }
        }
    }
}

async fn email(Path(id): Path<String>, Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Right::Documentos)?;
    let mut body = json!({ "mensagem": fields.get("mensagem") });
    let recipients = files::addresses(fields.get("para"));
    if !recipients.is_empty() {
        body["para"] = json!(recipients);
    }
    let path = format!("/api/v1/documentos/{}/email", encoded(&id));
    let reply = sent.ask(Method::POST, &path, Some(&body)).await?;
    if !reply.ok() {
        let wrong = Wrongs::of(&reply, |name| matches!(name, "para" | "mensagem"));
        let page = shown(visitor, &id, fields, &wrong, html! {}).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    // Whom it was for is not kept, here as little as in the history.
    let count = reply.json()["destinatarios"].to_string();
    visitor.note("documento.email", &id, &count).await?;
    let to = format!("/painel/documentos/{}?enviada=1", encoded(&id));
    Ok(axum::response::Redirect::to(&to).into_response())
}
