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

/// The row of a document that is a draft; None for any other document.
///
/// # Errors
/// The database failed.
pub async fn draft(visitor: &Visitor, document: &Value) -> Result<Option<NotaRow>, Problem> {
    match text(document, "status") {
        "rascunho" => row(visitor, text(document, "nota_id")).await,
        _ => Ok(None),
    }
}

/// A draft that was kept in the other world: both see one of homologação, and only that world
/// issues or deletes it.
pub struct Elsewhere {
    /// Where it was kept.
    pub sentence: &'static str,
    /// The way to its page there, and its words.
    pub page: String,
    pub words: &'static str,
}

impl Elsewhere {
    /// Refuses what cannot be done with it here.
    pub fn problem(&self) -> Problem {
        let problem = Problem::new(404, "Rascunho de outro ambiente", self.sentence);
        problem.leading(&self.page, self.words)
    }
}

/// Where a draft was kept; None where that is the world of the page, and for any other
/// document.
///
/// # Errors
/// The draft cannot be read.
pub fn elsewhere(visitor: &Visitor, nota: Option<&NotaRow>) -> Result<Option<Elsewhere>, Problem> {
    let Some(nota) = nota.filter(|nota| nota.status == NotaStatus::Draft) else {
        return Ok(None);
    };
    let here = issuing::issue::belongs(nota, visitor.kind());
    if here.map_err(anyhow::Error::from)? {
        return Ok(None);
    }
    let (sentence, world, words) = match visitor.live() {
        true => (
            "Este rascunho foi guardado em Teste: só lá pode ser continuado, emitido ou excluído.",
            "teste",
            "Abrir o rascunho em Teste",
        ),
        false => (
            "Este rascunho foi guardado em Produção: só lá pode ser continuado, emitido ou excluído.",
            "producao",
            "Abrir o rascunho em Produção",
        ),
    };
    let id = encoded(nota.id.as_str());
    Ok(Some(Elsewhere {
        sentence,
        page: format!("/painel/documentos/{id}?ambiente={world}"),
        words,
    }))
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
