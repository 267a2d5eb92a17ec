//! The signed document of a flow: built once, durable with the request that
//! carries it first, and the same bytes ever after.
//!
//! What is signed stands finished in the note's or the event's row, written
//! by the first transaction. RSA PKCS#1 v1.5 has no randomness: a process
//! that dies before the second transaction signs the same bytes again.

use crate::Issuing;
use authority::customer::IssuingCustomer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flow::contract::{SignError, signer};
use flow::{Attachment, Customer as _};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use store::Present as _;
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::flows::FlowRow;
use store::tables::notas::NotaRow;
use store::tables::{eventos, notas};

/// A document and whether the journal has it already.
pub struct Documento {
    pub bytes: Arc<[u8]>,
    /// To be journaled: it never left.
    pub attachment: Option<Attachment>,
}

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentoError {
    #[error("signature: {0:?}")]
    Sign(SignError),
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl From<sqlx::Error> for DocumentoError {
    fn from(error: sqlx::Error) -> Self {
        DocumentoError::Other(error.into())
    }
}

/// Name under which the signed document of a note or event is kept until the
/// authority answers. A note that had to take another key has one for each.
pub fn kind(chave: &str) -> String {
    format!("envio/{chave}")
}

/// The document of a flow: as it left, or signed now.
///
/// # Errors
/// It cannot be signed, or the database failed.
pub async fn of(
    app: &Issuing,
    flow: &FlowRow,
    customer: &IssuingCustomer,
) -> Result<Documento, DocumentoError> {
    let mut conn = app.db.read().await?;
    let (chave, unsigned) = match notas::by_id(&mut conn, &flow.subject_id.as_str().into()).await? {
        Some(nota) => (nota.chave, nota.conteudo),
        None => {
            let evento = eventos::by_id(&mut conn, &flow.subject_id.as_str().into())
                .await?
                .present("subject of a flow", &flow.id)?;
            (evento.chave, evento.conteudo)
        }
    };
    let kind = kind(&chave);
    let kept = artifacts::get(&mut conn, &flow.account_id, &flow.subject_id, &kind).await?;
    drop(conn);
    if let Some(kept) = kept {
        return Ok(Documento {
            bytes: kept.bytes.into(),
            attachment: None,
        });
    }
    let signed = sign(customer, &chave, &unsigned).map_err(DocumentoError::Sign)?;
    let bytes: Arc<[u8]> = signed.into_bytes().into();
    let attachment = Attachment {
        account: flow.account_id.to_string(),
        subject: flow.subject_id.clone(),
        kind,
        bytes: bytes.clone(),
    };
    Ok(Documento {
        bytes,
        attachment: Some(attachment),
    })
}

/// Signs what stands ready to be sent. The QR code of a CT-e in contingency has the
/// signature of its key besides (MOC CT-e 4.00, annex II).
///
/// # Errors
/// No certificate, or the document is not one of ours.
pub fn sign(customer: &IssuingCustomer, chave: &str, unsigned: &str) -> Result<String, SignError> {
    if !unsigned.ends_with("</CTe>") || form_of_emission(chave) != Some("4") {
        return customer.sign_document(unsigned);
    }
    let value = customer.sign_bytes(chave.as_bytes(), signer::Algorithm::RsaSha1)?;
    let (before, after) = unsigned
        .split_once(CODE_END)
        .ok_or_else(|| SignError::MalformedXml("no QR code".to_owned()))?;
    let value = STANDARD.encode(value);
    customer.sign_document(&format!("{before}&amp;sign={value}{CODE_END}{after}"))
}

/// End of the QR code of a CT-e.
const CODE_END: &str = "</qrCodCTe>";

/// `tpEmis` in an access key.
fn form_of_emission(chave: &str) -> Option<&str> {
    chave.get(34..35)
}

/// The row that keeps a document.
pub fn artifact(attachment: &Attachment, now_ms: i64) -> ArtifactRow {
    ArtifactRow {
        subject_id: attachment.subject.clone(),
        tipo: attachment.kind.clone(),
        account_id: attachment.account.as_str().into(),
        media_type: "application/xml".to_owned(),
        sha256: flow::hex(&Sha256::digest(&attachment.bytes)),
        bytes: attachment.bytes.to_vec(),
        created_at_ms: now_ms,
    }
}

/// The signed note as it left, once the authority has answered for `nota.chave`.
///
/// # Errors
/// The database failed, or the document is gone.
pub async fn sent(conn: &mut store::Conn, nota: &NotaRow) -> store::DbResult<ArtifactRow> {
    artifacts::get(conn, &nota.account_id, &nota.id, &kind(&nota.chave))
        .await?
        .present("document of a note that was sent", &nota.id)
}
