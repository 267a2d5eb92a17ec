//! What is packed into a text: base64, gzip, other encodings.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::{GzDecoder, ZlibDecoder};
use std::io::Read;

/// Shortest base64 that is taken for a packed document: digests are shorter.
const SHORT: usize = 64;

/// Bytes of a body in which its declaration is looked for.
const HEAD: usize = 200;
/// More broken characters than these are no damage: the text is of another encoding.
const MAX_BROKEN: usize = 64;

/// Text of a body: UTF-8, or what old servers write instead; None when it is
/// no text. Of damaged UTF-8 only the damaged characters are lost.
pub(super) fn text(media_type: &str, bytes: &[u8]) -> Option<String> {
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
        Err(_) if is_damaged_utf8(media_type, bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        // ISO 8859-1: each byte is its character.
        Err(_) => Some(bytes.iter().copied().map(char::from).collect()),
    }
}

/// Whether bytes that are not UTF-8 were meant as it: few characters break, and some of
/// more than one byte are whole. In ISO 8859-1 such a pair is a capital with an accent before a
/// sign, which a text that does not say what it is has once at most. Adapters, which share
/// no code with the host, read answers by the same rule (`plugins/sdk/src/xml/reader.rs`),
/// without the media type.
fn is_damaged_utf8(media_type: &str, bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk
            .valid()
            .chars()
            .filter(|letter| !letter.is_ascii())
            .count();
        broken += usize::from(!chunk.invalid().is_empty());
        if broken > MAX_BROKEN {
            return false;
        }
    }
    match says_utf8(media_type, bytes) {
        Some(utf8) => utf8 && whole > 0,
        None => whole > 1,
    }
}

/// Whether a body says that it is UTF-8, itself or by its media type; None: it says
/// nothing of its encoding.
fn says_utf8(media_type: &str, bytes: &[u8]) -> Option<bool> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let prolog = head.trim_start().strip_prefix("<?xml");
    let prolog = prolog.and_then(|rest| rest.split("?>").next());
    let own = prolog.and_then(|prolog| prolog.split_once("encoding"));
    let media_type = media_type.to_ascii_lowercase();
    let (_, name) = own.or_else(|| media_type.split_once("charset"))?;
    let name = name.trim_start_matches(['=', '"', '\'', ' ']);
    Some(name.starts_with("utf-8") || name.starts_with("utf8"))
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
