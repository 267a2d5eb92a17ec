//! A text in pieces: as it is, or a document inside of it that was packed for the way
//! (base64, or base64 of gzip) and is written unpacked, so that zstd sees that the record has
//! the same document elsewhere; or a certificate in base64, which is kept aside. Only where
//! packing it again gives the same bytes.

use crate::bytes::{Input, MAX_RECORD, Unreadable, put};
use crate::certificates::{self, Found, Given};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::borrow::Cow;
use std::io::{Read as _, Write as _};

const PLAIN: u8 = 0;
const BASE64: u8 = 1;
const GZIP: u8 = 2;
/// The place of its name in the head.
const CERTIFICATE: u8 = 3;

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
/// Pieces of one text: what is behind them stays as it is.
const MAX_PIECES: usize = 64;
/// To try whether a document is packed again the same takes as long as to unpack so many bytes,
/// however small it is.
const LEAST_WORK: usize = 16 * 1024;
/// A document inside of a text is in pieces itself, and what is inside of that is not: some
/// documents are packed twice.
const MAX_DEPTH: u8 = 2;

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
    Certificate(usize),
}

/// What is looked for inside of a text.
pub(crate) struct Search<'f> {
    /// Where certificates are put aside; None: they stay where they are.
    pub(crate) found: Option<&'f mut Found>,
    /// Bytes that may still be unpacked in the record: texts that unpack to much more than they
    /// are must not make it larger than a record may be, or keep the packer busy.
    pub(crate) left: &'f mut usize,
}

/// Writes a text, with what the search finds in it unpacked or put aside.
pub(crate) fn write(out: &mut Vec<u8>, text: &[u8], mut search: Search<'_>) {
    write_at(out, text, &mut search, 0);
}

fn write_at(out: &mut Vec<u8>, text: &[u8], search: &mut Search<'_>, depth: u8) {
    let pieces = cut(text, search, depth);
    put(out, pieces.len() as u64);
    for piece in &pieces {
        match piece {
            Piece::Plain(bytes) => {
                out.push(PLAIN);
                put(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
            Piece::Base64(inside) => {
                out.push(BASE64);
                write_at(out, inside, search, depth + 1);
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
                write_at(out, inside, search, depth + 1);
            }
            Piece::Certificate(place) => {
                out.push(CERTIFICATE);
                put(out, *place as u64);
            }
        }
    }
}

/// What a record's version says of what is inside of base64.
pub(crate) enum Form<'g> {
    /// Version 1: bytes as they are.
    First,
    /// Pieces again, and certificates.
    Second(&'g Given<'g>),
}

/// Reads a text of at most `most` bytes.
pub(crate) fn read(
    input: &mut Input<'_>,
    most: usize,
    form: &Form<'_>,
) -> Result<Vec<u8>, Unreadable> {
    read_at(input, most, form, 0)
}

fn read_at(
    input: &mut Input<'_>,
    most: usize,
    form: &Form<'_>,
    depth: u8,
) -> Result<Vec<u8>, Unreadable> {
    let mut text = Vec::new();
    for _ in 0..input.number()? {
        match input.byte()? {
            PLAIN => {
                let length = input.length()?;
                text.extend_from_slice(input.take(length)?);
            }
            BASE64 => {
                let inside = inside(input, most, form, depth)?;
                text.extend_from_slice(STANDARD.encode(inside).as_bytes());
            }
            GZIP => {
                let head = input.take(HEAD)?;
                let level = input.byte()?;
                let sum = input.take(SUM)?;
                let inside = inside(input, most, form, depth)?;
                let zipped = zip(head, level, &inside).ok_or(Unreadable::Shape)?;
                if sum_of(&zipped).as_slice() != sum {
                    return Err(Unreadable::Deflate);
                }
                text.extend_from_slice(STANDARD.encode(zipped).as_bytes());
            }
            CERTIFICATE => {
                let Form::Second(given) = form else {
                    return Err(Unreadable::Shape);
                };
                let bytes = given.at(input.length()?)?;
                text.extend_from_slice(STANDARD.encode(bytes).as_bytes());
            }
            _ => return Err(Unreadable::Shape),
        }
        if text.len() > most {
            return Err(Unreadable::TooLarge(text.len() as u64));
        }
    }
    Ok(text)
}

/// The document inside of a piece.
fn inside<'i>(
    input: &mut Input<'i>,
    most: usize,
    form: &Form<'_>,
    depth: u8,
) -> Result<Cow<'i, [u8]>, Unreadable> {
    match form {
        Form::First => {
            let length = input.length()?;
            Ok(Cow::Borrowed(input.take(length)?))
        }
        Form::Second(_) if depth == MAX_DEPTH => Err(Unreadable::Shape),
        Form::Second(_) => Ok(Cow::Owned(read_at(input, most, form, depth + 1)?)),
    }
}

fn cut<'t>(text: &'t [u8], search: &mut Search<'_>, depth: u8) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let (mut begun, mut at) = (0, 0);
    while at < text.len() && pieces.len() < MAX_PIECES {
        let run = text[at..]
            .iter()
            .take_while(|byte| in_base64(**byte))
            .count();
        let end = at + run;
        if run >= SHORTEST
            && let Some(piece) = opened(&text[at..end], search, depth)
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
fn opened(run: &[u8], search: &mut Search<'_>, depth: u8) -> Option<Piece<'static>> {
    let bytes = STANDARD.decode(run).ok()?;
    if STANDARD.encode(&bytes).as_bytes() != run {
        return None;
    }
    if certificates::is_one(&bytes) {
        let place = search.found.as_mut()?.place(&bytes)?;
        return Some(Piece::Certificate(place));
    }
    if depth == MAX_DEPTH {
        return None;
    }
    if let Some(piece) = unzipped(&bytes, search.left) {
        return Some(piece);
    }
    bytes.starts_with(b"<").then_some(Piece::Base64(bytes))
}

/// The document of a gzip, of at most `left` bytes, which are fewer afterwards.
fn unzipped(bytes: &[u8], left: &mut usize) -> Option<Piece<'static>> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    // Deflate, and neither name nor comment behind the head.
    if !head.starts_with(&[0x1f, 0x8b, 8, 0]) {
        return None;
    }
    let body = rest.get(..rest.len().checked_sub(TAIL)?)?;
    let mut inside = Vec::new();
    let most = MAX_INSIDE.min(body.len().saturating_mul(MAX_RATIO));
    let most = most.min(*left);
    let mut decoder = DeflateDecoder::new(body).take(most as u64 + 1);
    let read = decoder.read_to_end(&mut inside);
    *left = left.saturating_sub(inside.len().max(LEAST_WORK));
    if read.is_err() || inside.len() > most {
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
