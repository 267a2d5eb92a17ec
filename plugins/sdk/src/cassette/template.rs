//! Bodies with `{{gzip-base64:FILE}}` in them.

use super::files::Case;
use crate::gzip;

const OPEN: &str = "{{gzip-base64:";
const CLOSE: &str = "}}";

/// The bytes a template stands for.
///
/// # Errors
/// A named file is missing.
pub fn expand(template: &[u8], case: &Case) -> Result<Vec<u8>, String> {
    let Ok(text) = std::str::from_utf8(template) else {
        return Ok(template.to_vec());
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, name, after)) = split(rest) {
        out.push_str(before);
        out.push_str(&gzip::encode(&case.read(name)?));
        rest = after;
    }
    out.push_str(rest);
    Ok(out.into_bytes())
}

/// Compares a body with its template.
///
/// # Errors
/// What differs.
pub fn compare(template: &[u8], body: &[u8], case: &Case) -> Result<(), String> {
    let (Ok(template), Ok(mut body)) = (std::str::from_utf8(template), std::str::from_utf8(body))
    else {
        return if template == body {
            Ok(())
        } else {
            Err("other bytes".into())
        };
    };
    let mut rest = template;
    while let Some((before, name, after)) = split(rest) {
        body = body
            .strip_prefix(before)
            .ok_or_else(|| differs(before, body))?;
        let end = body
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')))
            .unwrap_or(body.len());
        let (packed, tail) = body.split_at(end);
        let content =
            gzip::decode(packed).map_err(|error| format!("no gzip in place of {name}: {error}"))?;
        let expected = case.read(name)?;
        if content != expected {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            return Err(format!(
                "{name}: {}",
                differs(&text(&expected), &text(&content))
            ));
        }
        body = tail;
        rest = after;
    }
    if body == rest {
        Ok(())
    } else {
        Err(differs(rest, body))
    }
}

/// A template for a JSON body: values that are gzip in base64 go to files of
/// their own, `store(key, content)` gives the name.
pub fn abstracted(
    body: &[u8],
    mut store: impl FnMut(&str, &[u8]) -> Result<String, String>,
) -> Result<Vec<u8>, String> {
    let Ok(serde_json::Value::Object(map)) = serde_json::from_slice(body) else {
        return Ok(body.to_vec());
    };
    let mut text = String::from_utf8_lossy(body).into_owned();
    for (key, value) in &map {
        if let Some(packed) = value.as_str()
            && let Ok(content) = gzip::decode(packed)
        {
            let name = store(key, &content)?;
            text = text.replacen(packed, &format!("{OPEN}{name}{CLOSE}"), 1);
        }
    }
    Ok(text.into_bytes())
}

fn split(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(OPEN)?;
    let (name, after) = rest.split_once(CLOSE)?;
    Some((before, name, after))
}

fn differs(expected: &str, found: &str) -> String {
    let common = expected
        .chars()
        .zip(found.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let around = |text: &str| {
        text.chars()
            .skip(common.saturating_sub(40))
            .take(120)
            .collect::<String>()
    };
    format!(
        "differs at character {common}\n  expected: ...{}\n  found:    ...{}",
        around(expected),
        around(found)
    )
}
