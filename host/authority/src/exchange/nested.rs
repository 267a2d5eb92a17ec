//! What is packed into a text: base64, gzip, other encodings.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::{GzDecoder, ZlibDecoder};
use std::io::Read;

/// Shortest base64 that is taken for a packed document: digests are shorter.
const SHORT: usize = 64;

/// Text of a body: UTF-8, or what old servers write instead; None when it is
/// no text.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.contains(&0) {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.to_owned()),
        // Cut within a character.
        Err(error) if error.error_len().is_none() => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            Some(String::from_utf8_lossy(whole).into_owned())
        }
        // ISO 8859-1: each byte is its character.
        Err(_) => Some(bytes.iter().copied().map(char::from).collect()),
    }
}

/// The bytes of a text that is base64 of something longer than a digest.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let bare: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let alphabet = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let packed =
        bare.len() >= SHORT && bare.iter().all(alphabet) && !bare.iter().all(u8::is_ascii_digit);
    if !packed {
        return None;
    }
    // One that was cut ends anywhere.
    let whole = bare.get(..bare.len() - bare.len() % 4)?;
    STANDARD.decode(whole).ok()
}

/// What a gzip or zlib stream holds, up to a limit and as far as it can be
/// read; other bytes as they are.
pub(super) fn unpack(bytes: Vec<u8>, limit: usize) -> Vec<u8> {
    match bytes.as_slice() {
        [0x1f, 0x8b, ..] => as_far(GzDecoder::new(bytes.as_slice()), limit),
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => as_far(ZlibDecoder::new(bytes.as_slice()), limit),
        _ => bytes,
    }
}

fn as_far(mut reader: impl Read, limit: usize) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut block = [0; 4096];
    while plain.len() < limit {
        match reader.read(&mut block) {
            Ok(0) | Err(_) => break,
            Ok(count) => plain.extend_from_slice(block.get(..count).unwrap_or_default()),
        }
    }
    plain.truncate(limit);
    plain
}
