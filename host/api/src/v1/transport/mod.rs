//! Files of transport documents: the XML and its printout, also of a draft.

pub mod list;

use crate::v1::documentos;
use crate::v1::product;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::docs::Docs;
use gate::request::list::Query;
use issuing::document::print;
use issuing::issue;
use issuing::issue::contingency::{self, is_announced};
use issuing::model::Model;
use serde_json::json;
use store::tables::notas::{NotaRow, NotaStatus};
use store::tables::{artifacts, emitters};

/// A document with its XML.
pub struct Document {
    pub nota: NotaRow,
    pub xml: Vec<u8>,
}

impl Document {
    /// Name of a file of it: its key, and the id of what has none yet.
    pub fn name(&self, extension: &str) -> String {
        documentos::arquivo(&self.nota, extension)
    }
}

/// The parameter of both files.
pub fn file_docs(docs: Docs) -> Docs {
    docs.query(
        "formato",
        "base64 (padrão) ou binario.",
        json!({ "type": "string", "enum": ["base64", "binario"] }),
    )
}

/// Whether a download asks for the bytes themselves.
///
/// # Errors
/// 400: another format.
pub fn binary(query: &Query) -> Result<bool, Failure> {
    documentos::binary(query)
}

/// A document and its XML: the authority's, or that of a draft as it would be
/// sent now.
///
/// # Errors
/// 404 for anything else, 409 where there is no XML, or what is wrong with the
/// draft by now.
pub async fn document(call: &Call, reference: &str, model: Model) -> Result<Document, Failure> {
    let nota = product::nota(call, reference, model).await?;
    if nota.status == NotaStatus::Draft {
        if !issue::belongs(&nota, call.caller.kind)? {
            return Err(Refusal::new(Code::NaoEncontrado).into());
        }
        let xml = match is_announced(&nota) {
            true => contingency::document(&call.app, &nota).await?,
            false => issue::preview(&call.app, call.caller.clone(), &nota).await?,
        };
        return Ok(Document {
            nota,
            xml: xml.into_bytes(),
        });
    }
    let mut conn = call.app.db.read().await?;
    let kept = artifacts::get(&mut conn, &nota.account_id, &nota.id, model.as_str()).await?;
    let kept = kept.ok_or_else(|| {
        Refusal::new(Code::EstadoInvalido)
            .message("O documento ainda não tem XML.")
            .hint("O XML existe depois da autorização.")
            .nota(&nota.id)
    })?;
    Ok(Document {
        nota,
        xml: kept.bytes,
    })
}

/// The printout of a document.
///
/// # Errors
/// The database failed, or the XML is not what the document says it is.
pub async fn print(call: &Call, document: Document) -> Result<Vec<u8>, Failure> {
    let Document { nota, xml } = document;
    let mut conn = call.app.db.read().await?;
    let emitter = emitters::get(&mut conn, &nota.account_id, &nota.emitter_id).await?;
    drop(conn);
    let logo = emitter.as_ref().map(print::logo).transpose()?.flatten();
    let registry = call.app.registry.load();
    let drawn =
        tokio::task::spawn_blocking(move || print::pdf(&registry, &nota, &xml, logo.as_deref()));
    let pdf = drawn
        .await
        .map_err(|error| Failure::Internal(error.into()))??;
    Ok(pdf)
}
