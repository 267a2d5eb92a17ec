//! What happened to a document, in order.

use crate::names::{capital, fault, request};
use crate::pages::listing::items;
use crate::parts::{encoded, moment};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
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

/// What letters of correction say, by the step that says what became of each.
pub type Letters = BTreeMap<String, String>;

/// The letters of a history, which itself has no texts.
///
/// # Errors
/// The database failed, or a letter cannot be read.
pub async fn letters(visitor: &Visitor, history: &Value) -> Result<Letters, Problem> {
    let mut steps = items(history).iter();
    if steps.all(|step| text(step, "tipo") != EventKind::Cce.as_str()) {
        return Ok(Letters::new());
    }
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let rows = eventos::of_nota(&mut conn, account, &text(history, "nota_id").into()).await;
    drop(conn);
    let rows = rows.map_err(anyhow::Error::from)?.into_iter();
    let rows = rows.filter(|row| row.tipo == EventKind::Cce);
    let said = rows.map(|row| {
        let state = match row.status {
            EventoStatus::InTransmission => "pedido",
            over => over.as_str(),
        };
        let place = place(row.id.as_ref(), state);
        letter(&row).map(|letter| (place, letter))
    });
    let said: DbResult<Letters> = said.collect();
    Ok(said.map_err(anyhow::Error::from)?)
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

/// The steps of a history. `document`: the answer that shows it; `world`: that shows it.
pub fn timeline(history: &Value, document: &Value, world: &str, letters: &Letters) -> Markup {
    let id = text(document, "nota_id");
    let transport = matches!(text(document, "modelo"), "57" | "58");
    html! {
        ol class="tempo" {
            @for step in items(history) {
                li class=[mark(step)] {
                    strong { (words(step, transport)) }
                    @let why = why(step);
                    @if !why.is_empty() { div { (why) } }
                    @let letter = letters.get(&place(text(step, "evento_id"), text(step, "status")));
                    @if let Some(letter) = letter { div class="linhas" { (letter) } }
                    div class="suave pequeno" {
                        (moment(text(step, "em"))) " · " (origin(text(step, "origem")))
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

/// Who made a step.
fn origin(name: &str) -> &str {
    match name {
        "creditos" => "créditos",
        "evento" => "aviso aos webhooks",
        other => other,
    }
}
