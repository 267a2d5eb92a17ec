//! Bodies in which `{{gzip-base64:FILE}}` stands for a compressed file.

use super::files::Case;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
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
            return Err(format!(
                "{file}: {}",
                difference(
                    &String::from_utf8_lossy(&expected),
                    &String::from_utf8_lossy(&content)
                )
            ));
        }
        (template, sent) = (after, rest);
    }
    if template == sent {
        Ok(())
    } else {
        Err(difference(template, sent))
    }
}

fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(OPEN)?;
    let (file, after) = rest.split_once(CLOSE)?;
    Some((before, file, after))
}

fn pack(content: &[u8]) -> String {
    let mut encoder: GzEncoder<Vec<u8>> = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let packed = encoder
        .write_all(content)
        .and_then(|()| encoder.finish())
        .unwrap_or_default();
    STANDARD.encode(packed)
}

fn unpack(text: &str) -> Option<Vec<u8>> {
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
