//! The bytes of a record: version, dictionary, length of what is compressed, names of
//! certificates, SHA-256 of these names and of what is compressed, then the compressed part.
//! The digest covers every text, so one that was damaged is noticed whichever it is.
//!
//! Version 1 names no certificates, and its texts have no lengths of their own.

use crate::bytes::{Input, MAX_RECORD, Unreadable, put};
use crate::certificates::{self, Certificate, CertificateId, Found, Given};
use crate::dictionaries::{Dictionaries, Dictionary, LEVEL};
use crate::pieces::{self, Form, Search};
use crate::{Part, Record};
use sha2::{Digest as _, Sha256};
use zstd::bulk::{Compressor, Decompressor};

/// Most texts of a record.
const MAX_PARTS: usize = 100_000;

/// Without certificates; no longer written.
const FIRST: u8 = 1;
const VERSION: u8 = 2;
const DIGEST: usize = 32;

/// A record as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub bytes: Vec<u8>,
    /// Zero: none.
    pub dictionary: u32,
    /// The certificates that it names: it cannot be read without them.
    pub certificates: Vec<Certificate>,
}

/// Why a record was not packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("the texts have {0} bytes, more than {MAX_RECORD}")]
    TooLarge(usize),
    #[error("zstd: {0}")]
    Zstd(#[from] std::io::Error),
    #[error("the column {0} has not as many values as the others")]
    Uneven(String),
    #[error("it has more rows or columns than a page may have")]
    TooMany,
}

pub(crate) fn pack(
    record: &Record,
    dictionary: Option<&Dictionary>,
    aside: impl Fn(&str) -> bool,
) -> Result<Packed, PackError> {
    if record.len() > MAX_RECORD {
        return Err(PackError::TooLarge(record.len()));
    }
    let (plain, found) = written(record, aside);
    if plain.len() > MAX_RECORD {
        return Err(PackError::TooLarge(plain.len()));
    }
    let mut compressor = match dictionary {
        Some(dictionary) => Compressor::with_prepared_dictionary(dictionary.encoder())?,
        None => Compressor::new(LEVEL)?,
    };
    // The frame around it says all three.
    compressor.include_checksum(false)?;
    compressor.include_contentsize(false)?;
    compressor.include_dictid(false)?;
    let compressed = compressor.compress(&plain)?;
    let id = dictionary.map_or(0, |dictionary| dictionary.id);
    let mut bytes = vec![VERSION];
    put(&mut bytes, u64::from(id));
    put(&mut bytes, plain.len() as u64);
    let names = found.names();
    put(&mut bytes, found.0.len() as u64);
    bytes.extend_from_slice(&names);
    bytes.extend_from_slice(&digest_of(&names, &plain));
    bytes.extend_from_slice(&compressed);
    Ok(Packed {
        bytes,
        dictionary: id,
        certificates: found.0,
    })
}

fn digest_of(names: &[u8], plain: &[u8]) -> [u8; DIGEST] {
    let mut digest = Sha256::new();
    digest.update(names);
    digest.update(plain);
    digest.finalize().into()
}

/// What stands before the compressed part.
struct Head<'b> {
    version: u8,
    dictionary: u32,
    length: usize,
    named: Vec<CertificateId>,
    digest: &'b [u8],
}

fn head<'b>(input: &mut Input<'b>) -> Result<Head<'b>, Unreadable> {
    let version = input.byte()?;
    if version != FIRST && version != VERSION {
        return Err(Unreadable::Version(version));
    }
    let dictionary = u32::try_from(input.number()?).map_err(|_| Unreadable::Shape)?;
    let length = input.number()?;
    let fits = usize::try_from(length)
        .ok()
        .filter(|len| *len <= MAX_RECORD);
    let length = fits.ok_or(Unreadable::TooLarge(length))?;
    let named = match version {
        FIRST => Vec::new(),
        _ => certificates::named(input)?,
    };
    Ok(Head {
        version,
        dictionary,
        length,
        named,
        digest: input.take(DIGEST)?,
    })
}

/// The certificates that a record names; read from its head alone.
///
/// # Errors
/// It is no record.
pub fn certificates_of(bytes: &[u8]) -> Result<Vec<CertificateId>, Unreadable> {
    Ok(head(&mut Input(bytes))?.named)
}

/// Reads the texts whose names are `wanted`; the digest is that of all of them.
pub(crate) fn unpack(
    bytes: &[u8],
    dictionaries: &Dictionaries,
    certificates: &[Certificate],
    wanted: impl Fn(&str) -> bool,
) -> Result<Record, Unreadable> {
    let mut input = Input(bytes);
    let head = head(&mut input)?;
    let mut decompressor = match head.dictionary {
        0 => Decompressor::new(),
        id => {
            let dictionary = dictionaries.get(id).ok_or(Unreadable::Dictionary(id))?;
            Decompressor::with_prepared_dictionary(dictionary.decoder())
        }
    }
    .map_err(Unreadable::Zstd)?;
    let plain = decompressor.decompress(input.0, head.length);
    let plain = plain.map_err(Unreadable::Zstd)?;
    let names: Vec<u8> = head.named.iter().flat_map(|id| id.0).collect();
    if plain.len() != head.length || digest_of(&names, &plain) != head.digest {
        return Err(Unreadable::Digest);
    }
    let given = Given {
        named: head.named,
        all: certificates,
    };
    read(&plain, head.version, &given, wanted)
}

/// What is compressed, and the certificates that are not in it.
pub(crate) fn written(record: &Record, aside: impl Fn(&str) -> bool) -> (Vec<u8>, Found) {
    let mut found = Found::default();
    let mut out = Vec::with_capacity(record.len() + 64 * record.parts.len());
    put(&mut out, record.parts.len() as u64);
    let mut text = Vec::new();
    let mut left = MAX_RECORD.saturating_sub(record.len());
    for part in &record.parts {
        put(&mut out, part.name.len() as u64);
        out.extend_from_slice(part.name.as_bytes());
        text.clear();
        let search = Search {
            found: aside(&part.name).then_some(&mut found),
            left: &mut left,
        };
        pieces::write(&mut text, &part.bytes, search);
        put(&mut out, text.len() as u64);
        out.extend_from_slice(&text);
    }
    (out, found)
}

fn read(
    plain: &[u8],
    version: u8,
    given: &Given<'_>,
    wanted: impl Fn(&str) -> bool,
) -> Result<Record, Unreadable> {
    let mut input = Input(plain);
    let many = input.length()?;
    if many > MAX_PARTS {
        return Err(Unreadable::Shape);
    }
    let mut parts = Vec::new();
    let mut left = MAX_RECORD;
    for _ in 0..many {
        let length = input.length()?;
        let name = std::str::from_utf8(input.take(length)?).map_err(|_| Unreadable::Shape)?;
        let wanted = wanted(name);
        let bytes = if version == FIRST {
            pieces::read(&mut input, left, &Form::First)?
        } else {
            let length = input.length()?;
            let mut text = Input(input.take(length)?);
            if !wanted {
                continue;
            }
            let bytes = pieces::read(&mut text, left, &Form::Second(given))?;
            if !text.0.is_empty() {
                return Err(Unreadable::Shape);
            }
            bytes
        };
        left -= bytes.len();
        if wanted {
            let name = name.to_owned();
            parts.push(Part { name, bytes });
        }
    }
    if !input.0.is_empty() {
        return Err(Unreadable::Shape);
    }
    Ok(Record { parts })
}
