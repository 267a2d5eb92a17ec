//! Which elements are signed, and how.

use crate::options::Options;
use sdk::{Algorithm, Canonicalization, Failure, Placement, SignOptions, host};

/// RSA-SHA1 over C14N 1.0, what the model and the cities' manuals ask for,
/// unless the system's options say otherwise.
fn options_of(options: &Options, place: Placement) -> SignOptions {
    SignOptions {
        algorithm: Algorithm::RsaSha1,
        canonicalization: if options.exclusive {
            Canonicalization::ExclusiveC14n
        } else {
            Canonicalization::C14n
        },
        placement: place,
        id_attribute: options.id_attribute.clone().unwrap_or_default(),
        include_chain: false,
        empty_uri: options.empty_uri,
    }
}

/// Signs the element with this id; the signature is its next sibling.
///
/// # Errors
/// No usable certificate.
pub fn element(options: &Options, xml: &str, id: &str) -> Result<String, Failure> {
    Ok(host::sign_xml(
        xml,
        id,
        options_of(options, Placement::AfterReference),
    )?)
}

/// Signs the whole message; the signature is its last child.
///
/// # Errors
/// No usable certificate.
pub fn message(options: &Options, xml: &str) -> Result<String, Failure> {
    Ok(host::sign_xml(
        xml,
        "",
        options_of(options, Placement::LastChildOfRoot),
    )?)
}

/// Signs the `Rps` with this id inside the declaration; the signature is the
/// declaration's next sibling. What is signed does not change by that, nor
/// does `SignedInfo`: no namespace is declared between the two places.
///
/// # Errors
/// No usable certificate.
pub fn inner_rps(options: &Options, xml: &str, id: &str) -> Result<String, Failure> {
    let signed = element(options, xml, id)?;
    Ok(moved(&signed).unwrap_or(signed))
}

/// The first signature, behind the declaration it stands in.
fn moved(xml: &str) -> Option<String> {
    const CLOSE: &str = "</Signature>";
    const DECLARATION: &str = "</InfDeclaracaoPrestacaoServico>";
    let (before, after) = xml.split_once("<Signature ")?;
    let (inside, rest) = after.split_once(CLOSE)?;
    let (content, rest) = rest.split_once(DECLARATION)?;
    Some(format!(
        "{before}{content}{DECLARATION}<Signature {inside}{CLOSE}{rest}"
    ))
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn the_signature_moves_behind_the_declaration() {
        let xml = "<Rps><InfDeclaracaoPrestacaoServico><Rps Id=\"1\"></Rps><Signature xmlns=\"s\">x</Signature><A></A></InfDeclaracaoPrestacaoServico></Rps>";
        assert_eq!(
            moved(xml).as_deref(),
            Some(
                "<Rps><InfDeclaracaoPrestacaoServico><Rps Id=\"1\"></Rps><A></A></InfDeclaracaoPrestacaoServico><Signature xmlns=\"s\">x</Signature></Rps>"
            )
        );
        assert_eq!(moved("<Rps></Rps>"), None);
    }
}
