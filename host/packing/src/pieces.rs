//! A text in pieces: as it is, or a document inside of it that was packed for the way
//! (base64, or base64 of gzip) and is written unpacked, so that zstd sees that the record has
//! the same document elsewhere. Only where packing it again gives the same bytes.

use crate::bytes::{Input, MAX_RECORD, Unreadable, put};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::io::{Read as _, Write as _};

const PLAIN: u8 = 0;
const BASE64: u8 = 1;
const GZIP: u8 = 2;

/// Shorter runs are names and digests.
const SHORTEST: usize = 128;
/// Levels that encoders of gzip are set to: fastest, their default, best.
const LEVELS: [u8; 3] = [1, 6, 9];
/// Of gzip without names (RFC 1952, section 2.3): head, and CRC with length at the end.
const HEAD: usize = 10;
const TAIL: usize = 8;
/// Bytes of the sum of what is packed again: another version of deflate may give other bytes,
/// and those would be another text.
const SUM: usize = 4;
/// Most bytes of a document inside of a text.
const MAX_INSIDE: usize = 8 * 1024 * 1024;
/// A document has at most so many times the bytes of its gzip: XML has ten, a bomb a thousand.
const MAX_RATIO: usize = 64;
/// Documents unpacked in one text, which bounds the work of packing.
const MAX_PIECES: usize = 64;

/// A stretch of a text.
enum Piece<'a> {
    Plain(&'a [u8]),
    /// What base64 has inside.
    Base64(Vec<u8>),
    Gzip {
        head: [u8; HEAD],
        level: u8,
        sum: [u8; SUM],
        inside: Vec<u8>,
    },
}

/// Writes a text.
pub(crate) fn write(out: &mut Vec<u8>, text: &[u8]) {
    let pieces = cut(text);
    put(out, pieces.len() as u64);
    for piece in &pieces {
        let bytes: &[u8] = match piece {
            Piece::Plain(bytes) => {
                out.push(PLAIN);
                bytes
            }
            Piece::Base64(inside) => {
                out.push(BASE64);
                inside
            }
            Piece::Gzip {
                head,
                level,
                sum,
                inside,
            } => {
                out.push(GZIP);
                out.extend_from_slice(head);
                out.push(*level);
                out.extend_from_slice(sum);
                inside
            }
        };
        put(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
}

/// Reads a text of at most `most` bytes.
pub(crate) fn read(input: &mut Input<'_>, most: usize) -> Result<Vec<u8>, Unreadable> {
    let mut text = Vec::new();
    for _ in 0..input.number()? {
        match input.byte()? {
            PLAIN => {
                let length = input.length()?;
                text.extend_from_slice(input.take(length)?);
            }
            BASE64 => {
                let length = input.length()?;
                let inside = input.take(length)?;
                text.extend_from_slice(STANDARD.encode(inside).as_bytes());
            }
            GZIP => {
                let head = input.take(HEAD)?;
                let level = input.byte()?;
                let sum = input.take(SUM)?;
                let length = input.length()?;
                let inside = input.take(length)?;
                let zipped = zip(head, level, inside).ok_or(Unreadable::Shape)?;
                if sum_of(&zipped).as_slice() != sum {
                    return Err(Unreadable::Deflate);
                }
                text.extend_from_slice(STANDARD.encode(zipped).as_bytes());
            }
            _ => return Err(Unreadable::Shape),
        }
        if text.len() > most {
            return Err(Unreadable::TooLarge(text.len() as u64));
        }
    }
    Ok(text)
}

/// Passes over a text.
pub(crate) fn skip(input: &mut Input<'_>) -> Result<(), Unreadable> {
    for _ in 0..input.number()? {
        let about = match input.byte()? {
            PLAIN | BASE64 => 0,
            GZIP => HEAD + 1 + SUM,
            _ => return Err(Unreadable::Shape),
        };
        input.take(about)?;
        let length = input.length()?;
        input.take(length)?;
    }
    Ok(())
}

fn cut(text: &[u8]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut begun, mut at) = (0, 0);
    while at < text.len() && pieces.len() < MAX_PIECES {
        let run = text[at..]
            .iter()
            .take_while(|byte| in_base64(**byte))
            .count();
        let end = at + run;
        if run >= SHORTEST
            && let Some(piece) = opened(&text[at..end])
        {
            if begun < at {
                pieces.push(Piece::Plain(&text[begun..at]));
            }
            pieces.push(piece);
            begun = end;
        }
        at = end + 1;
    }
    if begun < text.len() {
        pieces.push(Piece::Plain(&text[begun..]));
    }
    pieces
}

fn in_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// What a run of base64 has inside, where packing it again gives the same run.
fn opened(run: &[u8]) -> Option<Piece<'static>> {
    let bytes = STANDARD.decode(run).ok()?;
    if STANDARD.encode(&bytes).as_bytes() != run {
        return None;
    }
    if let Some(piece) = unzipped(&bytes) {
        return Some(piece);
    }
    bytes.starts_with(b"<").then_some(Piece::Base64(bytes))
}

fn unzipped(bytes: &[u8]) -> Option<Piece<'static>> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    // Deflate, and neither name nor comment behind the head.
    if !head.starts_with(&[0x1f, 0x8b, 8, 0]) {
        return None;
    }
    let body = rest.get(..rest.len().checked_sub(TAIL)?)?;
    let mut inside = Vec::new();
    let most = MAX_INSIDE.min(body.len().saturating_mul(MAX_RATIO));
    let mut decoder = DeflateDecoder::new(body).take(most as u64 + 1);
    decoder.read_to_end(&mut inside).ok()?;
    if inside.len() > most {
        return None;
    }
    let same = |level: &u8| zip(head, *level, &inside).is_some_and(|zipped| zipped == bytes);
    let level = LEVELS.into_iter().find(same)?;
    Some(Piece::Gzip {
        head: *head,
        level,
        sum: sum_of(bytes),
        inside,
    })
}

fn sum_of(bytes: &[u8]) -> [u8; SUM] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

fn zip(head: &[u8], level: u8, inside: &[u8]) -> Option<Vec<u8>> {
    if !LEVELS.contains(&level) || inside.len() > MAX_RECORD {
        return None;
    }
    let level = Compression::new(u32::from(level));
    let mut encoder = DeflateEncoder::new(head.to_vec(), level);
    encoder.write_all(inside).ok()?;
    let mut zipped = encoder.finish().ok()?;
    let mut crc = Crc::new();
    crc.update(inside);
    zipped.extend_from_slice(&crc.sum().to_le_bytes());
    zipped.extend_from_slice(&crc.amount().to_le_bytes());
    Some(zipped)
}
