//! The bytes of a record: version, dictionary, length and SHA-256 of what is compressed,
//! then the compressed part. The digest covers every text, so one that was damaged is
//! noticed whichever it is.

use crate::bytes::{Input, MAX_RECORD, Unreadable, put};
use crate::dictionaries::{Dictionaries, Dictionary, LEVEL};
use crate::{Part, Record, pieces};
use sha2::{Digest as _, Sha256};
use zstd::bulk::{Compressor, Decompressor};

/// Most texts of a record.
const MAX_PARTS: usize = 100_000;

const VERSION: u8 = 1;
const DIGEST: usize = 32;

/// A record as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub bytes: Vec<u8>,
    /// Zero: none.
    pub dictionary: u32,
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

pub(crate) fn pack(record: &Record, dictionary: Option<&Dictionary>) -> Result<Packed, PackError> {
    if record.len() > MAX_RECORD {
        return Err(PackError::TooLarge(record.len()));
    }
    let plain = written(record);
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
    bytes.extend_from_slice(&Sha256::digest(&plain));
    bytes.extend_from_slice(&compressed);
    Ok(Packed {
        bytes,
        dictionary: id,
    })
}

/// Reads the texts whose names are `wanted`; the digest is that of all of them.
pub(crate) fn unpack(
    bytes: &[u8],
    dictionaries: &Dictionaries,
    wanted: impl Fn(&str) -> bool,
) -> Result<Record, Unreadable> {
    let mut input = Input(bytes);
    match input.byte()? {
        VERSION => {}
        other => return Err(Unreadable::Version(other)),
    }
    let id = u32::try_from(input.number()?).map_err(|_| Unreadable::Shape)?;
    let length = input.number()?;
    let fits = usize::try_from(length)
        .ok()
        .filter(|len| *len <= MAX_RECORD);
    let length = fits.ok_or(Unreadable::TooLarge(length))?;
    let digest = input.take(DIGEST)?;
    let mut decompressor = match id {
        0 => Decompressor::new(),
        id => {
            let dictionary = dictionaries.get(id).ok_or(Unreadable::Dictionary(id))?;
            Decompressor::with_prepared_dictionary(dictionary.decoder())
        }
    }
    .map_err(Unreadable::Zstd)?;
    let plain = decompressor.decompress(input.0, length);
    let plain = plain.map_err(Unreadable::Zstd)?;
    if plain.len() != length || Sha256::digest(&plain).as_slice() != digest {
        return Err(Unreadable::Digest);
    }
    read(&plain, wanted)
}

pub(crate) fn written(record: &Record) -> Vec<u8> {
    let mut out = Vec::with_capacity(record.len() + 64 * record.parts.len());
    put(&mut out, record.parts.len() as u64);
    for part in &record.parts {
        put(&mut out, part.name.len() as u64);
        out.extend_from_slice(part.name.as_bytes());
        pieces::write(&mut out, &part.bytes);
    }
    out
}

fn read(plain: &[u8], wanted: impl Fn(&str) -> bool) -> Result<Record, Unreadable> {
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
        if !wanted(name) {
            pieces::skip(&mut input)?;
            continue;
        }
        let name = name.to_owned();
        let bytes = pieces::read(&mut input, left)?;
        left -= bytes.len();
        parts.push(Part { name, bytes });
    }
    if !input.0.is_empty() {
        return Err(Unreadable::Shape);
    }
    Ok(Record { parts })
}
