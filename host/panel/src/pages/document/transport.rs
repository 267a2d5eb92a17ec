//! A CT-e or MDF-e on its page.

use super::product::party;
use crate::names::capital;
use crate::pages::values::{written, written_value};
use crate::reply::words::words;
use maud::{Markup, html};
use serde_json::Value;

/// Groups that are parties.
const PARTIES: [(&str, &str); 6] = [
    ("emitente", "Emitente"),
    ("remetente", "Remetente"),
    ("destinatario", "Destinatário"),
    ("expedidor", "Expedidor"),
    ("recebedor", "Recebedor"),
    ("tomador", "Tomador"),
];
/// What stands elsewhere on the page, or is for programs.
const APART: [&str; 14] = [
    "chave",
    "id",
    "layout",
    "modelo",
    "numero",
    "serie",
    "codigo_uf",
    "codigo_numerico",
    "digito_verificador",
    "qr_code",
    "fora_do_pedido",
    "protocolo",
    "outros",
    "avisos",
];

/// Sections of a document. `read`: with the names of the API.
pub fn shown(read: &Value, model: &str) -> Markup {
    let is_party = |name: &str| PARTIES.iter().any(|(party, _)| *party == name);
    let groups: Vec<(&String, &Value)> = read
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !APART.contains(&name.as_str()) && !is_party(name))
        .collect();
    let (plain, deep): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .partition(|(_, value)| !value.is_object() && !value.is_array());
    let place = match model {
        "57" => "Prestação",
        _ => "Viagem",
    };
    html! {
        section class="cartao" {
            h2 { "Quem" }
            div class="grade larga" {
                @for (name, title) in PARTIES { @if read[name].is_object() { (party(title, &read[name])) } }
            }
        }
        section class="cartao" {
            h2 { (place) }
            (written(place, &plain))
        }
        @for (name, value) in deep {
            section class="cartao" {
                h2 { (capital(&words(name))) }
                (written_value(name, value))
            }
        }
    }
}
