//! What happened to a document, in order.

use crate::pages::listing::items;
use crate::parts::{encoded, moment};
use crate::reply::text;
use maud::{Markup, html};
use serde_json::Value;

/// The steps of a history. `id`: of the document; `world`: that shows it.
pub fn timeline(history: &Value, id: &str, world: &str) -> Markup {
    html! {
        ol class="tempo" {
            @for step in items(history) {
                li class=[mark(step)] {
                    strong { (words(step)) }
                    @if !text(step, "motivo").is_empty() { div { (text(step, "motivo")) } }
                    div class="suave pequeno" {
                        (moment(text(step, "em"))) " · " (origin(text(step, "origem")))
                        (files(step, id, world))
                        @if let Some(call) = call_of(step) {
                            " · " a href=(format!("/painel/uso/chamadas/{}?ambiente={world}", encoded(call))) { "chamada e troca com a autoridade" }
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

/// What people call an event.
pub fn event(word: &str) -> Option<&'static str> {
    Some(match word {
        "consulta" => "Consulta",
        "cancelamento" => "Cancelamento",
        "cce" => "Carta de correção",
        "econf" => "Vínculo de pagamento",
        "econf_desfeito" => "Vínculo de pagamento desfeito",
        "reforma" => "Evento da reforma tributária",
        "inutilizacao" => "Inutilização",
        "manifestacao" => "Manifestação",
        "epec" => "Emissão em contingência",
        "encerramento" => "Encerramento",
        "inclusao_condutor" => "Inclusão de condutor",
        "inclusao_dfe" => "Inclusão de documentos",
        _ => return None,
    })
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
    let state = text(step, "status").replace('_', " ");
    match text(step, "tipo") {
        "criada" => "Criada".to_owned(),
        "reserva" => format!("{credits} em reserva"),
        "debito" => format!("Débito de {credits}"),
        "devolucao" => format!("Devolução de {credits}"),
        "envio" => format!("Enviada: {}", text(step, "requisicao")),
        "resposta" => format!("Resposta da autoridade (HTTP {})", step["status_http"]),
        "sem_resposta" => "Sem resposta da autoridade".to_owned(),
        "espera" => "À espera".to_owned(),
        "email" => match text(step, "status") {
            "enviado" => "E-mail enviado".to_owned(),
            "falhou" => "E-mail não entregue".to_owned(),
            _ => "E-mail pedido".to_owned(),
        },
        other => match (other.split_once('.'), event(other)) {
            // `nfe.autorizada`: an event, told to webhooks.
            (Some((_, happened)), _) => capital(&happened.replace('_', " ")),
            (None, Some(name)) => format!("{name}: {state}"),
            (None, None) => format!("{} {state}", capital(&other.replace(['_', '-'], " ")))
                .trim_end()
                .to_owned(),
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
