//! Which elements are signed, and how.

use crate::options::Opcoes;
use sdk::{Algorithm, Canonicalization, Failure, Placement, SignOptions, host};

/// RSA-SHA1 over C14N 1.0: what the model and the cities' manuals ask for.
fn opcoes_de(opcoes: &Opcoes, lugar: Placement) -> SignOptions {
    SignOptions {
        algorithm: Algorithm::RsaSha1,
        canonicalization: Canonicalization::C14n,
        placement: lugar,
        id_attribute: opcoes.atributo_id.clone(),
        include_chain: false,
        empty_uri: false,
    }
}

/// Signs the element with this id; the signature is its next sibling.
///
/// # Errors
/// No usable certificate.
pub fn elemento(opcoes: &Opcoes, xml: &str, id: &str) -> Result<String, Failure> {
    Ok(host::sign_xml(
        xml,
        id,
        opcoes_de(opcoes, Placement::AfterReference),
    )?)
}

/// Signs the whole message; the signature is its last child.
///
/// # Errors
/// No usable certificate.
pub fn mensagem(opcoes: &Opcoes, xml: &str) -> Result<String, Failure> {
    Ok(host::sign_xml(
        xml,
        "",
        opcoes_de(opcoes, Placement::LastChildOfRoot),
    )?)
}
