//! Documents in lists, as several pages show them.

use crate::parts::{self, ambiente, moment, money, status_of_document, table};
use crate::reply::text;
use crate::visitor::Visitor;
use maud::{Markup, html};
use serde_json::Value;

/// Items of a listing.
pub fn items(answer: &Value) -> &[Value] {
    answer["itens"].as_array().map_or(&[], Vec::as_slice)
}

/// Documents as a table.
pub fn rows(visitor: &Visitor, documents: &[Value]) -> Markup {
    table(
        "Documentos",
        &[
            "Documento",
            "Destinatário",
            "Valor",
            "Situação",
            "Criado em",
        ],
        html! {
            @for document in documents {
                tr {
                    td { (link(visitor, document)) }
                    td { (other_party(document)) }
                    td class="num" { (money(value_of(document))) }
                    td { (state(visitor, document)) }
                    td class="curto" { (moment(text(document, "criada_em"))) }
                }
            }
        },
    )
}

/// The way to the page of a document.
pub fn link(visitor: &Visitor, document: &Value) -> Markup {
    let to = parts::document(text(document, "nota_id"), visitor.ambiente());
    html! { a href=(to) { (title(document)) } }
}

/// Its state, and that it is not of production where one might think so.
pub fn state(visitor: &Visitor, document: &Value) -> Markup {
    html! {
        (status_of_document(text(document, "modelo"), text(document, "status")))
        (trial_seal(visitor, document))
    }
}

/// That a document is not of production, in Produção, where one might think that it counts.
pub fn trial_seal(visitor: &Visitor, document: &Value) -> Markup {
    let place = text(document, "ambiente");
    html! {
        @if visitor.live() && place != "producao" { " " span class="selo" { (ambiente(place)) ", sem valor fiscal" } }
    }
}

/// What the other party of a kind of document is called.
pub fn party_name(model: &str) -> &'static str {
    match model {
        "nfse" => "Tomador",
        _ => "Destinatário",
    }
}

/// Name of the other party, or what stands in place of one.
pub fn other_party(document: &Value) -> &str {
    let nobody = match text(document, "modelo") {
        "65" => "Consumidor",
        _ => "–",
    };
    recipient(document).unwrap_or(nobody)
}

/// What people call a kind of document.
pub fn kind(model: &str) -> &'static str {
    match model {
        "55" => "NF-e",
        "65" => "NFC-e",
        "57" => "CT-e",
        "58" => "MDF-e",
        "nfse" => "NFS-e",
        _ => "Documento",
    }
}

/// `NF-e 1523`.
pub fn title(document: &Value) -> String {
    let kind = kind(text(document, "modelo"));
    match (number(document), text(document, "status")) {
        (Some(number), _) => format!("{kind} {number}"),
        (None, "nao_enviada") => format!("{kind} (sem número)"),
        (None, _) => format!("{kind} (rascunho)"),
    }
}

/// The number people know it by: that of the city, where there is one.
pub fn number(document: &Value) -> Option<String> {
    ["/numero", "/numero_nfse", "/rps/numero"]
        .iter()
        .filter_map(|at| document.pointer(at))
        .map(|number| number.to_string().trim_matches('"').to_owned())
        .find(|number| !matches!(number.as_str(), "" | "0" | "null"))
}

/// The series, of the document or of its RPS.
pub fn serie(document: &Value) -> String {
    ["/serie", "/rps/serie"]
        .iter()
        .filter_map(|at| document.pointer(at))
        .find(|serie| !serie.is_null())
        .map(|serie| serie.to_string().trim_matches('"').to_owned())
        .unwrap_or_default()
}

/// Name of the other party.
pub fn recipient(document: &Value) -> Option<&str> {
    ["/destinatario/nome", "/tomador/nome"]
        .iter()
        .filter_map(|at| document.pointer(at)?.as_str())
        .find(|name| !name.is_empty())
}

/// CPF or CNPJ of the other party.
pub fn recipient_id(document: &Value) -> &str {
    ["/destinatario/cpf_cnpj", "/tomador/cpf_cnpj"]
        .iter()
        .filter_map(|at| document.pointer(at)?.as_str())
        .next()
        .unwrap_or_default()
}

/// The document's amount, wherever its kind keeps it.
pub fn value_of(document: &Value) -> &Value {
    let places = [
        "/valor_total",
        "/valor_carga",
        "/valor",
        "/valores/servico",
        "/totais/nota",
    ];
    places
        .iter()
        .filter_map(|at| document.pointer(at))
        .find(|value| !value.is_null())
        .unwrap_or(&Value::Null)
}
