//! Where a document goes from the world of a page, what that means, and what issuing it
//! costs there.

use super::lookups::price_of;
use crate::reply::text;
use crate::visitor::Visitor;
use maud::{Markup, html};
use serde_json::Value;
use store::words::Ambiente;

/// Where a document of a company goes, as the engine decides it: from Teste a service note
/// reaches no city, and another document goes to homologação where there is a certificate.
/// A CT-e never goes to production.
pub fn of(visitor: &Visitor, emitter: &Value, model: &str) -> Ambiente {
    let certified = emitter["certificado"].is_object();
    match (visitor.live(), model) {
        (true, "57") => Ambiente::Homologacao,
        (true, _) if text(emitter, "ambiente") == "producao" => Ambiente::Production,
        (true, _) => Ambiente::Homologacao,
        (false, "nfse") => Ambiente::Simulated,
        (false, _) if certified => Ambiente::Homologacao,
        (false, _) => Ambiente::Simulated,
    }
}

/// What issuing a document costs, as a button says it: ` (4 créditos)`; empty where it is
/// free. `operation`: the one that issues it.
pub fn cost(place: Ambiente, operation: &str) -> String {
    match place {
        Ambiente::Simulated => String::new(),
        Ambiente::Homologacao | Ambiente::Production => price_of(operation),
    }
}

/// What it means that a document goes there.
pub fn notice(place: Ambiente, model: &str) -> Markup {
    let (it, change) = match model {
        "57" | "58" => (
            "O documento",
            "Depois de autorizado, ele não pode ser alterado",
        ),
        _ => ("A nota", "Depois de autorizada, ela não pode ser alterada"),
    };
    html! {
        @match place {
            Ambiente::Production => {
                div class="aviso-caixa aviso" { p { strong { (it) " terá valor fiscal." } " " (change) ": " (remedy(model)) } }
            }
            Ambiente::Homologacao => {
                div class="aviso-caixa" { p { (it) " vai à homologação: não terá valor fiscal, mas custa como em produção." } }
            }
            Ambiente::Simulated => {
                div class="aviso-caixa" { p { "A emissão é simulada: não chega a nenhuma autoridade e não custa nada." } }
            }
        }
    }
}

/// What can still be done about a document that was authorized, as the end of a sentence.
pub fn remedy(model: &str) -> &'static str {
    match model {
        "55" | "57" => {
            "há o cancelamento, dentro do prazo, e a carta de correção, para erros pequenos."
        }
        "nfse" => {
            "há o cancelamento, dentro do prazo da prefeitura, e, onde ela aceita, a substituição."
        }
        _ => "há o cancelamento, dentro do prazo.",
    }
}
