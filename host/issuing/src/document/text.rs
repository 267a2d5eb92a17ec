//! Values put into the finished, unsigned text of a document that goes to a
//! SEFAZ.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use compose::qrcode::Supplement;
use markup::ids::chave::{Chave, Parts};
use sha1::{Digest as _, Sha1};

/// A place in the text and what goes there: between the next `open` and the
/// `close` after it.
pub struct Stretch<'a> {
    pub open: &'a str,
    pub close: &'a str,
    pub value: &'a str,
}

/// Puts each value into its place, the places in the order of the text; None
/// when one is not there.
pub fn splice(xml: &str, stretches: &[Stretch<'_>]) -> Option<String> {
    let mut spliced = String::with_capacity(xml.len() + 512);
    let mut rest = xml;
    for Stretch { open, close, value } in stretches {
        let (before, after) = rest.split_once(open)?;
        let end = after.find(close)?;
        spliced.push_str(before);
        spliced.push_str(open);
        spliced.push_str(value);
        rest = &after[end..];
    }
    spliced.push_str(rest);
    Some(spliced)
}

/// The document under a number: its key, the number, the random code and the
/// check digit in the places that the layout of its model has for them.
pub fn numbered(xml: &str, chave: &Chave, parts: &Parts) -> Option<String> {
    let (id, dv) = (chave.id(), chave.dv().to_string());
    let (number, code) = (parts.number.to_string(), format!("{:08}", parts.c_nf));
    let stretch = |open, close, value| Stretch { open, close, value };
    let [first, second] = match parts.model {
        57 => [("<cCT>", &code), ("<nCT>", &number)],
        58 => [("<nMDF>", &number), ("<cMDF>", &code)],
        _ => [("<cNF>", &code), ("<nNF>", &number)],
    };
    splice(
        xml,
        &[
            stretch(" Id=\"", "\"", &id),
            stretch(first.0, "<", first.1),
            stretch(second.0, "<", second.1),
            stretch("<cDV>", "<", &dv),
        ],
    )
}

const CSRT_HASH: &str = "<hashCSRT>";

/// The hash of the technician's secret and the key that a document has (NT
/// 2018.005, ZD09).
pub fn csrt_hash(xml: &str) -> Option<&str> {
    let (_, rest) = xml.split_once(CSRT_HASH)?;
    rest.split_once('<').map(|(hash, _)| hash)
}

/// That hash for a key.
pub fn hash_of(csrt: &str, chave: &str) -> String {
    STANDARD.encode(Sha1::digest(format!("{csrt}{chave}").as_bytes()))
}

/// The document with that hash for its key.
pub fn with_csrt_hash(xml: &str, csrt: &str, chave: &str) -> Option<String> {
    let hash = Stretch {
        open: CSRT_HASH,
        close: "<",
        value: &hash_of(csrt, chave),
    };
    splice(xml, &[hash])
}

/// The group of the QR code as canonical text, in the place of the one that
/// is there or before the end: it is not signed, and stands between the signed
/// element and the signature.
pub fn with_supplement(xml: &str, supplement: &Supplement) -> Option<String> {
    let (group, root, code) = if xml.ends_with("</CTe>") {
        ("infCTeSupl", "CTe", "qrCodCTe")
    } else if xml.ends_with("</MDFe>") {
        ("infMDFeSupl", "MDFe", "qrCodMDFe")
    } else {
        ("infNFeSupl", "NFe", "qrCode")
    };
    let (open, close) = (format!("<{group}>"), format!("</{group}>"));
    let (start, end) = match xml.rfind(&open) {
        Some(start) => (start, start + xml[start..].find(&close)? + close.len()),
        None => {
            let end = xml.rfind(&format!("</{root}>"))?;
            (end, end)
        }
    };
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    // Only the consumer's note has an address for people.
    let address = match supplement.url_chave.as_str() {
        "" => String::new(),
        address => format!("<urlChave>{}</urlChave>", escaped(address)),
    };
    Some(format!(
        "{}{open}<{code}>{}</{code}>{address}{close}{}",
        &xml[..start],
        escaped(&supplement.qr_code),
        &xml[end..]
    ))
}
