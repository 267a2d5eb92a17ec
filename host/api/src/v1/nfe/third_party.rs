//! Which kind a third party's document is.

use base::errors::Failure;
use freight::document::kind::{Kind, kind};
use gate::request::other_document;
use markup::xml::Document;

/// A transport document that is read and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Cte,
    Mdfe,
}

/// Elements of documents, each of which is read alone.
const DOCUMENTS: [&str; 3] = ["NFe", "CTe", "MDFe"];

/// The transport document an XML is; none for a note and for what is neither.
///
/// # Errors
/// There is a document of another kind beside it.
pub(super) fn transport(doc: &Document<'_>) -> Result<Option<Transport>, Failure> {
    let found = match kind(doc) {
        Some((Kind::Cte, _)) => Transport::Cte,
        Some((Kind::Mdfe, _)) => Transport::Mdfe,
        Some((Kind::CteEvent | Kind::MdfeEvent, _)) | None => return Ok(None),
    };
    let there = |name: &&&str| doc.elements().any(|element| element.name() == **name);
    match DOCUMENTS.iter().filter(there).count() {
        1 => Ok(Some(found)),
        _ => Err(other_document::unread("O XML tem documentos de mais de uma espécie.").into()),
    }
}

/// The key in the `Id` of a transport document.
pub(super) fn chave(doc: &Document<'_>, transport: Transport) -> Option<String> {
    let (prefix, body) = match transport {
        Transport::Cte => ("CTe", "infCte"),
        Transport::Mdfe => ("MDFe", "infMDFe"),
    };
    let (_, element) = kind(doc)?;
    let id = element.child(body)?.attribute("Id")?;
    let chave = id.strip_prefix(prefix)?;
    (chave.len() == 44).then(|| chave.to_owned())
}
