//! Lists of documents, as several pages show them.

use crate::parts::{self, ambiente, moment, money, status, table};
use crate::reply::text;
use crate::visitor::Visitor;
use maud::{Markup, html};
use serde_json::Value;

/// Items of a listing.
pub fn items(answer: &Value) -> &[Value] {
    answer["itens"].as_array().map_or(&[], Vec::as_slice)
}

/// Documents as a table; used by the list of them, too.
pub fn rows(visitor: &Visitor, documents: &[Value]) -> Markup {
    let live = visitor.live();
    table(
        "Documentos",
        &["Documento", "Destinatário", "Valor", "Estado", "Criada em"],
        html! {
            @for document in documents {
                tr {
                    td {
                        a href=(parts::document(text(document, "nota_id"), visitor.ambiente())) { (title(document)) }
                    }
                    td { (recipient(document).unwrap_or(if text(document, "modelo") == "65" { "Consumidor" } else { "–" })) }
                    td class="num" { (money(value_of(document))) }
                    td {
                        (status(text(document, "status")))
                        @if live && text(document, "ambiente") != "producao" { " " span class="selo" { (ambiente(text(document, "ambiente"))) } }
                    }
                    td class="curto" { (moment(text(document, "criada_em"))) }
                }
            }
        },
    )
}

/// `NF-e 1/1523`.
pub fn title(document: &Value) -> String {
    let kind = match text(document, "modelo") {
        "55" => "NF-e",
        "65" => "NFC-e",
        "57" => "CT-e",
        "58" => "MDF-e",
        "nfse" => "NFS-e",
        _ => "Documento",
    };
    let number = ["/numero", "/numero_nfse", "/rps/numero"]
        .iter()
        .filter_map(|at| document.pointer(at))
        .map(|number| number.to_string().trim_matches('"').to_owned())
        .find(|number| !matches!(number.as_str(), "" | "0" | "null"));
    match number {
        Some(number) => format!("{kind} {number}"),
        None => format!("{kind} (rascunho)"),
    }
}

/// Name of the other party.
pub fn recipient(document: &Value) -> Option<&str> {
    ["/destinatario/nome", "/tomador/nome"]
        .iter()
        .filter_map(|at| document.pointer(at)?.as_str())
        .find(|name| !name.is_empty())
}

/// The document's amount, wherever its kind keeps it.
pub fn value_of(document: &Value) -> &Value {
    let places = ["/valor_total", "/valor", "/valores/servico", "/totais/nota"];
    places
        .iter()
        .filter_map(|at| document.pointer(at))
        .find(|value| !value.is_null())
        .unwrap_or(&Value::Null)
}
