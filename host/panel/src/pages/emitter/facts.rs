//! What is known of a company, and what it lacks.

use super::wrong::{field_at, label, out_of_date};
use crate::parts::{ambiente, cnpj, moment, status};
use crate::reply::text;
use maud::{Markup, html};
use serde_json::Value;

/// Of a certificate that is missing: nobody has to send one to begin.
const UNNEEDED: &str = "Para as notas do ambiente de teste não é preciso nenhum.";

/// The facts of a company, as its page and the list of companies show them. `page`: where
/// what is missing can be filled in; empty: on the page that shows them. None: the person may
/// not do it.
pub fn facts(emitter: &Value, page: Option<&str>) -> Markup {
    let pending = emitter["pendencias_detalhes"].as_array();
    let pending = pending.map_or(&[][..], Vec::as_slice);
    html! {
        dl class="fatos" {
            dt { "CNPJ" } dd class="mono" { (cnpj(text(emitter, "cnpj"))) }
            dt { "Ambiente" } dd { (ambiente(text(emitter, "ambiente"))) }
            dt { "Certificado" } dd { (validity(&emitter["certificado"])) }
            @if !pending.is_empty() {
                dt { "Pendências" }
                dd { ul class="simples" { @for one in pending { li { (missing(one)) @if let Some(page) = page { (way(one, page)) } } } } }
            }
            dt { "Identificador" } dd class="mono" { (text(emitter, "id")) }
        }
    }
}

/// Until when a certificate is good. Null: there is none.
pub fn validity(certificate: &Value) -> Markup {
    let state = text(certificate, "situacao");
    let days = certificate["dias_restantes"].as_i64();
    html! {
        @if certificate.is_object() {
            (status(state))
            (match state { "vencido" => " em ", "vence_em_breve" => ": ", _ => " até " })
            (moment(text(certificate, "valido_ate")))
            @match days.filter(|_| state != "vencido") {
                Some(0) => { " (menos de 1 dia)" }
                Some(1) => { " (1 dia)" }
                Some(days) => { " (" (days) " dias)" }
                None => {}
            }
        } @else { span class="selo" { "sem certificado" } }
    }
}

/// The way to where something is filled in that a company lacks.
fn way(one: &Value, page: &str) -> Markup {
    let (id, word) = match text(one, "campo") {
        "certificado" => ("certificado", "Certificado A1"),
        place => match field_at(place) {
            Some(name) => (name, label(name)),
            None => return html! {},
        },
    };
    html! { " " a href=(format!("{page}#{id}")) { "Ir para " (word) } }
}

/// Something that a company lacks, as people read it.
fn missing(one: &Value) -> String {
    let message = text(one, "mensagem");
    match text(one, "codigo") {
        "certificado_ausente" => format!("{message} {UNNEEDED}"),
        "certificado_vencido" => out_of_date(message),
        _ => called(text(one, "campo"), message),
    }
}

/// A sentence with the word of people for a login that a city demands.
fn called(place: &str, message: &str) -> String {
    let Some(name) = place.strip_prefix("nfse.credenciais.") else {
        return message.to_owned();
    };
    let word = match name {
        "usuario" => "o usuário da empresa no sistema da prefeitura",
        "senha" => "a senha da empresa no sistema da prefeitura",
        "token" => "o token da empresa no sistema da prefeitura",
        "chave_autorizacao" => "a chave de autorização da empresa",
        "frase_secreta" => "a frase secreta da empresa",
        _ => return message.to_owned(),
    };
    message.replace(&format!("a credencial {name}"), word)
}
