//! Values put into the finished, unsigned text of a product note.

use compose::qrcode::Supplement;

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

/// The group of the QR code as canonical text, in the place of the one that
/// is there or before the end: it is not signed, and stands between `infNFe`
/// and the signature.
pub fn with_supplement(xml: &str, supplement: &Supplement) -> Option<String> {
    const OPEN: &str = "<infNFeSupl>";
    const CLOSE: &str = "</infNFeSupl>";
    let (start, end) = match xml.rfind(OPEN) {
        Some(start) => (start, start + xml[start..].find(CLOSE)? + CLOSE.len()),
        None => {
            let end = xml.rfind("</NFe>")?;
            (end, end)
        }
    };
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    Some(format!(
        "{}{OPEN}<qrCode>{}</qrCode><urlChave>{}</urlChave>{CLOSE}{}",
        &xml[..start],
        escaped(&supplement.qr_code),
        escaped(&supplement.url_chave),
        &xml[end..]
    ))
}
