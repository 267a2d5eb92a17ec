//! Bodies in which `{{gzip-base64:FILE}}` stands for a compressed file.

use crate::Case;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use std::io::{Read as _, Write as _};

const OPEN: &str = "{{gzip-base64:";
const CLOSE: &str = "}}";
/// Most bytes read out of a compressed value.
const DECODED_BYTES: u64 = 16 << 20;

/// The bytes a body stands for: what an answer gives the adapter.
///
/// # Errors
/// A named file is missing.
pub fn expand(template: &[u8], case: &Case) -> Result<Vec<u8>, String> {
    let Ok(mut rest) = std::str::from_utf8(template) else {
        return Ok(template.to_vec());
    };
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((before, file, after)) = placeholder(rest) {
        bytes.extend_from_slice(before.as_bytes());
        bytes.extend_from_slice(pack(&case.read(file)?).as_bytes());
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Compares what was sent with the file. In the place of a placeholder any
/// compression of the same content is right: compressors differ, content may
/// not.
///
/// # Errors
/// Where it differs.
pub fn compare(template: &[u8], sent: &[u8], case: &Case) -> Result<(), String> {
    let (Ok(mut template), Ok(mut sent)) =
        (std::str::from_utf8(template), std::str::from_utf8(sent))
    else {
        return if template == sent {
            Ok(())
        } else {
            Err("other bytes".to_owned())
        };
    };
    while let Some((before, file, after)) = placeholder(template) {
        let Some(rest) = sent.strip_prefix(before) else {
            return Err(difference(before, sent));
        };
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
        let (packed, rest) = rest.split_at(rest.find(|c| !is_base64(c)).unwrap_or(rest.len()));
        let content =
            unpack(packed).ok_or_else(|| format!("{file}: no gzip in base64 in its place"))?;
        let expected = case.read(file)?;
        if content != expected {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let place = difference(&text(&expected), &text(&content));
            return Err(format!("{file}: {place}"));
        }
        (template, sent) = (after, rest);
    }
    if template == sent {
        Ok(())
    } else {
        Err(difference(template, sent))
    }
}

/// A template for a JSON body: values that are gzip in base64, alone or in a
/// list, go to files of their own, `store(key, content)` gives the name.
///
/// # Errors
/// Those of `store`.
pub fn abstracted(
    body: &[u8],
    mut store: impl FnMut(&str, &[u8]) -> Result<String, String>,
) -> Result<Vec<u8>, String> {
    let Ok(serde_json::Value::Object(members)) = serde_json::from_slice(body) else {
        return Ok(body.to_vec());
    };
    let mut text = String::from_utf8_lossy(body).into_owned();
    let values = members.iter().flat_map(|(key, value)| {
        let items = match value {
            serde_json::Value::Array(items) => items.as_slice(),
            single => std::slice::from_ref(single),
        };
        items.iter().map(move |item| (key, item))
    });
    for (key, value) in values {
        if let Some(packed) = value.as_str()
            && let Some(content) = unpack(packed)
        {
            let name = store(key, &content)?;
            text = text.replacen(packed, &format!("{OPEN}{name}{CLOSE}"), 1);
        }
    }
    Ok(text.into_bytes())
}

fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(OPEN)?;
    let (file, after) = rest.split_once(CLOSE)?;
    Some((before, file, after))
}

/// Without name or time: the same content gives the same text.
fn pack(content: &[u8]) -> String {
    let mut encoder = GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let packed = encoder
        .write_all(content)
        .and_then(|()| encoder.finish())
        .unwrap_or_default();
    STANDARD.encode(packed)
}

/// What is compressed in a text of base64; `None`: it is no gzip.
#[must_use]
pub fn unpack(text: &str) -> Option<Vec<u8>> {
    let packed = STANDARD.decode(text).ok()?;
    let mut content = Vec::new();
    GzDecoder::new(packed.as_slice())
        .take(DECODED_BYTES)
        .read_to_end(&mut content)
        .ok()?;
    Some(content)
}

/// The first place where two texts part, with some of each.
fn difference(expected: &str, found: &str) -> String {
    let same = expected
        .chars()
        .zip(found.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let piece = |text: &str| {
        text.chars()
            .skip(same.saturating_sub(40))
            .take(160)
            .collect::<String>()
    };
    format!(
        "differs at character {same}\n      expected: …{}\n      found:    …{}",
        piece(expected),
        piece(found)
    )
}
