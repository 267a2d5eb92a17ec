//! Places of a term, packed: the distance to the place before and four bits of
//! the caller's in one number of variable length (LEB128). Entries are cut into
//! parts that are read alone.

/// Entries of a part.
pub const PART: u32 = 8_192;
/// Largest number an entry carries besides its place.
pub const MOST: u8 = 15;

/// One place of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub place: u32,
    /// Of a product: how many words its name has. Of a word: how many trigrams
    /// it has.
    pub size: u8,
}

/// The places of a term, in order, being collected.
#[derive(Debug, Default)]
pub struct Postings {
    total: u32,
    last: u32,
    parts: Vec<Vec<u8>>,
}

impl Postings {
    /// Adds a place behind those that are there.
    pub fn push(&mut self, entry: Entry) {
        if self.total.is_multiple_of(PART) {
            self.parts.push(Vec::new());
            self.last = 0;
        }
        let distance = entry.place.saturating_sub(self.last);
        let mut number = u64::from(distance) << 4 | u64::from(entry.size.min(MOST));
        if let Some(part) = self.parts.last_mut() {
            loop {
                let byte = u8::try_from(number & 0x7f).unwrap_or_default();
                number >>= 7;
                if number == 0 {
                    part.push(byte);
                    break;
                }
                part.push(byte | 0x80);
            }
        }
        self.last = entry.place;
        self.total += 1;
    }

    /// Entries of all parts.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The packed parts.
    pub fn into_parts(self) -> Vec<Vec<u8>> {
        self.parts
    }
}

/// Reads a part. What is cut short ends the reading.
pub fn read(part: &[u8], mut each: impl FnMut(Entry)) {
    let (mut place, mut number, mut shift) = (0_u32, 0_u64, 0_u32);
    for byte in part {
        number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 != 0 {
            shift += 7;
            continue;
        }
        let size = u8::try_from(number & 0x0f).unwrap_or_default();
        let distance = u32::try_from(number >> 4).unwrap_or(u32::MAX);
        place = place.saturating_add(distance);
        each(Entry { place, size });
        (number, shift) = (0, 0);
    }
}
