//! Documents: the list with filters, one with its timeline, downloads, sending
//! by e-mail, cancelling.

use super::listing::{items, recipient, rows, title, value_of};
use crate::Panel;
use crate::form::{Fields, Keyed};
use crate::layout::page;
use crate::parts::{
    ambiente, done, empty, encoded, field, hidden, hidden_of, icon, issue, line, moment, money,
    pager, select, status, top,
};
use crate::reply::{Problem, refusal, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderName, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const STATUS: &[(&str, &str)] = &[
    ("", "Todos"),
    ("autorizada", "Autorizada"),
    ("em_transmissao", "Em transmissão"),
    ("pendente_prefeitura", "Na fila da prefeitura"),
    ("rejeitada", "Rejeitada"),
    ("cancelada", "Cancelada"),
    ("rascunho", "Rascunho"),
];
const KINDS: &[(&str, &str)] = &[("nfe", "NF-e"), ("nfce", "NFC-e"), ("nfse", "NFS-e")];

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/documentos", get(list))
        .route("/painel/documentos/{id}", get(one))
        .route("/painel/documentos/{id}/{arquivo}", get(download))
        .route("/painel/documentos/{id}/email", post(email))
        .route("/painel/documentos/{id}/cancelar", post(cancel))
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let given = |name: &str| query.get(name).map_or("", String::as_str).trim();
    let kind = KINDS
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| *kind == given("tipo"))
        .unwrap_or("nfe");
    let filters: Vec<String> = ["status", "de", "ate", "numero", "chave"]
        .iter()
        .filter(|name| !given(name).is_empty())
        // Service notes are not listed by number.
        .filter(|name| kind != "nfse" || **name != "numero")
        .map(|name| format!("{name}={}", encoded(given(name))))
        .collect();
    let cursor = given("cursor");
    let from = if cursor.is_empty() {
        String::new()
    } else {
        format!("&cursor={}", encoded(cursor))
    };
    // Product notes are one list.
    let listed = match kind {
        "nfce" => "nfe?modelo=65&limite=25",
        "nfse" => "nfse?limite=25",
        _ => "nfe?limite=25",
    };
    let path = format!(
        "/api/v1/{listed}{from}{}",
        filters
            .iter()
            .map(|one| format!("&{one}"))
            .collect::<String>()
    );
    let reply = visitor.ask(Method::GET, &path, None).await?;
    let answer = reply.json();
    let mut kept = filters.clone();
    kept.insert(0, format!("tipo={kind}"));
    Ok(page(
        &visitor,
        "/painel/documentos",
        "Documentos",
        html! {
            (top("Documentos", "Notas desta conta, da mais nova para a mais antiga.", html! {
                a class="botao" href=(issue(&visitor)) { (icon("mais")) "Emitir" }
            }))
            form class="filtros" method="get" action="/painel/documentos" {
                (field("tipo", "Tipo", "", select("tipo", KINDS, kind)))
                (field("status", "Estado", "", select("status", STATUS, given("status"))))
                (field("de", "De", "", line("de", "date", given("de"))))
                (field("ate", "Até", "", line("ate", "date", given("ate"))))
                (field("numero", "Número", "", line("numero", "text", given("numero"))))
                button class="botao secundario" { "Filtrar" }
            }
            @if !reply.ok() { (refusal(&reply)) }
            section class="cartao" {
                @if items(&answer).is_empty() {
                    @if filters.is_empty() {
                        (empty("folha", none(&visitor), html! { a class="botao secundario" href=(issue(&visitor)) { "Emitir o primeiro" } }))
                    } @else {
                        (empty("folha", "Nenhum documento com estes filtros.", html! { a class="botao secundario" href=(format!("/painel/documentos?tipo={kind}")) { "Limpar os filtros" } }))
                    }
                } @else {
                    (rows(&visitor, items(&answer)))
                    (pager("/painel/documentos", &kept.join("&"), &answer))
                }
            }
        },
    ))
}

async fn one(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = if query.contains_key("cancelada") {
        done("Cancelamento registrado.")
    } else if query.contains_key("enviada") {
        done("O e-mail está na fila. A linha do tempo diz quando ele sair.")
    } else {
        html! {}
    };
    shown(&visitor, &id, &Fields::default(), note).await
}

async fn shown(
    visitor: &Visitor,
    id: &str,
    fields: &Fields,
    note: Markup,
) -> Result<Markup, Problem> {
    let id = encoded(id);
    let document = visitor.subject(&format!("/api/v1/documentos/{id}")).await?;
    let history = visitor
        .get(&format!("/api/v1/documentos/{id}/historico"))
        .await?;
    let world = visitor.ambiente();
    let state = text(&document, "status");
    let exists = matches!(state, "autorizada" | "validada" | "cancelada");
    let open = matches!(state, "em_transmissao" | "pendente_prefeitura") || mailing(&history);
    let may = visitor.may(Action::Documentos);
    let mail = may && exists && visitor.panel.app.config.mail.on();
    let amount = money(value_of(&document));
    let subtitle = recipient(&document).map_or_else(
        || amount.clone(),
        |recipient| format!("{amount} · {recipient}"),
    );
    let facts = [
        ("Protocolo", text(&document, "protocolo").to_owned()),
        ("Ambiente", ambiente(text(&document, "ambiente")).to_owned()),
        (
            "Autorizador",
            document["autorizador"]
                .as_str()
                .or(document["provedor"].as_str())
                .unwrap_or_default()
                .to_owned(),
        ),
        ("Referência", text(&document, "referencia").to_owned()),
    ];
    Ok(page(
        visitor,
        "/painel/documentos",
        &title(&document),
        html! {
            div id="documento" data-atualiza=[open.then_some("2000")] {
            (top(&title(&document), &subtitle, html! {
                (status(state))
                @if document["simulada"] == true { span class="selo" { "simulada" } }
            }))
            (note)
            (refused(&document))
            div class="grade larga" {
                section class="cartao" {
                    h2 { "Dados" }
                    dl class="fatos" {
                        @if !text(&document, "chave").is_empty() { dt { "Chave de acesso" } dd class="mono" { (text(&document, "chave")) } }
                        @for (word, fact) in &facts {
                            @if !fact.is_empty() { dt { (word) } dd { (fact) } }
                        }
                        dt { "Criada em" } dd { (moment(text(&document, "criada_em"))) }
                        @if !text(&document, "autorizada_em").is_empty() { dt { "Autorizada em" } dd { (moment(text(&document, "autorizada_em"))) } }
                    }
                    @if exists {
                        p class="acoes" {
                            a class="botao" href=(format!("/painel/documentos/{id}/pdf?ambiente={world}")) { "Baixar PDF" }
                            a class="botao secundario" href=(format!("/painel/documentos/{id}/xml?ambiente={world}")) { "Baixar XML" }
                        }
                    }
                }
                section class="cartao" {
                    h2 { "Linha do tempo" }
                    (timeline(&history, world))
                }
            }
            }
            div class="grade larga" {
                @if mail { (email_form(visitor, &id, fields)) }
                @if state == "autorizada" && may { (cancel_form(visitor, &id, text(&document, "modelo"))) }
            }
        },
    ))
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
                    p { strong { (text(refused, "mensagem")) } " " (text(refused, "dica")) }
                    @for field in refused["campos"].as_array().into_iter().flatten() {
                        p { code { (text(field, "campo")) } ": " (text(field, "mensagem")) }
                    }
                }
            }
            @if let Some(why) = rejection(document) { div class="aviso-caixa erro" { p { (why) } } }
    }
}

/// That there is nothing, and where there may be something.
fn none(visitor: &Visitor) -> &'static str {
    if visitor.live() {
        "Nenhum documento deste tipo ainda em Produção."
    } else {
        "Nenhum documento deste tipo ainda em Teste. As notas das chaves de produção estão em Produção, no alto do menu."
    }
}

fn email_form(visitor: &Visitor, id: &str, fields: &Fields) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Enviar por e-mail" }
            form class="campos" method="post" action=(format!("/painel/documentos/{id}/email")) {
                (hidden_of(visitor, fields))
                (field("para", "Para", "Endereços separados por espaço. Vazio: o do destinatário da nota.", html! {
                    input id="para" name="para" inputmode="email" value=(fields.get("para")) aria-describedby="para-dica";
                }))
                (field("mensagem", "Mensagem", "Vai antes dos dados da nota; pode ficar vazia.", html! {
                    textarea id="mensagem" name="mensagem" maxlength="2000" aria-describedby="mensagem-dica" { (fields.get("mensagem")) }
                }))
                div { button class="botao secundario" { (icon("carta")) "Enviar XML e PDF" } }
            }
        }
    }
}

fn cancel_form(visitor: &Visitor, id: &str, model: &str) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Cancelar" }
            form class="campos" method="post" action=(format!("/painel/documentos/{id}/cancelar")) data-confirma="Cancelar este documento?" {
                (hidden(visitor))
                input type="hidden" name="modelo" value=(model);
                (field("justificativa", "Justificativa", "De 15 a 255 caracteres; vai para a autoridade.", html! {
                    textarea id="justificativa" name="justificativa" required minlength="15" maxlength="255" aria-describedby="justificativa-dica" {}
                }))
                @if model == "nfse" {
                    (field("codigo_motivo", "Motivo", "", select("codigo_motivo", &[("erro_emissao", "Erro na emissão"), ("servico_nao_prestado", "Serviço não prestado"), ("outros", "Outros")], "outros")))
                }
                div { button class="botao perigo" { "Cancelar documento" } }
            }
        }
    }
}

/// Why the authority refused it.
fn rejection(document: &Value) -> Option<String> {
    let rejected = &document["rejeicao"];
    let one = rejected
        .as_array()
        .and_then(|all| all.first())
        .unwrap_or(rejected);
    let reason = text(one, "motivo");
    (!reason.is_empty())
        .then(|| format!("{} {reason} {}", text(one, "codigo"), text(one, "correcao")))
}

/// Whether a mail was asked for of which nothing is known yet.
fn mailing(history: &Value) -> bool {
    let mails = items(history)
        .iter()
        .filter(|step| text(step, "tipo") == "email");
    let (asked, known): (Vec<&Value>, Vec<&Value>) =
        mails.partition(|step| text(step, "status") == "pedido");
    asked.len() > known.len()
}

fn timeline(history: &Value, world: &str) -> Markup {
    html! {
        ol class="tempo" {
            @for step in items(history) {
                @let kind = text(step, "tipo");
                li class=[mark(kind, step)] {
                    strong { (words(step)) }
                    @if !text(step, "motivo").is_empty() { div { (text(step, "motivo")) } }
                    div class="suave pequeno" {
                        (moment(text(step, "em"))) " · " (origin(text(step, "origem")))
                        @if let Some(call) = call_of(step) {
                            " · " a href=(format!("/painel/uso/chamadas/{}?ambiente={world}", encoded(call))) { "chamada e troca com a autoridade" }
                        }
                    }
                }
            }
        }
    }
}

/// The colour of a step, where it is not that of good news.
fn mark(kind: &str, step: &Value) -> Option<&'static str> {
    if kind.contains("rejeit") || text(step, "status") == "falhou" {
        Some("erro")
    } else if text(step, "origem") == "creditos" {
        Some("neutro")
    } else {
        None
    }
}

/// The call that asked for this step.
fn call_of(step: &Value) -> Option<&str> {
    let asked = text(step, "tipo") == "criada" || text(step, "status") == "pedido";
    let call = text(step, "request_id");
    (asked && !call.is_empty()).then_some(call)
}

fn words(step: &Value) -> String {
    let credits = step["creditos"].as_i64().unwrap_or(0);
    let credits = format!(
        "{credits} {}",
        if credits == 1 {
            "crédito"
        } else {
            "créditos"
        }
    );
    match text(step, "tipo") {
        "criada" => "Criada".to_owned(),
        "reserva" => format!("{credits} em reserva"),
        "debito" => format!("Débito de {credits}"),
        "devolucao" => format!("Devolução de {credits}"),
        "envio" => format!("Enviada: {}", text(step, "requisicao")),
        "resposta" => format!("Resposta da autoridade (HTTP {})", step["status_http"]),
        "email" => match text(step, "status") {
            "enviado" => "E-mail enviado".to_owned(),
            "falhou" => "E-mail não entregue".to_owned(),
            _ => "E-mail pedido".to_owned(),
        },
        other => match other.split_once('.') {
            // `nfe.autorizada`: an event, told to webhooks.
            Some((_, happened)) => capital(&happened.replace('_', " ")),
            None => {
                let state = text(step, "status").replace('_', " ");
                format!("{} {state}", capital(&other.replace(['_', '-'], " ")))
                    .trim_end()
                    .to_owned()
            }
        },
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// Who made a step.
fn origin(name: &str) -> &str {
    match name {
        "creditos" => "créditos",
        "evento" => "aviso aos webhooks",
        other => other,
    }
}

async fn download(
    visitor: Visitor,
    Path((id, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let id = encoded(&id);
    let document = visitor.subject(&format!("/api/v1/documentos/{id}")).await?;
    let model = text(&document, "modelo");
    let all = format!("/api/v1/documentos/{id}");
    let service = format!("/api/v1/nfse/{id}/documento");
    let (path, media) = match (file.as_str(), model) {
        ("pdf", "nfse") => (format!("{service}?formato=pdf"), "application/pdf"),
        ("xml", "nfse") => (format!("{service}?formato=xml"), "application/xml"),
        ("pdf", "57") => (
            format!("/api/v1/cte/{id}/dacte?formato=binario"),
            "application/pdf",
        ),
        ("pdf", "58") => (
            format!("/api/v1/mdfe/{id}/documento?binario=1"),
            "application/pdf",
        ),
        ("pdf", _) => (format!("{all}/danfe?formato=binario"), "application/pdf"),
        ("xml", _) => (format!("{all}/xml?formato=binario"), "application/xml"),
        _ => {
            return Err(Problem::new(
                404,
                "Arquivo não encontrado",
                "O documento tem PDF e XML.",
            ));
        }
    };
    let reply = visitor.ask(Method::GET, &path, None).await?;
    if !reply.ok() {
        return Err(Problem::of(&reply));
    }
    let bytes = binary(&reply.bytes);
    let name = format!("attachment; filename=\"{id}.{file}\"");
    let headers: [(HeaderName, String); 2] = [
        (header::CONTENT_TYPE, media.to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, bytes).into_response())
}

/// The file itself: some operations answer it in base64.
fn binary(bytes: &[u8]) -> Vec<u8> {
    use base64::Engine as _;
    let Ok(answer) = serde_json::from_slice::<Value>(bytes) else {
        return bytes.to_vec();
    };
    let found = answer.as_object().and_then(|members| {
        let named = members.iter().find(|(name, _)| {
            name.ends_with("_base64") || *name == "base64" || *name == "conteudo"
        });
        named.and_then(|(_, value)| value.as_str())
    });
    found
        .and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok())
        .unwrap_or_else(|| bytes.to_vec())
}

async fn cancel(Path(id): Path<String>, Keyed(sent): Keyed) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Documentos)?;
    let kind = match sent.fields.get("modelo") {
        "nfse" => "nfse",
        "65" => "nfce",
        "57" => "cte",
        "58" => "mdfe",
        _ => "nfe",
    };
    let mut body = json!({ "ref": id, "justificativa": sent.fields.get("justificativa") });
    if kind == "nfse" {
        body["codigo_motivo"] = sent.fields.get("codigo_motivo").into();
    }
    let path = format!("/api/v1/{kind}/cancelar");
    let reply = sent.ask(Method::POST, &path, Some(&body)).await?;
    if !reply.ok() {
        let page = shown(visitor, &id, &Fields::default(), refusal(&reply)).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    visitor.note("documento.cancelado", &id, "").await?;
    let to = format!("/painel/documentos/{}?cancelada=1", encoded(&id));
    Ok(axum::response::Redirect::to(&to).into_response())
}

async fn email(Path(id): Path<String>, Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Documentos)?;
    let mut body = json!({ "mensagem": fields.get("mensagem") });
    let recipients: Vec<&str> = fields
        .get("para")
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
        .filter(|part| !part.is_empty())
        .collect();
    if !recipients.is_empty() {
        body["para"] = json!(recipients);
    }
    let path = format!("/api/v1/documentos/{}/email", encoded(&id));
    let reply = sent.ask(Method::POST, &path, Some(&body)).await?;
    if !reply.ok() {
        let page = shown(visitor, &id, fields, refusal(&reply)).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    // Whom it was for is not kept, here as little as in the history.
    let count = reply.json()["destinatarios"].to_string();
    visitor.note("documento.email", &id, &count).await?;
    let to = format!("/painel/documentos/{}?enviada=1", encoded(&id));
    Ok(axum::response::Redirect::to(&to).into_response())
}
