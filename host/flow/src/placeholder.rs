//! Placeholders of secrets: written by adapters, filled by the host while a
//! request leaves, never stored filled.
//!
//! The tag comes from the flow's entropy, so a customer's text cannot forge
//! one and have a password printed on a note.

use crate::contract::secrets::Encoding;
use crate::hex;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

const OPEN: &str = "@@hub:";
const CLOSE: &str = "@@";

/// Part that only this flow's adapter can know: 16 hexadecimal digits made of
/// the flow's entropy.
pub fn tag(entropy: &[u8]) -> String {
    hex(&Sha256::digest([b"placeholder".as_slice(), entropy].concat())[..8])
}

/// Placeholder of the secret `name` of the flow with this [`tag`]; it is filled
/// with the secret in this encoding.
pub fn secret(tag: &str, name: &str, encoding: Encoding) -> String {
    let encoding = match encoding {
        Encoding::Plain => "plain",
        Encoding::XmlText => "xml",
        Encoding::JsonText => "json",
        Encoding::Base64 => "base64",
        Encoding::Url => "url",
        Encoding::Md5Hex => "md5",
        Encoding::Sha1Hex => "sha1",
        Encoding::Sha1Base64 => "sha1b64",
        Encoding::Sha256Hex => "sha256",
    };
    format!("{OPEN}{tag}:{encoding}:{name}{CLOSE}")
}

/// Placeholder of the value of an `Authorization` header (RFC 7617), made of two
/// secrets: `user` and `password` are their names.
pub fn basic(tag: &str, user: &str, password: &str) -> String {
    format!("{OPEN}{tag}:basic:{user}:{password}{CLOSE}")
}

/// Hash functions the encodings need beyond SHA-256; the caller has them.
pub trait Hashes {
    fn md5_hex(&self, data: &[u8]) -> String;
    fn sha1(&self, data: &[u8]) -> Vec<u8>;
}

/// How the placeholders of the flow with this entropy begin; None where a text has none
/// of any flow, as most have.
fn opening(text: &[u8], entropy: &[u8]) -> Option<String> {
    memmem::find(text, OPEN.as_bytes())?;
    Some(format!("{OPEN}{}:", tag(entropy)))
}

/// Fills the placeholders of a flow in one text; a short placeholder may stand
/// for a long secret, so the result has a limit of its own, in bytes.
///
/// # Errors
/// The name of a secret that does not exist, an encoding nobody knows, or a
/// result beyond the limit.
pub fn fill(
    text: &[u8],
    entropy: &[u8],
    hashes: &dyn Hashes,
    secret: &dyn Fn(&str) -> Option<String>,
    limit: usize,
) -> Result<Vec<u8>, String> {
    let Some(open) = opening(text, entropy) else {
        return Ok(text.to_vec());
    };
    let mut filled = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = memmem::find(rest, open.as_bytes()) {
        filled.extend_from_slice(&rest[..start]);
        let inner = &rest[start + open.len()..];
        let end = memmem::find(inner, CLOSE.as_bytes()).ok_or("unfinished placeholder")?;
        let spec = std::str::from_utf8(&inner[..end]).map_err(|_| "placeholder is not text")?;
        filled.extend_from_slice(value(spec, hashes, secret)?.as_bytes());
        if filled.len() > limit {
            return Err("the filled request is larger than the limit".to_owned());
        }
        rest = &inner[end + CLOSE.len()..];
    }
    filled.extend_from_slice(rest);
    Ok(filled)
}

/// Names of the secrets whose placeholders stand in a text. What begins as a
/// placeholder and is none is refused when it is filled.
pub fn names(text: &[u8], entropy: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let Some(open) = opening(text, entropy) else {
        return found;
    };
    for start in memmem::find_iter(text, open.as_bytes()) {
        let inner = &text[start + open.len()..];
        let end = memmem::find(inner, CLOSE.as_bytes());
        let spec = end.and_then(|end| std::str::from_utf8(&inner[..end]).ok());
        let Some((encoding, names)) = spec.and_then(|spec| spec.split_once(':')) else {
            continue;
        };
        match names.split_once(':') {
            Some((user, password)) if encoding == "basic" => {
                found.extend([user.to_owned(), password.to_owned()]);
            }
            _ => found.push(names.to_owned()),
        }
    }
    found
}

/// How a value of a secret may come back: as it is, and in every encoding an adapter
/// may ask for.
pub fn forms(value: &str, hashes: &dyn Hashes) -> Vec<String> {
    let encodings = [
        "plain", "xml", "json", "base64", "url", "md5", "sha1", "sha1b64", "sha256",
    ];
    let secret = |_: &str| Some(value.to_owned());
    let forms = encodings
        .iter()
        .filter_map(|encoding| self::value(&format!("{encoding}:x"), hashes, &secret).ok());
    forms.collect()
}

/// Base64 of a text, as an `Authorization` header has it.
pub fn base64(text: &str) -> String {
    STANDARD.encode(text)
}

fn value(
    spec: &str,
    hashes: &dyn Hashes,
    secret: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let (encoding, names) = spec.split_once(':').ok_or("placeholder without encoding")?;
    let get = |name: &str| secret(name).ok_or_else(|| format!("no secret named {name}"));
    if encoding == "basic" {
        let (user, password) = names
            .split_once(':')
            .ok_or("placeholder without password")?;
        let pair = format!("{}:{}", get(user)?, get(password)?);
        return Ok(format!("Basic {}", STANDARD.encode(pair)));
    }
    let plain = get(names)?;
    Ok(match encoding {
        "plain" => plain,
        "xml" => xml_text(&plain),
        "json" => {
            let quoted = serde_json::Value::String(plain).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        }
        "base64" => STANDARD.encode(plain),
        "url" => url_text(&plain),
        "md5" => hashes.md5_hex(plain.as_bytes()),
        "sha1" => hex(&hashes.sha1(plain.as_bytes())),
        "sha1b64" => STANDARD.encode(hashes.sha1(plain.as_bytes())),
        "sha256" => hex(&Sha256::digest(plain.as_bytes())),
        other => return Err(format!("unknown encoding {other}")),
    })
}

fn xml_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn url_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _infallible = write!(out, "%{byte:02X}");
        }
    }
    out
}
