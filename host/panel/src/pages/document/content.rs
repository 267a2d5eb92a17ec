//! What a document says, read from the authority's XML: parties, items, taxes,
//! payments.

use super::files::{self, File};
use super::{product, service, transport};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use fiscal::nfe::reading;
use markup::xml::Document;
use maud::{Markup, html};
use prints::danfse::Danfse;
use serde_json::Value;

/// The content of a document, by its layout.
pub enum Content {
    /// NF-e and NFC-e, with the names of the API.
    Product(Value),
    Service(Box<Danfse>),
    /// CT-e and MDF-e, with the names of the API.
    Transport(Value),
    /// What was asked for, of a document that was not authorized.
    Asked(Box<Content>),
    /// There is no XML, or it cannot be read.
    Unknown,
}

/// Reads the XML that is kept of a document.
///
/// # Errors
/// The process failed; a document without XML is [`Content::Unknown`].
pub async fn of(visitor: &Visitor, document: &Value) -> Result<Content, Problem> {
    if !files::exist(document) {
        return Ok(Content::Unknown);
    }
    let Ok(bytes) = files::read(visitor, document, File::Xml).await else {
        return Ok(Content::Unknown);
    };
    let model = text(document, "modelo").to_owned();
    let registry = visitor.panel.app.registry.load();
    // A note of nine hundred items takes some milliseconds.
    let read = tokio::task::spawn_blocking(move || {
        let Ok(xml) = String::from_utf8(bytes) else {
            return Content::Unknown;
        };
        let mut content = read(&model, &xml);
        if let Content::Service(note) = &mut content {
            note.name_municipalities(|code| {
                registry
                    .municipality(code)
                    .map(|municipality| municipality.name.clone())
            });
        }
        content
    });
    Ok(read.await.map_err(anyhow::Error::from)?)
}

/// The content of an NF-e whose XML is at hand.
///
/// # Errors
/// The process failed.
pub async fn product_of(bytes: Vec<u8>) -> Result<Content, Problem> {
    let read = tokio::task::spawn_blocking(move || {
        String::from_utf8(bytes).map_or(Content::Unknown, |xml| read("55", &xml))
    });
    Ok(read.await.map_err(anyhow::Error::from)?)
}

/// The content of an XML of a model.
///
/// # Errors
/// The process failed.
pub async fn of_xml(model: String, xml: String) -> Result<Content, Problem> {
    let read = tokio::task::spawn_blocking(move || read(&model, &xml));
    Ok(read.await.map_err(anyhow::Error::from)?)
}

fn read(model: &str, xml: &str) -> Content {
    if model == "nfse" {
        let note = Danfse::from_nfse_xml(xml);
        return note.map_or(Content::Unknown, |note| Content::Service(Box::new(note)));
    }
    let Ok(document) = Document::parse(xml) else {
        return Content::Unknown;
    };
    let value = match model {
        "57" => freight::cte::reading::read(&document)
            .ok()
            .and_then(|read| serde_json::to_value(&read).ok()),
        "58" => freight::mdfe::reading::read(&document)
            .ok()
            .and_then(|read| serde_json::to_value(&read).ok()),
        _ => reading::read(&document)
            .ok()
            .and_then(|read| serde_json::to_value(&read).ok()),
    };
    match (value, model) {
        (Some(value), "57" | "58") => Content::Transport(value),
        (Some(value), _) => Content::Product(value),
        (None, _) => Content::Unknown,
    }
}

/// That a content is what was asked for, and what became of it.
fn said(document: &Value) -> &'static str {
    match text(document, "status") {
        "rascunho" => {
            "O conteúdo abaixo é o do rascunho. Ele ainda não foi autorizado, e os impostos são calculados ao emitir."
        }
        "rejeitada" | "nao_enviada" => {
            "O conteúdo abaixo é o que foi pedido. Ele não foi autorizado e não tem valor fiscal."
        }
        _ => "O conteúdo abaixo é o que foi pedido. Ele ainda não foi autorizado.",
    }
}

/// The content as sections of a page.
pub fn shown(content: &Content, document: &Value) -> Markup {
    match content {
        Content::Product(note) => product::shown(note, &super::items_refused(document)),
        Content::Service(note) => service::shown(note),
        Content::Transport(read) => transport::shown(read, text(document, "modelo")),
        Content::Asked(content) => html! {
            div class="aviso-caixa" { p { (said(document)) } }
            (shown(content, document))
        },
        Content::Unknown if files::exist(document) => html! {
            section class="cartao" {
                h2 { "Conteúdo" }
                p class="suave" { "O XML deste documento não está guardado ou não pôde ser lido aqui. Itens e tributos não são mostrados." }
            }
        },
        Content::Unknown => html! {},
    }
}
