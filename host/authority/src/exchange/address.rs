//! The address of a request: what names the service stays, what names a
//! document or a person does not.

use super::{HIDDEN, names};

/// Path and names of the query of an address.
pub fn path(url: &reqwest::Url) -> String {
    let segments: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .map(segment)
        .collect();
    let mut out = format!("/{}", segments.join("/"));
    let none = super::Known::default();
    for (index, (name, value)) in url.query_pairs().enumerate() {
        out.push(if index == 0 { '?' } else { '&' });
        out.push_str(names::shown(&name, &none));
        if !value.is_empty() {
            out.push('=');
            out.push_str(HIDDEN);
        }
    }
    out
}

/// `nfse`, `NfeAutorizacao4.asmx`; of keys both ends.
fn segment(text: &str) -> String {
    let plain = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"._-~".contains(&b));
    let bare: Vec<u8> = text.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let digits = bare.iter().filter(|b| b.is_ascii_digit()).count();
    let cnpj = bare.len() == 14 && bare.iter().rev().take(2).all(u8::is_ascii_digit);
    if plain && digits < 6 && !cnpj && text.len() <= 60 {
        text.to_owned()
    } else {
        names::ends(text)
    }
}
