//! Reads a file out of a ZIP: one that is part of the program, or a spreadsheet
//! that somebody sent.

use flate2::read::DeflateDecoder;
use std::io::Read as _;

/// An archive that is not one this reader knows (below 4 GiB), or a file of one that is too
/// large, broken, or packed in another way than deflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// The file of an archive whose path ends so; None where the archive has none that can be
/// read.
pub fn file(archive: &[u8], ending: &str) -> Option<Vec<u8>> {
    let wanted = |name: &[u8]| name.ends_with(ending.as_bytes());
    let entry = entry(archive, wanted).ok().flatten()?;
    entry.unpacked(archive, usize::MAX)
}

/// The file of an archive with this path; None where the archive has none.
///
/// # Errors
/// There is one, but it cannot be read or is larger than `most` bytes.
pub fn exact(archive: &[u8], path: &str, most: usize) -> Result<Option<Vec<u8>>, Unreadable> {
    let Some(entry) = entry(archive, |name| name == path.as_bytes())? else {
        return Ok(None);
    };
    let content = entry.unpacked(archive, most).ok_or(Unreadable)?;
    Ok(Some(content))
}

/// What the directory of an archive says of a file.
struct Entry {
    method: usize,
    packed: usize,
    size: usize,
    offset: usize,
}

impl Entry {
    fn unpacked(&self, archive: &[u8], most: usize) -> Option<Vec<u8>> {
        let (name, extra) = (
            u16_at(archive, self.offset.checked_add(26)?)?,
            u16_at(archive, self.offset.checked_add(28)?)?,
        );
        let data = self.offset + 30 + name + extra;
        let data = archive.get(data..data.checked_add(self.packed)?)?;
        if self.size > most {
            return None;
        }
        let mut content = Vec::with_capacity(self.size);
        match self.method {
            0 => content.extend_from_slice(data),
            8 => {
                // No more than the archive says there is.
                let size = u64::try_from(self.size).ok()?;
                let mut unpacked = DeflateDecoder::new(data).take(size.saturating_add(1));
                unpacked.read_to_end(&mut content).ok()?;
            }
            _ => return None,
        }
        (content.len() == self.size).then_some(content)
    }
}

/// The first file whose path is wanted.
fn entry(archive: &[u8], wanted: impl Fn(&[u8]) -> bool) -> Result<Option<Entry>, Unreadable> {
    let (count, mut at) = directory(archive).ok_or(Unreadable)?;
    for _ in 0..count {
        let (entry, name, next) = entry_at(archive, at).ok_or(Unreadable)?;
        if wanted(name) {
            return Ok(Some(entry));
        }
        at = next;
    }
    Ok(None)
}

/// How many files the archive has, and where the directory begins.
fn directory(archive: &[u8]) -> Option<(usize, usize)> {
    // The end record stands last, before a comment of at most 65,535 bytes.
    let end = archive.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    Some((u16_at(archive, end + 10)?, u32_at(archive, end + 16)?))
}

/// An entry of the directory, its path, and where the next one begins.
fn entry_at(archive: &[u8], at: usize) -> Option<(Entry, &[u8], usize)> {
    let entry = Entry {
        method: u16_at(archive, at + 10)?,
        packed: u32_at(archive, at + 20)?,
        size: u32_at(archive, at + 24)?,
        offset: u32_at(archive, at + 42)?,
    };
    let (name, extra, comment) = (
        u16_at(archive, at + 28)?,
        u16_at(archive, at + 30)?,
        u16_at(archive, at + 32)?,
    );
    let path = archive.get(at + 46..at + 46 + name)?;
    Some((entry, path, at + 46 + name + extra + comment))
}

fn u16_at(archive: &[u8], at: usize) -> Option<usize> {
    let bytes: [u8; 2] = archive.get(at..at.checked_add(2)?)?.try_into().ok()?;
    Some(usize::from(u16::from_le_bytes(bytes)))
}

fn u32_at(archive: &[u8], at: usize) -> Option<usize> {
    let bytes: [u8; 4] = archive.get(at..at.checked_add(4)?)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}
