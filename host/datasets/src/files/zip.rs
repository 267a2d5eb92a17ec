//! Reads the files of a ZIP one after the other, without unpacking it. Files are
//! stored or deflated (APPNOTE 6.3 §4.3), also those beyond 4 GiB (ZIP64, §4.5.3);
//! sums are checked.

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
/// What stands in the place of numbers that are in the records of ZIP64.
const LARGE: u32 = u32::MAX;
/// The field of an entry with these numbers.
const ZIP64: u16 = 1;
/// Bytes of the record that says where the end record of ZIP64 is, and of that.
const LOCATOR: usize = 20;
const END64: usize = 56;

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
}

impl Entry {
    /// Bytes of the file, unpacked, as the directory says.
    pub(super) fn size(&self) -> u64 {
        self.size
    }
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

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*eight))
}

/// The directory of an archive.
///
/// # Errors
/// It is cut short or damaged.
pub(super) fn directory(from: &mut (impl Read + Seek)) -> io::Result<Vec<Entry>> {
    let length = from.seek(SeekFrom::End(0))?;
    let tail = length.min((END + COMMENT + LOCATOR) as u64);
    from.seek(SeekFrom::Start(length - tail))?;
    let mut bytes = Vec::new();
    from.take(tail).read_to_end(&mut bytes)?;
    let end = bytes.windows(4).rposition(|four| four == b"PK\x05\x06");
    let end = end.ok_or_else(|| broken("its directory is missing"))?;
    let numbers = || {
        Some((
            u64::from(u16_at(&bytes, end + 10)?),
            u32_at(&bytes, end + 12)?,
            u32_at(&bytes, end + 16)?,
        ))
    };
    let (count, size, offset) = numbers().ok_or_else(|| broken("its end is cut short"))?;
    let (count, size, offset) = match end.checked_sub(LOCATOR).and_then(|at| bytes.get(at..)) {
        Some(locator) if locator.starts_with(b"PK\x06\x07") => end64(from, locator)?,
        _ => (count, u64::from(size), u64::from(offset)),
    };
    if size > MOST_DIRECTORY {
        return Err(broken("its directory is too large"));
    }
    from.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    from.take(size).read_to_end(&mut bytes)?;
    let mut entries = Vec::new();
    let mut at = 0;
    for _ in 0..count {
        let (entry, next) = entry(&bytes, at).ok_or_else(|| broken("its directory is damaged"))?;
        entries.push(entry);
        at = next;
    }
    Ok(entries)
}

/// Count, size and place of the directory, from the end record of ZIP64.
fn end64(from: &mut (impl Read + Seek), locator: &[u8]) -> io::Result<(u64, u64, u64)> {
    let cut = || broken("its end is cut short");
    let at = u64_at(locator, 8).ok_or_else(cut)?;
    from.seek(SeekFrom::Start(at))?;
    let mut end = [0; END64];
    from.read_exact(&mut end)?;
    if !end.starts_with(b"PK\x06\x06") {
        return Err(cut());
    }
    let numbers = || Some((u64_at(&end, 32)?, u64_at(&end, 40)?, u64_at(&end, 48)?));
    numbers().ok_or_else(cut)
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
    let fields = bytes.get(from + name..from + name + extra)?;
    let mut large = numbers64(fields);
    // Those that are too large for their place stand in ZIP64's field, in this order.
    let mut number = |place: usize| match u32_at(bytes, at + place)? {
        LARGE => large.next(),
        number => Some(u64::from(number)),
    };
    let size = number(24)?;
    let packed = number(20)?;
    let offset = number(42)?;
    let entry = Entry {
        name: String::from_utf8_lossy(text).into_owned(),
        method: u16_at(bytes, at + 10)?,
        crc: u32_at(bytes, at + 16)?,
        packed,
        size,
        offset,
    };
    Some((entry, from + name + extra + comment))
}

/// The numbers of ZIP64's field among the extra fields of an entry.
fn numbers64(fields: &[u8]) -> impl Iterator<Item = u64> {
    let mut at = 0;
    let mut found: &[u8] = &[];
    while let (Some(id), Some(length)) = (u16_at(fields, at), u16_at(fields, at + 2)) {
        let end = at + 4 + usize::from(length);
        if id == ZIP64 {
            found = fields.get(at + 4..end).unwrap_or_default();
            break;
        }
        at = end;
    }
    found.chunks_exact(8).filter_map(|eight| u64_at(eight, 0))
}

/// The bytes of a file; reading its end fails where its sum is wrong.
///
/// # Errors
/// Its header is damaged, or it is packed in another way.
pub(super) fn open<'r, R: Read + Seek>(
    from: &'r mut R,
    entry: &Entry,
) -> io::Result<Box<dyn Read + 'r>> {
    from.seek(SeekFrom::Start(entry.offset))?;
    let mut header = [0; HEADER];
    from.read_exact(&mut header)?;
    let lengths = (u16_at(&header, 26), u16_at(&header, 28));
    let (true, (Some(name), Some(extra))) = (header.starts_with(b"PK\x03\x04"), lengths) else {
        return Err(broken("the header of a file is damaged"));
    };
    from.seek(SeekFrom::Current(i64::from(name) + i64::from(extra)))?;
    let packed = from.take(entry.packed);
    let bytes: Box<dyn Read + 'r> = match entry.method {
        0 => Box::new(packed),
        8 => Box::new(DeflateDecoder::new(packed)),
        _ => return Err(broken("a file is packed in another way than by deflate")),
    };
    Ok(Box::new(Summed {
        bytes,
        crc: Crc::new(),
        count: 0,
        expected: (entry.crc, entry.size),
    }))
}

/// Takes the sum of what is read.
struct Summed<'r> {
    bytes: Box<dyn Read + 'r>,
    crc: Crc,
    /// Bytes so far.
    count: u64,
    /// Sum and size.
    expected: (u32, u64),
}

impl Read for Summed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.crc.update(buffer.get(..read).unwrap_or_default());
        self.count += read as u64;
        if read == 0 && !buffer.is_empty() && (self.crc.sum(), self.count) != self.expected {
            return Err(broken("the sum of a file is wrong"));
        }
        Ok(read)
    }
}
