//! Reads a file out of a ZIP: one that is part of the program, or a spreadsheet
//! that somebody sent.

use flate2::read::DeflateDecoder;
use std::io::Read as _;

/// The file of an archive whose path ends so; None where the archive has
/// none, or is not one this reader knows (stored or deflated, below 4 GiB).
pub fn file(archive: &[u8], ending: &str) -> Option<Vec<u8>> {
    limited(archive, ending, usize::MAX)
}

/// As [`file`], where the file is not larger than `most` bytes.
pub fn limited(archive: &[u8], ending: &str, most: usize) -> Option<Vec<u8>> {
    let u16_at = |at: usize| {
        Some(usize::from(u16::from_le_bytes(
            archive.get(at..at + 2)?.try_into().ok()?,
        )))
    };
    let u32_at = |at: usize| {
        usize::try_from(u32::from_le_bytes(
            archive.get(at..at + 4)?.try_into().ok()?,
        ))
        .ok()
    };
    // The end record stands last, before a comment of at most 65,535 bytes.
    let end = archive.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    let (count, mut at) = (u16_at(end + 10)?, u32_at(end + 16)?);
    for _ in 0..count {
        let (method, packed, size) = (u16_at(at + 10)?, u32_at(at + 20)?, u32_at(at + 24)?);
        let (name, extra, comment, offset) = (
            u16_at(at + 28)?,
            u16_at(at + 30)?,
            u16_at(at + 32)?,
            u32_at(at + 42)?,
        );
        if archive
            .get(at + 46..at + 46 + name)?
            .ends_with(ending.as_bytes())
        {
            let data = offset + 30 + u16_at(offset + 26)? + u16_at(offset + 28)?;
            let data = archive.get(data..data.checked_add(packed)?)?;
            if size > most {
                return None;
            }
            let mut content = Vec::with_capacity(size);
            match method {
                0 => content.extend_from_slice(data),
                8 => {
                    // No more than the archive says there is.
                    let size = u64::try_from(size).ok()?;
                    let mut unpacked = DeflateDecoder::new(data).take(size.saturating_add(1));
                    unpacked.read_to_end(&mut content).ok()?;
                }
                _ => return None,
            }
            return (content.len() == size).then_some(content);
        }
        at += 46 + name + extra + comment;
    }
    None
}
