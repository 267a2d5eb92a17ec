//! Reading an issued note out of whatever the authority answered.

mod abrasf;
mod descriptions;
mod group;
mod ibs_cbs;
mod national;

use super::{Danfse, DanfseError};
use group::Grupo;
use markup::xml::{Document, Element};

/// Longest single text of a note, in bytes. The layouts stop at 2,000
/// characters; some cities take more.
pub const MAX_TEXTO: usize = 32 * 1024;

/// How often XML may be wrapped as text in another XML (SOAP answers do it once).
const MAX_EMBRULHOS: usize = 3;

/// Finds the one note in the text and reads it.
pub(super) fn ler(xml: &str) -> Result<Danfse, DanfseError> {
    let mut dentro = None;
    for _ in 0..=MAX_EMBRULHOS {
        let texto = dentro.as_deref().unwrap_or(xml);
        let document = Document::parse(texto)?;
        if let Some(nota) = unica(&document)? {
            limitar(nota)?;
            let danfse = converter(nota);
            // A request for a note names it without having it.
            if danfse.numero.is_empty() {
                break;
            }
            return Ok(danfse);
        }
        let Some(proximo) = embrulhado(&document) else {
            break;
        };
        dentro = Some(proximo);
    }
    Err(DanfseError::SemNota)
}

/// The `infNFSe` or `InfNfse` of the document, if there is one.
fn unica<'d>(document: &'d Document<'d>) -> Result<Option<Element<'d>>, DanfseError> {
    let mut notas = document
        .elements()
        .filter(|element| element.name().eq_ignore_ascii_case("infNFSe"));
    let first = notas.next();
    match notas.count() {
        0 => Ok(first),
        others => Err(DanfseError::VariasNotas(others + 1)),
    }
}

/// The first text of the document that is itself XML, escaped or in CDATA.
fn embrulhado(document: &Document<'_>) -> Option<String> {
    document
        .elements()
        .map(Element::text)
        .find(|text| text.trim_start().starts_with('<'))
        .map(|text| text.trim().to_owned())
}

fn limitar(nota: Element<'_>) -> Result<(), DanfseError> {
    let longest = nota
        .descendants_or_self()
        .map(|element| element.text().trim().len())
        .max()
        .unwrap_or(0);
    if longest > MAX_TEXTO {
        return Err(DanfseError::TextoLongo(longest));
    }
    Ok(())
}

/// The layouts share the element name but for its case; only the national one
/// has `nNFSe`, only ABRASF has `Numero`.
fn converter(nota: Element<'_>) -> Danfse {
    let grupo = Grupo::from(nota);
    if grupo.em("nNFSe").existe() || (nota.name() == "infNFSe" && !grupo.em("Numero").existe()) {
        national::ler(nota)
    } else {
        abrasf::ler(nota)
    }
}
