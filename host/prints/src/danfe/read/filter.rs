//! What streams are packed with (ISO 32000-1, §7.4), unpacked within a limit.

use std::io::Read as _;

use flate2::read::{DeflateDecoder, ZlibDecoder};

use crate::danfe::read::object::Dictionary;

/// Unpacked size of one stream.
pub(super) const MAX_FLOW: usize = 24 * 1024 * 1024;
/// Filters one after the other.
const MAX_FILTERS: usize = 4;

/// What came of a stream.
pub(super) enum Open {
    Bytes(Vec<u8>),
    /// Packed in a way that is not for text (pictures), or broken.
    Illegible,
    /// More than the limit came out.
    Rest,
}

/// Applies the filters; `spent` grows by all that was unpacked on the way.
pub(super) fn open(
    data: &[u8],
    filters: &[(Vec<u8>, Option<Dictionary>)],
    limit: usize,
    spent: &mut usize,
) -> Open {
    if filters.len() > MAX_FILTERS {
        return Open::Illegible;
    }
    let limit = limit.min(MAX_FLOW);
    let mut current = data.to_vec();
    for (name, parameters) in filters {
        // One byte more than is allowed tells that there was more.
        let Some(open) = one(&current, name, parameters.as_ref(), limit + 1) else {
            return Open::Illegible;
        };
        current = open;
        *spent += current.len();
        if current.len() > limit {
            return Open::Rest;
        }
    }
    Open::Bytes(current)
}

/// One filter; stops soon after `limit` bytes.
fn one(data: &[u8], name: &[u8], parameters: Option<&Dictionary>, limit: usize) -> Option<Vec<u8>> {
    match name {
        b"FlateDecode" | b"Fl" => predictor(inflate(data, limit)?, parameters),
        b"LZWDecode" | b"LZW" => {
            let early = parameters
                .and_then(|p| p.number(b"EarlyChange"))
                .is_none_or(|value| value != 0.0);
            predictor(lzw(data, early, limit)?, parameters)
        }
        b"ASCII85Decode" | b"A85" => ascii85(data),
        b"ASCIIHexDecode" | b"AHx" => Some(hexadecimal(data)),
        b"RunLengthDecode" | b"RL" => repetitions(data, limit),
        _ => None,
    }
}

/// What can be unpacked of a damaged stream is kept: text often is at its start.
fn inflate(data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut reader = ZlibDecoder::new(data).take(limit as u64);
    let whole = reader.read_to_end(&mut out).is_ok();
    if !whole && out.is_empty() {
        // Without the two bytes of zlib's header, as some writers do.
        let mut reader = DeflateDecoder::new(data.get(2..)?).take(limit as u64);
        if reader.read_to_end(&mut out).is_err() && out.is_empty() {
            return None;
        }
    }
    Some(out)
}

/// PNG and TIFF predictors (§7.4.4.4).
fn predictor(data: Vec<u8>, parameters: Option<&Dictionary>) -> Option<Vec<u8>> {
    let number =
        |name: &[u8], otherwise: f32| parameters.and_then(|p| p.number(name)).unwrap_or(otherwise);
    let kind = number(b"Predictor", 1.0);
    if kind < 2.0 {
        return Some(data);
    }
    let colours = number(b"Colors", 1.0).clamp(1.0, 32.0) as usize;
    let bits = number(b"BitsPerComponent", 8.0).clamp(1.0, 16.0) as usize;
    let columns = number(b"Columns", 1.0).clamp(1.0, 1_000_000.0) as usize;
    let step = (colours * bits).div_ceil(8);
    // No row is longer than all of the data: that would only cost memory.
    let line = (colours * bits * columns)
        .div_ceil(8)
        .min(data.len())
        .max(1);
    if kind < 10.0 {
        // TIFF, only of whole bytes.
        let mut data = data;
        if bits == 8 {
            for strip in data.chunks_mut(line) {
                for at in step..strip.len() {
                    let before = strip.get(at - step).copied().unwrap_or(0);
                    if let Some(byte) = strip.get_mut(at) {
                        *byte = byte.wrapping_add(before);
                    }
                }
            }
        }
        return Some(data);
    }
    let mut out = Vec::with_capacity(data.len());
    let mut above = vec![0; line];
    for strip in data.chunks(line + 1) {
        let (filter, strip) = strip.split_first()?;
        let mut current = strip.to_vec();
        current.resize(line, 0);
        crate::pdf::image::unfilter(*filter, &mut current, &above, step)?;
        out.extend_from_slice(&current);
        above = current;
    }
    Some(out)
}

/// §7.4.4: codes of 9 to 12 bits, the most significant first.
fn lzw(data: &[u8], early: bool, limit: usize) -> Option<Vec<u8>> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut out: Vec<u8> = Vec::new();
    // Each entry is a piece of what was written: where it begins and its length.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let mut previous: Option<(usize, usize)> = None;
    let (mut accumulated, mut has, mut bits) = (0_u32, 0_u32, 9_u32);
    for byte in data {
        accumulated = accumulated << 8 | u32::from(*byte);
        has += 8;
        if has < bits {
            continue;
        }
        has -= bits;
        let code = (accumulated >> has & ((1 << bits) - 1)) as usize;
        accumulated &= (1 << has) - 1;
        match code {
            CLEAR => {
                table.clear();
                previous = None;
                bits = 9;
                continue;
            }
            END => break,
            _ => {}
        }
        let start = out.len();
        if let Ok(literal) = u8::try_from(code) {
            out.push(literal);
        } else if let Some((from, count)) = table.get(code - 258).copied() {
            out.extend_from_within(from..from + count);
        } else if code - 258 == table.len() {
            let (from, count) = previous?;
            out.extend_from_within(from..from + count);
            out.push(out.get(from).copied()?);
        } else {
            return None;
        }
        if out.len() >= limit {
            break;
        }
        if let Some((from, count)) = previous {
            // The piece before and the first byte of this one stand together.
            if table.len() < 4096 - 258 {
                table.push((from, count + 1));
            }
        }
        previous = Some((start, out.len() - start));
        // The code after the next to be added decides, one earlier as is usual.
        bits = match table.len() + 258 + usize::from(early) {
            ..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
    }
    Some(out)
}

fn ascii85(data: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(data.len() * 4 / 5);
    let mut group: Vec<u32> = Vec::with_capacity(5);
    for byte in data.strip_prefix(b"<~").unwrap_or(data) {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => group.push(u32::from(byte - b'!')),
            b if crate::danfe::read::object::blank(*b) => {}
            _ => return None,
        }
        if group.len() == 5 {
            out.extend(four(&group)?);
            group.clear();
        }
    }
    if group.len() > 1 {
        let count = group.len() - 1;
        group.resize(5, 84);
        out.extend(four(&group)?.get(..count)?);
    }
    Some(out)
}

fn four(group: &[u32]) -> Option<[u8; 4]> {
    let value = group.iter().try_fold(0_u32, |value, digit| {
        value.checked_mul(85)?.checked_add(*digit)
    })?;
    Some(value.to_be_bytes())
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = data
        .iter()
        .take_while(|b| **b != b'>')
        .filter_map(|b| char::from(*b).to_digit(16))
        .map(|d| d as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => high << 4 | low,
            [high] => high << 4,
            _ => 0,
        })
        .collect()
}

fn repetitions(data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(size) = data.get(at) {
        at += 1;
        match usize::from(*size) {
            128 => break,
            size @ 0..=127 => {
                out.extend_from_slice(data.get(at..=at + size)?);
                at += size + 1;
            }
            size => {
                let byte = *data.get(at)?;
                out.resize(out.len() + 257 - size, byte);
                at += 1;
            }
        }
        if out.len() >= limit {
            break;
        }
    }
    Some(out)
}
