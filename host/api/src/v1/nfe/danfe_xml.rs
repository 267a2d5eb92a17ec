//! POST /api/v1/nfe/danfe-xml: a third party's XML becomes a DANFE, DACTE or
//! DAMDFE.

use super::third_party::{self, Transport};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use gate::request::other_document;
use gate::request::upload::{XML, xml_text};
use markup::xml::Document;
use prints::danfe::{self, DanfeError, PrintOptions};
use prints::{dacte, damdfe};
use schemars::JsonSchema;
use serde::Serialize;
use store::tables::notas::{self, NotaStatus};
use store::tables::recebidas::{self, ReceivedNotaStatus};
use store::words::Maybe;

pub fn built() -> Built {
    Built {
        operation: "nfe.danfe-xml",
        route: |method| on(method, danfe_xml),
        docs: Docs::new("Desenha o DANFE de um XML de NF-e ou NFC-e de terceiros, o DACTE de um CT-e ou o DAMDFE de um MDF-e. Leva a marca de cancelado o documento que o próprio XML ou os documentos da conta dizem cancelado; sem protocolo de autorização, a de que não foi autorizado (a não ser em contingência, cujo documento vale antes dele).")
            .file(&XML, "XmlIn")
            .success::<Charged<DanfeDoXmlOut>>(),
    }
}

/// O documento impresso de um XML.
#[derive(Serialize, JsonSchema)]
struct DanfeDoXmlOut {
    /// Sempre `application/pdf`.
    tipo: &'static str,
    pdf_base64: String,
}

async fn danfe_xml(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Charged<DanfeDoXmlOut>> {
    let xml = xml_text(XML.read(&call, &headers, &bytes)?)?;
    charge::affordable(&call).await?;
    let options = PrintOptions {
        cancelled: known_cancelled(&call, &xml).await?,
        ..PrintOptions::default()
    };
    let drawn = tokio::task::spawn_blocking(move || drawn(&xml, &options));
    let pdf = drawn.await.map_err(anyhow::Error::from)??;
    let body = DanfeDoXmlOut {
        tipo: "application/pdf",
        pdf_base64: STANDARD.encode(pdf),
    };
    charge::paid(&call, body).await
}

/// Whether the account has the document and knows that it was cancelled: its own,
/// or one issued against it.
async fn known_cancelled(call: &Call, xml: &str) -> ApiResult<bool> {
    let Some(chave) = chave(xml) else {
        return Ok(false);
    };
    let caller = &call.caller;
    let (account, unseen) = (&caller.account_id, caller.unseen());
    let mut conn = call.app.db.read().await?;
    let own = notas::by_ref(&mut conn, account, &chave, unseen).await?;
    let received = recebidas::by_chave(&mut conn, account, &chave, unseen, &Maybe(None)).await?;
    Ok(own.is_some_and(|nota| nota.status == NotaStatus::Cancelled)
        || received
            .iter()
            .any(|row| row.situacao == ReceivedNotaStatus::Cancelled))
}

/// The key of the document, if it has one.
fn chave(xml: &str) -> Option<String> {
    let doc = Document::parse(xml).ok()?;
    match third_party::transport(&doc).ok()? {
        Some(transport) => third_party::chave(&doc, transport),
        None => danfe::chave(xml),
    }
}

/// The document on paper.
fn drawn(xml: &str, options: &PrintOptions<'_>) -> ApiResult<Vec<u8>> {
    let doc = Document::parse(xml)
        .map_err(|error| Refusal::new(Code::XmlMalformado).message(error.for_client()))?;
    let pdf = match third_party::transport(&doc)? {
        Some(Transport::Cte) => {
            freight::cte::reading::read(&doc).map_err(other_document::unread)?;
            dacte::dacte(xml, options).map_err(other_document::unread)?
        }
        Some(Transport::Mdfe) => {
            freight::mdfe::reading::read(&doc).map_err(other_document::unread)?;
            damdfe::damdfe(xml, options).map_err(other_document::unread)?
        }
        None => note(xml, &doc, options)?,
    };
    Ok(pdf)
}

/// The note's DANFE.
fn note(xml: &str, doc: &Document<'_>, options: &PrintOptions<'_>) -> ApiResult<Vec<u8>> {
    let drawn = match danfe::danfe(xml, options) {
        Err(DanfeError::Model(_)) => danfe::nfce(xml, options),
        drawn => drawn,
    };
    let pdf = drawn.map_err(|error| {
        let other = other_document::instead_of_a_note(doc);
        other.unwrap_or_else(|| other_document::unread(error))
    })?;
    Ok(pdf)
}
