//! What happened to a document, in order.

use super::actions::REASONS;
use crate::names::{capital, fault, request};
use crate::pages::listing::items;
use crate::parts::{encoded, moment};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use base::when;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::{DbResult, stored};

/// Events of a document: word of the API, what people call it, whether that is feminine
/// ("registrada").
const EVENTS: [(&str, &str, bool); 12] = [
    ("consulta", "Consulta", true),
    ("cancelamento", "Cancelamento", false),
    ("cce", "Carta de correção", true),
    ("econf", "Vínculo de pagamento", false),
    ("econf_desfeito", "Vínculo de pagamento desfeito", false),
    ("reforma", "Evento da reforma tributária", false),
    ("inutilizacao", "Inutilização", true),
    ("manifestacao", "Manifestação", true),
    ("epec", "Emissão em contingência", true),
    ("encerramento", "Encerramento", false),
    ("inclusao_condutor", "Inclusão de condutor", true),
    ("inclusao_dfe", "Inclusão de documentos", true),
];

/// What the events of a document say, of which its history has no texts.
#[derive(Default)]
pub struct Said {
    /// What letters of correction say, by the step that says what became of each.
    letters: BTreeMap<String, String>,
    /// The event of the letter that is in force.
    pub letter: Option<String>,
    pub cancelled: Option<Cancelled>,
}

/// That a document was cancelled.
pub struct Cancelled {
    pub at: String,
    pub why: String,
}

/// What the events of a history say.
///
/// # Errors
/// The database failed, or an event cannot be read.
pub async fn said(visitor: &Visitor, history: &Value) -> Result<Said, Problem> {
    let telling = [EventKind::Cce.as_str(), EventKind::Cancelamento.as_str()];
    let mut steps = items(history).iter();
    if steps.all(|step| !telling.contains(&text(step, "tipo"))) {
        return Ok(Said::default());
    }
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let rows = eventos::of_nota(&mut conn, account, &text(history, "nota_id").into()).await;
    drop(conn);
    let mut said = Said::default();
    for row in rows.map_err(anyhow::Error::from)? {
        let registered = row.status == EventoStatus::Registered;
        if row.tipo == EventKind::Cce {
            let state = match row.status {
                EventoStatus::InTransmission => "pedido",
                over => over.as_str(),
            };
            let step = place(row.id.as_ref(), state);
            let letter = letter(&row).map_err(anyhow::Error::from)?;
            said.letters.insert(step, letter);
            if registered {
                said.letter = Some(row.id.to_string());
            }
        } else if row.tipo == EventKind::Cancelamento && registered {
            let at = when::rfc3339(row.updated_at_ms);
            let why = reason(&row).map_err(anyhow::Error::from)?;
            said.cancelled = Some(Cancelled { at, why });
        }
    }
    Ok(said)
}

/// Why a document was cancelled. Of a service note the whole request is kept, with a reason of
/// a list.
fn reason(row: &EventoRow) -> DbResult<String> {
    let details: Value = match row.detalhes.as_str() {
        "" => Value::Null,
        details => stored(details, "details of an event", row.id.as_ref())?,
    };
    let request: Value = match text(&details, "justificativa") {
        "" => stored(&row.conteudo, "content of an event", row.id.as_ref())?,
        why => return Ok(why.to_owned()),
    };
    let (code, why) = (
        text(&request, "codigo_motivo"),
        text(&request, "justificativa"),
    );
    Ok(match REASONS.iter().find(|(known, _)| *known == code) {
        Some((known, name)) if !known.is_empty() => format!("{name}: {why}"),
        _ => why.to_owned(),
    })
}

/// The step of an event at which it is in a state.
fn place(event: &str, state: &str) -> String {
    format!("{event} {state}")
}

/// The text of a letter; of a CT-e the fields that it corrects.
fn letter(event: &EventoRow) -> DbResult<String> {
    let details: Value = stored(&event.detalhes, "details of an event", event.id.as_ref())?;
    let fields = details["correcoes"].as_array().into_iter().flatten();
    let fields = fields.map(|one| format!("{}: {}", text(one, "campo"), text(one, "valor")));
    Ok(match text(&details, "correcao") {
        "" => fields.collect::<Vec<_>>().join("\n"),
        said => said.to_owned(),
    })
}

/// The text of the letter that is in force, which the next one replaces and has to repeat;
/// empty where there is none.
///
/// # Errors
/// The database failed, or the letter cannot be read.
pub async fn letter_in_force(visitor: &Visitor, note: &str) -> Result<String, Problem> {
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let rows = eventos::standing(&mut conn, account, &note.into()).await;
    drop(conn);
    let rows = rows.map_err(anyhow::Error::from)?;
    let mut newest = rows.iter().rev();
    let last =
        newest.find(|row| row.tipo == EventKind::Cce && row.status == EventoStatus::Registered);
    let text = last.map(letter).transpose();
    Ok(text.map_err(anyhow::Error::from)?.unwrap_or_default())
}

/// The steps of a history: what is about the document, and folded below it how the hub came by
/// it. `document`: the answer that shows it; `world`: that shows it.
pub fn timeline(history: &Value, document: &Value, world: &str, said: &Said) -> Markup {
    let all = items(history);
    let all = all.iter().filter(|step| !repeats(step, all));
    let (how, what): (Vec<&Value>, Vec<&Value>) = all.partition(|step| is_technical(step));
    html! {
        (list(&what, document, world, said))
        @if !how.is_empty() {
            details class="mais" {
                summary { "Envios e créditos (" (how.len()) ")" }
                (list(&how, document, world, said))
            }
        }
    }
}

/// Whether a step is what webhooks were told of an event whose registration is a step of its own,
/// with its files and what it says.
fn repeats(step: &Value, all: &[Value]) -> bool {
    let kind = match text(step, "tipo").split_once('.') {
        Some((_, "cce")) => "cce",
        Some((_, "cancelada" | "cancelado")) => "cancelamento",
        Some((_, "encerrado")) => "encerramento",
        _ => return false,
    };
    let registered = EventoStatus::Registered.as_str();
    all.iter()
        .any(|other| text(other, "tipo") == kind && text(other, "status") == registered)
}

/// Whether a step is about sending or credits; a failure is of interest to everybody.
fn is_technical(step: &Value) -> bool {
    match text(step, "tipo") {
        "envio" | "espera" => true,
        "resposta" => matches!(step["status_http"].as_i64(), Some(200..=299) | None),
        _ => text(step, "origem") == "creditos",
    }
}

fn list(steps: &[&Value], document: &Value, world: &str, said: &Said) -> Markup {
    let id = text(document, "nota_id");
    let transport = matches!(text(document, "modelo"), "57" | "58");
    html! {
        ol class="tempo" {
            @for step in steps {
                @let letter = said.letters.get(&place(text(step, "evento_id"), text(step, "status")));
                @let registered = text(step, "status") == EventoStatus::Registered.as_str();
                li class=[mark(step)] id=[letter.filter(|_| registered).map(|_| text(step, "evento_id"))] {
                    strong { (words(step, transport)) }
                    @let why = why(step);
                    @if !why.is_empty() { div { (why) } }
                    @if let Some(letter) = letter { div class="linhas" { (letter) } }
                    div class="suave pequeno" {
                        (moment(text(step, "em")))
                        @let origin = origin(text(step, "origem"));
                        @if !origin.is_empty() { " · " (origin) }
                        (files(step, id, world))
                        @if let Some(call) = call_of(step) {
                            " · " a href=(format!("/painel/uso/chamadas/{}?ambiente={world}", encoded(call))) { "detalhes do envio" }
                        }
                    }
                }
            }
        }
    }
}

/// Files of a registered event.
fn files(step: &Value, id: &str, world: &str) -> Markup {
    let event = text(step, "evento_id");
    let kept = text(step, "xml_link").contains("evento=");
    let place = |file: &str| {
        format!(
            "/painel/documentos/{id}/evento/{}/{file}?ambiente={world}",
            encoded(event)
        )
    };
    html! {
        @if kept && !event.is_empty() {
            " · " a href=(place("xml")) { "XML" }
            @if text(step, "tipo") == "cce" && id.starts_with("nfe_") { " · " a href=(place("pdf")) { "PDF da carta" } }
        }
    }
}

/// Whether a mail was asked for of which nothing is known yet.
pub fn mailing(history: &Value) -> bool {
    let mails = items(history)
        .iter()
        .filter(|step| text(step, "tipo") == "email");
    let (asked, known): (Vec<&Value>, Vec<&Value>) =
        mails.partition(|step| text(step, "status") == "pedido");
    asked.len() > known.len()
}

/// Whether an event was asked for of which nothing is known yet.
pub fn waiting(history: &Value) -> bool {
    let events = items(history).iter().filter(|step| {
        let id = text(step, "evento_id");
        !id.is_empty() && text(step, "origem") == "hub"
    });
    let (asked, known): (Vec<&Value>, Vec<&Value>) =
        events.partition(|step| text(step, "status") == "pedido");
    asked.iter().any(|asked| {
        let id = text(asked, "evento_id");
        known.iter().all(|known| text(known, "evento_id") != id)
    })
}

/// The colour of a step, where it is not that of good news.
fn mark(step: &Value) -> Option<&'static str> {
    let failed = matches!(text(step, "status"), "falhou" | "rejeitado" | "nao_enviado");
    if text(step, "tipo").contains("rejeit") || failed {
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

/// What people call an event, and whether that is feminine.
fn event(word: &str) -> Option<(&'static str, bool)> {
    let known = EVENTS.iter().find(|(known, ..)| *known == word);
    known.map(|(_, name, feminine)| (*name, *feminine))
}

/// What became of an event.
fn became(status: &str, feminine: bool) -> &str {
    match (status, feminine) {
        ("pedido", true) => "pedida",
        ("registrado", true) => "registrada",
        ("rejeitado", true) => "rejeitada",
        ("nao_enviado", true) => "não enviada",
        ("nao_enviado", false) => "não enviado",
        ("em_transmissao", _) => "em transmissão",
        (other, _) => other,
    }
}

/// What a step is called. `transport`: of a CT-e or MDF-e, whose names are masculine.
fn words(step: &Value, transport: bool) -> String {
    let credits = step["creditos"].as_i64().unwrap_or(0);
    let credits = format!(
        "{credits} {}",
        if credits == 1 {
            "crédito"
        } else {
            "créditos"
        }
    );
    let state = text(step, "status");
    match text(step, "tipo") {
        "criada" if transport => "Criado".to_owned(),
        "criada" => "Criada".to_owned(),
        "reserva" => format!("{credits} em reserva"),
        "debito" => format!("Débito de {credits}"),
        "devolucao" => format!("Devolução de {credits}"),
        "envio" => match request(text(step, "requisicao")) {
            Some(asked) => format!("Pedido enviado: {asked}"),
            None => "Pedido enviado à autoridade".to_owned(),
        },
        "resposta" => match step["status_http"].as_i64() {
            Some(200..=299) | None => "Resposta da autoridade".to_owned(),
            Some(code) => format!("A autoridade respondeu com um erro (código {code})"),
        },
        "sem_resposta" => "Sem resposta da autoridade".to_owned(),
        "espera" => "À espera".to_owned(),
        "email" => match state {
            "enviado" => "E-mail enviado".to_owned(),
            "falhou" => "E-mail não entregue".to_owned(),
            _ => "E-mail pedido".to_owned(),
        },
        "consulta" if state == "registrado" => "Consulta: respondida".to_owned(),
        other => match (other.split_once('.'), event(other)) {
            // `nfe.autorizada`: an event, told to webhooks.
            (Some((_, "cce")), _) => "Carta de correção registrada".to_owned(),
            (Some((_, "pendente")), _) => "Na fila da prefeitura".to_owned(),
            (Some((_, happened)), _) => capital(&happened.replace('_', " ")),
            (None, Some((name, feminine))) => format!("{name}: {}", became(state, feminine)),
            (None, None) => format!(
                "{} {}",
                capital(&other.replace(['_', '-'], " ")),
                state.replace('_', " ")
            )
            .trim_end()
            .to_owned(),
        },
    }
}

/// Why a step came about, as people say it. What an adapter waits for is told in words
/// of programs.
fn why(step: &Value) -> &str {
    match (text(step, "tipo"), text(step, "motivo")) {
        ("espera", _) => "",
        ("sem_resposta", kind) => fault(kind).unwrap_or("A comunicação com a autoridade falhou."),
        (_, told) => told,
    }
}

/// Who made a step; nothing where the step itself says what became of the document.
fn origin(name: &str) -> &str {
    match name {
        "creditos" => "créditos",
        "evento" => "",
        other => other,
    }
}
