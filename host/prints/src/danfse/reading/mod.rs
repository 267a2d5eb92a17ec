//! Reading an issued note out of whatever the authority answered.

mod abrasf;
mod descriptions;
mod group;
mod ibs_cbs;
mod national;

use super::{Danfse, DanfseError};
use group::Group;
use markup::xml::{Document, Element};

/// Longest single text of a note, in bytes. The layouts stop at 2,000
/// characters; some cities take more.
pub const MAX_TEXT: usize = 32 * 1024;

/// How often XML may be wrapped as text in another XML (SOAP answers do it once).
const MAX_WRAPPERS: usize = 3;

/// Finds the one note in the text and reads it.
pub(super) fn read(xml: &str) -> Result<Danfse, DanfseError> {
    let mut within = None;
    for _ in 0..=MAX_WRAPPERS {
        let text = within.as_deref().unwrap_or(xml);
        let document = Document::parse(text)?;
        if let Some(nota) = only(&document)? {
            limit(nota)?;
            let danfse = convert(nota);
            // A request for a note names it without having it.
            if danfse.number.is_empty() {
                break;
            }
            return Ok(danfse);
        }
        let Some(next) = wrapped(&document) else {
            break;
        };
        within = Some(next);
    }
    Err(DanfseError::NoNota)
}

/// The `infNFSe` or `InfNfse` of the document, if there is one.
fn only<'d>(document: &'d Document<'d>) -> Result<Option<Element<'d>>, DanfseError> {
    let mut notas = document
        .elements()
        .filter(|element| element.name().eq_ignore_ascii_case("infNFSe"));
    let first = notas.next();
    match notas.count() {
        0 => Ok(first),
        others => Err(DanfseError::SeveralNotas(others + 1)),
    }
}

/// The first text of the document that is itself XML, escaped or in CDATA.
fn wrapped(document: &Document<'_>) -> Option<String> {
    document
        .elements()
        .map(Element::text)
        .find(|text| text.trim_start().starts_with('<'))
        .map(|text| text.trim().to_owned())
}

fn limit(nota: Element<'_>) -> Result<(), DanfseError> {
    let longest = nota
        .descendants_or_self()
        .map(|element| element.text().trim().len())
        .max()
        .unwrap_or(0);
    if longest > MAX_TEXT {
        return Err(DanfseError::LongText(longest));
    }
    Ok(())
}

/// The layouts share the element name but for its case; only the national one
/// has `nNFSe`, only ABRASF has `Numero`.
fn convert(nota: Element<'_>) -> Danfse {
    let group = Group::from(nota);
    if group.at("nNFSe").exists() || (nota.name() == "infNFSe" && !group.at("Numero").exists()) {
        national::read(nota)
    } else {
        abrasf::read(nota)
    }
}
