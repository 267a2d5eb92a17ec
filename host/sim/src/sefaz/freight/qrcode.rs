//! The QR code of CT-e and MDF-e, outside of the signed part.
//!
//! Source: MOC CT-e 4.00, 9.2 and annex I, G212 to G217; of MDF-e the codes of
//! public lists.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openssl::hash::MessageDigest;
use openssl::sign::Verifier;
use openssl::x509::X509;

use super::require::require;
use crate::sefaz::answer::Place;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::Dfe;

/// Codes of: absent, another address, another key, no signature, a signature
/// too many, a wrong one.
const CTE: [&str; 6] = ["850", "851", "852", "853", "854", "855"];
const MDFE: [&str; 6] = ["480", "479", "481", "482", "488", "496"];

static ADDRESSES: &str = include_str!("../tabelas/qrcode.txt");

/// `signed`: the form of emission wants a signature in it.
pub(super) fn check(place: Place, dfe: &Dfe, signed: bool) -> Result<(), Refusal> {
    let name = dfe.family.name;
    let [absent, elsewhere, other, unsigned, needless, wrong] =
        if name == "CTe" { CTE } else { MDFE };
    let code = dfe
        .root
        .text_at(&format!("inf{name}Supl/qrCod{name}"))
        .unwrap_or_default();
    require(!code.is_empty(), absent)?;
    let (address, parameters) = code.split_once('?').unwrap_or((&code, ""));
    require(known(place, dfe, address), elsewhere)?;
    let value = |wanted: &str| {
        parameters
            .split('&')
            .find_map(|part| part.strip_prefix(wanted)?.strip_prefix('='))
    };
    let key = dfe.chave();
    require(value(&dfe.family.chave()) == Some(key.as_str()), other)?;
    // No code of its own.
    require(value("tpAmb") == Some(place.tp_amb()), elsewhere)?;
    match (signed, value("sign")) {
        (true, None) => Err(unsigned.into()),
        (false, Some(_)) => Err(needless.into()),
        (true, Some(sign)) => require(holds(dfe, &key, sign), wrong),
        (false, None) => Ok(()),
    }
}

/// One of the addresses known for the state; scheme and case do not matter.
fn known(place: Place, dfe: &Dfe, address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let plain = lower
        .trim_start_matches("https://")
        .trim_start_matches("http://");
    let kind = dfe.family.data;
    let wanted = format!("{} {} {kind} ", dfe.uf(), place.tp_amb());
    let shared = format!("* {} {kind} ", place.tp_amb());
    let of = |start: &str| {
        ADDRESSES
            .lines()
            .filter_map(|l| l.strip_prefix(start))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let own = of(&wanted);
    let own = if own.is_empty() { of(&shared) } else { own };
    own.iter().any(|k| k == plain)
}

/// RSA with SHA-1 over the key, by the certificate of the document.
fn holds(dfe: &Dfe, key: &str, sign: &str) -> bool {
    let certificate = dfe
        .root
        .text_at("Signature/KeyInfo/X509Data/X509Certificate")
        .and_then(|c| STANDARD.decode(c).ok());
    certificate
        .and_then(|der| X509::from_der(&der).ok())
        .and_then(|c| c.public_key().ok())
        .zip(STANDARD.decode(sign).ok())
        .is_some_and(|(public, value)| {
            Verifier::new(MessageDigest::sha1(), &public)
                .and_then(|mut v| v.verify_oneshot(&value, key.as_bytes()))
                .unwrap_or(false)
        })
}
