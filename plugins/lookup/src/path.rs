//! The address of a question.

use crate::Asked;
use serde_json::Value;

/// Fills the members of a content into a path, encoded.
///
/// # Errors
/// The name of a member that has no text and no number.
pub(crate) fn filled(path: &str, asked: &Asked) -> Result<String, String> {
    let mut out = String::with_capacity(path.len() + 32);
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            break;
        };
        out.push_str(&encoded(&text(asked.get(name)).ok_or(name)?));
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Percent-encoding of everything but unreserved characters (RFC 3986, 2.3).
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
