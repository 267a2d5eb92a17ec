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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_next_place_of_their_name() {
        let stretch = |open, value| Stretch {
            open,
            close: "<",
            value,
        };
        let xml = "<a>1</a><b>22</b><a>3</a>";
        let spliced = splice(xml, &[stretch("<b>", "x"), stretch("<a>", "long")]);
        assert_eq!(spliced.as_deref(), Some("<a>1</a><b>x</b><a>long</a>"));
        assert_eq!(
            splice(xml, &[stretch("<b>", "x"), stretch("<b>", "y")]),
            None
        );
    }

    #[test]
    fn the_group_is_written_once_and_escaped() {
        let of = |qr: &str| Supplement {
            qr_code: qr.to_owned(),
            url_chave: "u".to_owned(),
        };
        let once = with_supplement("<NFe><infNFe/></NFe>", &of("?p=1&q"));
        let once = once.expect("an end");
        assert_eq!(
            once,
            "<NFe><infNFe/><infNFeSupl><qrCode>?p=1&amp;q</qrCode><urlChave>u</urlChave></infNFeSupl></NFe>"
        );
        assert_eq!(with_supplement(&once, &of("?p=1&q")), Some(once));
        assert_eq!(with_supplement("<NFe>", &of("")), None);
    }
}
