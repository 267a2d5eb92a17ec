//! DEFLATE (RFC 1951) for documents of some kilobytes.
//!
//! A general encoder keeps a window, chains of hashes and buffers of 300 KB, which an
//! instance that lives for one step would fill with zeros and hand back for a document of
//! 4 KB. Here there is one table of 8 KB, and one block with codes made for it.

use std::cmp::Reverse;

/// Longest input: what fits into the window, so that every distance can be written.
pub const LONGEST: usize = 32 << 10;

/// Shortest and longest repetition that can be written.
const MIN_MATCH: usize = 3;
const MAX_MATCH: usize = 258;
/// A repetition this long is taken at once; a shorter one only if none that is longer
/// begins one byte later.
const LONG_ENOUGH: usize = 32;
/// Bits of a hash of three bytes.
const HASH_BITS: u32 = 12;

/// End of a block, in the alphabet of literals and lengths.
const END: usize = 256;
const LITERALS: usize = 286;
const DISTANCES: usize = 30;
/// Longest code of literals and distances, and of the lengths of codes.
const MAX_BITS: u8 = 15;
const MAX_LENGTH_BITS: u8 = 7;

/// First length of each length code, and the bits that follow it.
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// In which order the lengths of the codes for lengths are written.
const ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// A byte as it is, or a repetition of what stood `distance` bytes before.
#[derive(Clone, Copy)]
enum Piece {
    Byte(u8),
    Again { length: u16, distance: u16 },
}

/// Appends the one block of at most [`LONGEST`] bytes to `out`.
pub fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    debug_assert!(bytes.len() <= LONGEST, "longer than the window");
    let pieces = pieces(bytes);
    let (mut literals, mut distances) = ([0_u32; LITERALS], [0_u32; DISTANCES]);
    literals[END] = 1;
    for piece in &pieces {
        match *piece {
            Piece::Byte(byte) => literals[usize::from(byte)] += 1,
            Piece::Again { length, distance } => {
                literals[END + 1 + length_code(length)] += 1;
                distances[distance_code(distance).0] += 1;
            }
        }
    }
    let literals = Codes::of(&literals, MAX_BITS);
    let distances = Codes::of(&distances, MAX_BITS);
    let mut bits = Bits {
        out,
        held: 0,
        count: 0,
    };
    // The last block, with codes of its own.
    bits.put(0b101, 3);
    head(&mut bits, &literals.lengths, &distances.lengths);
    for piece in pieces {
        match piece {
            Piece::Byte(byte) => literals.write(&mut bits, usize::from(byte)),
            Piece::Again { length, distance } => {
                let code = length_code(length);
                let (first, extra) = LENGTHS[code];
                literals.write(&mut bits, END + 1 + code);
                bits.put(u32::from(length - first), extra);
                let (code, first, extra) = distance_code(distance);
                distances.write(&mut bits, code);
                bits.put(u32::from(distance - first), extra);
            }
        }
    }
    literals.write(&mut bits, END);
    bits.finish();
}

/// What is repeated, found by the last place of each hash.
fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(bytes.len() / 3 + 8);
    // Place + 1; 0: none yet. Inputs are shorter than 65,535 bytes.
    let mut places = [0_u16; 1 << HASH_BITS];
    let mut at = 0;
    let mut ahead = None;
    while at < bytes.len() {
        let found = ahead.take().unwrap_or_else(|| look(bytes, at, &mut places));
        let Some((length, distance)) = found else {
            pieces.push(Piece::Byte(bytes[at]));
            at += 1;
            continue;
        };
        if length < LONG_ENOUGH {
            let next = look(bytes, at + 1, &mut places);
            if next.is_some_and(|(longer, _)| longer > length) {
                pieces.push(Piece::Byte(bytes[at]));
                at += 1;
                ahead = Some(next);
                continue;
            }
        }
        let already = at + if length < LONG_ENOUGH { 2 } else { 1 };
        pieces.push(Piece::Again {
            length: length as u16,
            distance: distance as u16,
        });
        at += length;
        for inside in already..at {
            note(bytes, inside, &mut places);
        }
    }
    pieces
}

/// The place before where these three bytes stood last; `at` is the last place now.
fn note(bytes: &[u8], at: usize, places: &mut [u16; 1 << HASH_BITS]) -> Option<usize> {
    let three = bytes.get(at..at + MIN_MATCH)?;
    let key = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
    let hash = (key.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize;
    let before = std::mem::replace(&mut places[hash], at as u16 + 1);
    usize::from(before).checked_sub(1)
}

/// The repetition that begins here: length and distance.
fn look(bytes: &[u8], at: usize, places: &mut [u16; 1 << HASH_BITS]) -> Option<(usize, usize)> {
    let before = note(bytes, at, places)?;
    let most = MAX_MATCH.min(bytes.len() - at);
    let same = bytes[before..].iter().zip(&bytes[at..at + most]);
    let length = same.take_while(|(one, other)| one == other).count();
    (length >= MIN_MATCH).then_some((length, at - before))
}

fn length_code(length: u16) -> usize {
    LENGTHS.partition_point(|(first, _)| *first <= length) - 1
}

/// Code of a distance, its first distance, and the bits that follow.
fn distance_code(distance: u16) -> (usize, u16, u8) {
    if distance <= 4 {
        return (usize::from(distance) - 1, distance, 0);
    }
    let less = distance - 1;
    let top = less.ilog2();
    let half = (less >> (top - 1)) & 1;
    let extra = top - 1;
    let first = (2 + half) << extra;
    (
        (2 * top) as usize + usize::from(half),
        first + 1,
        extra as u8,
    )
}

/// A code for each symbol of an alphabet.
struct Codes<const N: usize> {
    /// Bits of each; 0: it does not occur.
    lengths: [u8; N],
    /// The bits themselves, as they are written: the first one lowest.
    bits: [u16; N],
}

impl<const N: usize> Codes<N> {
    /// The shortest codes of at most so many bits for symbols that occur so often.
    fn of(often: &[u32; N], most: u8) -> Codes<N> {
        let lengths = lengths(often, most);
        // RFC 1951, 3.2.2: codes of one length follow each other, in the order of the symbols.
        let mut next = [0_u16; MAX_BITS as usize + 1];
        for length in lengths.iter().filter(|length| **length > 0) {
            next[usize::from(*length)] += 1;
        }
        let mut first = 0;
        for place in &mut next {
            let count = std::mem::replace(place, first);
            first = (first + count) << 1;
        }
        let mut bits = [0; N];
        for (symbol, length) in lengths
            .iter()
            .enumerate()
            .filter(|(_, length)| **length > 0)
        {
            let code = next[usize::from(*length)];
            next[usize::from(*length)] += 1;
            bits[symbol] = code.reverse_bits() >> (16 - length);
        }
        Codes { lengths, bits }
    }

    fn write(&self, bits: &mut Bits<'_>, symbol: usize) {
        bits.put(u32::from(self.bits[symbol]), self.lengths[symbol]);
    }
}

/// Lengths of Huffman's codes. Where one becomes too long, the rare symbols count as
/// more frequent, until none does.
fn lengths<const N: usize>(often: &[u32; N], most: u8) -> [u8; N] {
    let mut often = *often;
    // A decoder wants at least two codes.
    let used = often.iter().filter(|count| **count > 0).count();
    for symbol in (0..N)
        .filter(|symbol| often[*symbol] == 0)
        .take(2_usize.saturating_sub(used))
        .collect::<Vec<_>>()
    {
        often[symbol] = 1;
    }
    loop {
        let lengths = whole_lengths(&often);
        if lengths.iter().all(|length| *length <= most) {
            return lengths;
        }
        for count in often.iter_mut().filter(|count| **count > 0) {
            *count = *count / 2 + 1;
        }
    }
}

fn whole_lengths<const N: usize>(often: &[u32; N]) -> [u8; N] {
    let mut leaves: Vec<(u32, usize)> = (often.iter().copied().zip(0..))
        .filter(|(count, _)| *count > 0)
        .collect();
    leaves.sort_unstable_by_key(|leaf| Reverse(*leaf));
    // The nodes of the tree in the order they are made: what they weigh, and their parents.
    let count = leaves.len();
    let mut parents = vec![0; 2 * count];
    let mut symbols = Vec::with_capacity(count);
    let mut weights: Vec<u32> = Vec::with_capacity(2 * count);
    while let Some((weight, symbol)) = leaves.pop() {
        weights.push(weight);
        symbols.push(symbol);
    }
    let (mut leaf, mut inner) = (0, count);
    for node in count..(2 * count).saturating_sub(1) {
        let mut weight = 0;
        for _ in 0..2 {
            let takes_leaf = leaf < count && (inner >= node || weights[leaf] <= weights[inner]);
            let child = if takes_leaf { &mut leaf } else { &mut inner };
            weight += weights[*child];
            parents[*child] = node;
            *child += 1;
        }
        weights.push(weight);
    }
    let mut levels = vec![0_u8; 2 * count];
    for node in (0..(2 * count).saturating_sub(2)).rev() {
        levels[node] = levels[parents[node]].saturating_add(1);
    }
    let mut lengths = [0; N];
    for (symbol, depth) in symbols.into_iter().zip(levels) {
        lengths[symbol] = depth;
    }
    lengths
}

/// Writes the lengths of both alphabets, themselves coded (RFC 1951, 3.2.7).
fn head(bits: &mut Bits<'_>, literals: &[u8; LITERALS], distances: &[u8; DISTANCES]) {
    let used = |lengths: &[u8], least: usize| {
        let last = lengths.iter().rposition(|length| *length > 0);
        last.map_or(least, |last| least.max(last + 1))
    };
    let (literals, distances) = (
        &literals[..used(literals, END + 1)],
        &distances[..used(distances, 1)],
    );
    let all: Vec<u8> = literals.iter().chain(distances).copied().collect();
    // Each with what follows it, and in how many bits.
    let mut runs: Vec<(usize, u32, u8)> = Vec::with_capacity(all.len());
    let mut rest = all.as_slice();
    while let Some(length) = rest.first() {
        let same = rest.iter().take_while(|other| *other == length).count();
        let taken = match (*length, same) {
            (0, 11..) => {
                let taken = same.min(138);
                runs.push((18, taken as u32 - 11, 7));
                taken
            }
            (0, 3..) => {
                runs.push((17, same as u32 - 3, 3));
                same
            }
            (length, 4..) => {
                let taken = (same - 1).min(6);
                runs.push((usize::from(length), 0, 0));
                runs.push((16, taken as u32 - 3, 2));
                taken + 1
            }
            (length, _) => {
                runs.push((usize::from(length), 0, 0));
                1
            }
        };
        rest = &rest[taken..];
    }
    let mut often = [0_u32; 19];
    for (symbol, _, _) in &runs {
        often[*symbol] += 1;
    }
    let codes = Codes::of(&often, MAX_LENGTH_BITS);
    let written = ORDER.iter().rposition(|symbol| codes.lengths[*symbol] > 0);
    let written = written.map_or(4, |last| (last + 1).max(4));
    bits.put((literals.len() - END - 1) as u32, 5);
    bits.put((distances.len() - 1) as u32, 5);
    bits.put((written - 4) as u32, 4);
    for symbol in &ORDER[..written] {
        bits.put(u32::from(codes.lengths[*symbol]), 3);
    }
    for (symbol, extra, width) in runs {
        codes.write(bits, symbol);
        bits.put(extra, width);
    }
}

/// Bits on their way into bytes, the lowest first.
struct Bits<'a> {
    out: &'a mut Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// At most 16 bits.
    fn put(&mut self, bits: u32, width: u8) {
        self.held |= u64::from(bits) << self.count;
        self.count += u32::from(width);
        if self.count >= 32 {
            self.out
                .extend_from_slice(&(self.held as u32).to_le_bytes());
            self.held >>= 32;
            self.count -= 32;
        }
    }

    fn finish(self) {
        let bytes = self.held.to_le_bytes();
        let whole = self.count.div_ceil(8) as usize;
        self.out.extend_from_slice(&bytes[..whole]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use std::io::Read as _;

    fn unpacked(bytes: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        let read = DeflateDecoder::new(bytes).read_to_end(&mut plain);
        read.expect("a stream of deflate");
        plain
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        append(&mut out, bytes);
        out
    }

    /// Bytes without order: a linear congruential sequence.
    fn noise(count: usize, mask: u8) -> Vec<u8> {
        let mut seed = 3_u32;
        (0..count)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as u8 & mask
            })
            .collect()
    }

    #[test]
    fn what_is_packed_is_unpacked_again() {
        let xml = "<infDPS Id=\"DPS1\"><toma><CNPJ>00000000000191</CNPJ></toma><xDescServ>Serviço</xDescServ></infDPS>";
        let all: Vec<u8> = (0..=255).collect();
        let mut cases = vec![
            Vec::new(),
            b"a".to_vec(),
            b"ab".to_vec(),
            b"aaa".to_vec(),
            vec![0; LONGEST],
            xml.repeat(40).into_bytes(),
            all.repeat(3),
            noise(LONGEST, 0xff),
            noise(LONGEST, 3),
            noise(LONGEST, 0),
        ];
        // A repetition at each distance of the window's end, and of each length.
        let far = noise(LONGEST - 700, 0xff);
        cases.push([far.as_slice(), &far[..600]].concat());
        for length in 1..300 {
            cases.push([&far[..length], b"-", &far[..length]].concat());
        }
        for bytes in cases {
            assert_eq!(unpacked(&packed(&bytes)), bytes);
        }
    }

    /// One symbol twice as frequent as the next: the longest codes there are.
    #[test]
    fn codes_stay_short_enough() {
        let mut often = [0_u32; LITERALS];
        let (mut one, mut other) = (1_u32, 1);
        for count in often.iter_mut().take(40) {
            *count = one;
            (one, other) = (other, one + other);
        }
        for most in [6, 7, MAX_BITS] {
            let lengths = lengths(&often, most);
            assert!(lengths.iter().all(|length| *length <= most));
            // The sum of Kraft: every sequence of bits is one of symbols.
            let whole: u32 = lengths
                .iter()
                .filter(|length| **length > 0)
                .map(|length| 1 << (MAX_BITS - length))
                .sum();
            assert_eq!(whole, 1 << MAX_BITS);
        }
    }
}
