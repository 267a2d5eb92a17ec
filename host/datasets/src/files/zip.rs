//! Reads the files of a ZIP one after the other, without unpacking it. Files are
//! stored or deflated and below 4 GiB (APPNOTE 6.3 §4.3); sums are checked.

use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// Bytes of the end record, and of the longest comment behind it.
const END: usize = 22;
const COMMENT: usize = 65_535;
/// Bytes of an entry of the directory, and of the header before a file.
const ENTRY: usize = 46;
const HEADER: usize = 30;
/// Bytes of the directory; that of 27 tables has some 3 KiB.
const MOST_DIRECTORY: u64 = 1 << 20;
/// What stands in the place of numbers that need ZIP64.
const LARGE: u32 = u32::MAX;

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    offset: u32,
}

fn broken(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*two))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

/// The directory of an archive.
///
/// # Errors
/// It is cut short, or needs ZIP64.
pub(super) fn directory(from: &mut (impl Read + Seek)) -> io::Result<Vec<Entry>> {
    let length = from.seek(SeekFrom::End(0))?;
    let tail = length.min((END + COMMENT) as u64);
    from.seek(SeekFrom::Start(length - tail))?;
    let mut bytes = Vec::new();
    from.take(tail).read_to_end(&mut bytes)?;
    let end = bytes.windows(4).rposition(|four| four == b"PK\x05\x06");
    let end = end.ok_or_else(|| broken("its directory is missing"))?;
    let numbers = || {
        Some((
            u16_at(&bytes, end + 10)?,
            u32_at(&bytes, end + 12)?,
            u32_at(&bytes, end + 16)?,
        ))
    };
    let (count, size, offset) = numbers().ok_or_else(|| broken("its end is cut short"))?;
    if offset == LARGE || u64::from(size) > MOST_DIRECTORY {
        return Err(broken("it is too large (ZIP64): unpack it"));
    }
    from.seek(SeekFrom::Start(u64::from(offset)))?;
    let mut bytes = Vec::new();
    from.take(u64::from(size)).read_to_end(&mut bytes)?;
    let mut entries = Vec::new();
    let mut at = 0;
    for _ in 0..count {
        let (entry, next) = entry(&bytes, at).ok_or_else(|| broken("its directory is damaged"))?;
        if entry.packed == LARGE || entry.size == LARGE || entry.offset == LARGE {
            return Err(broken("a file in it is too large (ZIP64): unpack it"));
        }
        entries.push(entry);
        at = next;
    }
    Ok(entries)
}

/// An entry of the directory, and where the next one begins.
fn entry(bytes: &[u8], at: usize) -> Option<(Entry, usize)> {
    if !bytes.get(at..)?.starts_with(b"PK\x01\x02") {
        return None;
    }
    let length = |place: usize| u16_at(bytes, at + place).map(usize::from);
    let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
    let from = at + ENTRY;
    let text = bytes.get(from..from + name)?;
    let entry = Entry {
        name: String::from_utf8_lossy(text).into_owned(),
        method: u16_at(bytes, at + 10)?,
        crc: u32_at(bytes, at + 16)?,
        packed: u32_at(bytes, at + 20)?,
        size: u32_at(bytes, at + 24)?,
        offset: u32_at(bytes, at + 42)?,
    };
    Some((entry, from + name + extra + comment))
}

/// The bytes of a file; reading its end fails where its sum is wrong.
///
/// # Errors
/// Its header is damaged, or it is packed in another way.
pub(super) fn open<'r, R: Read + Seek>(
    from: &'r mut R,
    entry: &Entry,
) -> io::Result<Box<dyn Read + 'r>> {
    from.seek(SeekFrom::Start(u64::from(entry.offset)))?;
    let mut header = [0; HEADER];
    from.read_exact(&mut header)?;
    let lengths = (u16_at(&header, 26), u16_at(&header, 28));
    let (true, (Some(name), Some(extra))) = (header.starts_with(b"PK\x03\x04"), lengths) else {
        return Err(broken("the header of a file is damaged"));
    };
    from.seek(SeekFrom::Current(i64::from(name) + i64::from(extra)))?;
    let packed = from.take(u64::from(entry.packed));
    let bytes: Box<dyn Read + 'r> = match entry.method {
        0 => Box::new(packed),
        8 => Box::new(DeflateDecoder::new(packed)),
        _ => return Err(broken("a file is packed in another way than by deflate")),
    };
    Ok(Box::new(Summed {
        bytes,
        crc: Crc::new(),
        expected: (entry.crc, entry.size),
    }))
}

/// Takes the sum of what is read.
struct Summed<'r> {
    bytes: Box<dyn Read + 'r>,
    crc: Crc,
    /// Sum and size.
    expected: (u32, u32),
}

impl Read for Summed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.crc.update(buffer.get(..read).unwrap_or_default());
        if read == 0 && !buffer.is_empty() && (self.crc.sum(), self.crc.amount()) != self.expected {
            return Err(broken("the sum of a file is wrong"));
        }
        Ok(read)
    }
}
