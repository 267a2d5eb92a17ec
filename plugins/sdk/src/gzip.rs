//! gzip and base64, as the national APIs carry XML.

use crate::{b64, deflate};
use flate2::bufread::GzDecoder;
use flate2::{Compression, Crc, GzBuilder};
use std::fmt;
use std::io::{Read, Write};

/// Most bytes a decoded document may have: the host's limit for an answer.
pub const MAX_DECODED: usize = 8 * 1024 * 1024;

/// Why a text is not a gzip document in base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GzipError {
    NotBase64,
    NotGzip,
    /// More than [`MAX_DECODED`] bytes inside.
    TooLarge,
}

impl fmt::Display for GzipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GzipError::NotBase64 => "not base64",
            GzipError::NotGzip => "not gzip",
            GzipError::TooLarge => "too large when decompressed",
        })
    }
}

/// gzip without name or time: the same input gives the same bytes.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    append(Vec::new(), bytes)
}

/// What stands before the block of [`deflate`] (RFC 1952): made fast, on no system told.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// `out`, and the gzip of `bytes` behind it.
pub(crate) fn append(mut out: Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    if bytes.len() <= deflate::LONGEST {
        out.extend_from_slice(&HEAD);
        deflate::append(&mut out, bytes);
        let mut sum = Crc::new();
        sum.update(bytes);
        out.extend_from_slice(&sum.sum().to_le_bytes());
        out.extend_from_slice(&sum.amount().to_le_bytes());
        return out;
    }
    let mut encoder = GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(out, Compression::fast());
    // Writing to a Vec has no way to fail.
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .unwrap_or_default()
}

/// # Errors
/// Not gzip, cut, or more than `limit` bytes inside.
pub fn decompress(bytes: &[u8], limit: usize) -> Result<Vec<u8>, GzipError> {
    let mut decoded = Vec::new();
    let allowed = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    GzDecoder::new(bytes)
        .take(allowed)
        .read_to_end(&mut decoded)
        .map_err(|_| GzipError::NotGzip)?;
    if decoded.len() > limit {
        return Err(GzipError::TooLarge);
    }
    Ok(decoded)
}

/// gzip, then base64.
pub fn encode(bytes: &[u8]) -> String {
    b64::encode(&compress(bytes))
}

/// base64, then gunzip, capped at [`MAX_DECODED`].
///
/// # Errors
/// See [`GzipError`].
pub fn decode(text: &str) -> Result<Vec<u8>, GzipError> {
    decompress(&b64::decode(text).ok_or(GzipError::NotBase64)?, MAX_DECODED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_junk() {
        let xml = "<a>ação</a>".repeat(100);
        assert_eq!(
            decode(&encode(xml.as_bytes())),
            Ok(xml.clone().into_bytes())
        );
        assert_eq!(encode(xml.as_bytes()), encode(xml.as_bytes()));
        assert_eq!(decode("não é"), Err(GzipError::NotBase64));
        assert_eq!(decode("AAAA"), Err(GzipError::NotGzip));
        // Both of the ways in which a document is compressed.
        for bytes in [
            vec![b'x'; deflate::LONGEST],
            vec![b'x'; deflate::LONGEST + 1],
        ] {
            assert_eq!(decompress(&compress(&bytes), bytes.len()), Ok(bytes));
        }
        let cut = &compress(xml.as_bytes())[..20];
        assert_eq!(decompress(cut, 100), Err(GzipError::NotGzip));
    }

    #[test]
    fn a_bomb_is_stopped() {
        let bomb = compress(&vec![0; MAX_DECODED + 1]);
        assert_eq!(decompress(&bomb, MAX_DECODED), Err(GzipError::TooLarge));
    }
}
