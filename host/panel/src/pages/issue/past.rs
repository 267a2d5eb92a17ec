//! What a document of the account says, in the words of the API's requests: of
//! a draft what was asked for, of a service note its declaration, of a product
//! note what its XML says.

use crate::parts::encoded;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use fiscal::nfe::reading;
use issuing::model::Model;
use markup::xml::Document;
use serde_json::Value;
use store::ids::NotaId;
use store::tables::notas::{NotaRow, NotaStatus};
use store::tables::{artifacts, notas};
use store::words::KeyKind;

/// The row of a document of the account.
///
/// # Errors
/// The database failed.
pub async fn row(visitor: &Visitor, id: &str) -> Result<Option<NotaRow>, Problem> {
    let mut conn = visitor.read().await?;
    let id = NotaId::from(id);
    let row = notas::get(&mut conn, &visitor.session.row.account_id, &id).await;
    Ok(row.map_err(anyhow::Error::from)?)
}

/// The texts of a form that was kept before it was finished; None for any other document.
///
/// # Errors
/// The draft cannot be read.
pub fn form(nota: &NotaRow) -> Result<Option<Vec<(String, String)>>, Problem> {
    let form = issuing::issue::form_of(nota);
    Ok(form.map_err(anyhow::Error::from)?)
}

/// The texts of the form that a draft was made with, finished or not; None for any other
/// document.
///
/// # Errors
/// The draft cannot be read.
pub fn texts(nota: &NotaRow) -> Result<Option<Vec<(String, String)>>, Problem> {
    let texts = issuing::issue::texts_of(nota);
    Ok(texts.map_err(anyhow::Error::from)?)
}

/// Whether a document is a form that was kept before a note could be made of it.
///
/// # Errors
/// The draft cannot be read.
pub async fn is_unfinished(visitor: &Visitor, document: &Value) -> Result<bool, Problem> {
    if text(document, "status") != "rascunho" {
        return Ok(false);
    }
    let row = row(visitor, text(document, "nota_id")).await?;
    Ok(row.map(|row| form(&row)).transpose()?.flatten().is_some())
}

/// Whether a document is a draft that was kept in the other world: both see one of
/// homologação, and only that world issues or deletes it.
///
/// # Errors
/// The draft cannot be read.
pub async fn is_elsewhere(visitor: &Visitor, document: &Value) -> Result<bool, Problem> {
    if text(document, "status") != "rascunho" {
        return Ok(false);
    }
    let row = row(visitor, text(document, "nota_id")).await?;
    Ok(row.map(|row| is_of_world(visitor, &row)).transpose()? == Some(false))
}

/// Whether the world of a page is that in which a draft was kept; of any other document
/// whether it sees it.
///
/// # Errors
/// The draft cannot be read.
pub fn is_of_world(visitor: &Visitor, nota: &NotaRow) -> Result<bool, Problem> {
    let key = match visitor.live() {
        true => KeyKind::Live,
        false => KeyKind::Test,
    };
    let belongs = issuing::issue::belongs_to(nota, key);
    Ok(belongs.map_err(anyhow::Error::from)?)
}

/// Where a draft of the other world was kept, as a sentence.
pub fn kept_elsewhere(visitor: &Visitor) -> &'static str {
    match visitor.live() {
        true => {
            "Este rascunho foi guardado em Teste: só lá pode ser continuado, emitido ou excluído."
        }
        false => {
            "Este rascunho foi guardado em Produção: só lá pode ser continuado, emitido ou excluído."
        }
    }
}

/// The way to the page of such a draft, and its words. `id`: of the draft.
pub fn way_elsewhere(visitor: &Visitor, id: &str) -> (String, &'static str) {
    let (world, words) = match visitor.live() {
        true => ("teste", "Abrir o rascunho em Teste"),
        false => ("producao", "Abrir o rascunho em Produção"),
    };
    let page = format!("/painel/documentos/{}?ambiente={world}", encoded(id));
    (page, words)
}

/// Refuses what cannot be done with a draft of the other world. `id`: of the draft.
pub fn not_here(visitor: &Visitor, id: &str) -> Problem {
    let (page, words) = way_elsewhere(visitor, id);
    let problem = Problem::new(404, "Rascunho de outro ambiente", kept_elsewhere(visitor));
    problem.leading(&page, words)
}

/// The request it came of; None where nothing of it is kept, or it is of a kind
/// that the form does not issue.
///
/// # Errors
/// The database failed.
pub async fn request(visitor: &Visitor, nota: &NotaRow) -> Result<Option<Value>, Problem> {
    let draft = nota.status == NotaStatus::Draft && nota.chave.is_empty();
    match nota.modelo {
        Model::Cte | Model::Mdfe => Ok(None),
        Model::Nfe | Model::Nfce | Model::Nfse if draft => Ok(of_draft(&nota.conteudo)),
        Model::Nfse => Ok(serde_json::from_str(&nota.conteudo).ok()),
        Model::Nfe | Model::Nfce => {
            let xml = xml(visitor, nota).await?;
            Ok(xml.and_then(|xml| of_xml(&xml)))
        }
    }
}

/// What was asked for, with what a draft keeps beside the content.
fn of_draft(content: &str) -> Option<Value> {
    let mut kept: Value = serde_json::from_str(content).ok()?;
    let mut request = kept["conteudo"].take();
    for name in ["data_competencia", "pessoas"] {
        if !kept[name].is_null() {
            request[name] = kept[name].take();
        }
    }
    Some(request)
}

/// The document that was, or would have been, sent; None where it is not kept.
///
/// # Errors
/// The database failed.
pub async fn xml(visitor: &Visitor, nota: &NotaRow) -> Result<Option<String>, Problem> {
    if !nota.conteudo.is_empty() {
        return Ok(Some(nota.conteudo.clone()));
    }
    let mut conn = visitor.read().await?;
    let kind = nota.modelo.as_str();
    let found = artifacts::get(&mut conn, &nota.account_id, &nota.id, kind).await;
    let found = found.map_err(anyhow::Error::from)?;
    Ok(found.and_then(|file| String::from_utf8(file.bytes).ok()))
}

fn of_xml(xml: &str) -> Option<Value> {
    let document = Document::parse(xml).ok()?;
    let read = reading::read(&document).ok()?;
    serde_json::to_value(&read.nota).ok()
}
