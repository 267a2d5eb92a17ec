//! Reed-Solomon over GF(256) and the order in which blocks are written
//! (ISO/IEC 18004, §7.5 and §7.6).

use super::tables;

/// Splits the data into blocks, adds to each its correction and takes one
/// codeword of each block in turn.
pub(super) fn interleave(version: usize, data: &[u8]) -> Vec<u8> {
    let blocks = tables::blocks(version);
    let correction = tables::correction_codewords(version);
    // The first blocks are one codeword shorter when the data does not divide.
    let short = data.len() / blocks;
    let short_blocks = blocks - data.len() % blocks;
    let generator = generator(correction);

    let mut rest = data;
    let mut parts: Vec<(&[u8], Vec<u8>)> = Vec::with_capacity(blocks);
    for block in 0..blocks {
        let length = short + usize::from(block >= short_blocks);
        let (part, tail) = rest.split_at(length.min(rest.len()));
        rest = tail;
        parts.push((part, remainder(part, &generator)));
    }

    let mut out = Vec::with_capacity(tables::all_codewords(version));
    for position in 0..=short {
        out.extend(parts.iter().filter_map(|(part, _)| part.get(position)));
    }
    for position in 0..correction {
        out.extend(parts.iter().filter_map(|(_, check)| check.get(position)));
    }
    out
}

/// Coefficients of the product of (x - 2^i), without the leading one.
fn generator(degree: usize) -> Vec<u8> {
    let mut out = vec![0u8; degree];
    if let Some(last) = out.last_mut() {
        *last = 1;
    }
    let mut root = 1u8;
    for _ in 0..degree {
        for index in 0..degree {
            let next = out.get(index + 1).copied().unwrap_or(0);
            if let Some(term) = out.get_mut(index) {
                *term = multiply(*term, root) ^ next;
            }
        }
        root = multiply(root, 2);
    }
    out
}

fn remainder(data: &[u8], generator: &[u8]) -> Vec<u8> {
    let mut out = vec![0u8; generator.len()];
    for byte in data {
        let factor = byte ^ out.first().copied().unwrap_or(0);
        out.rotate_left(1);
        if let Some(last) = out.last_mut() {
            *last = 0;
        }
        for (term, coefficient) in out.iter_mut().zip(generator) {
            *term ^= multiply(*coefficient, factor);
        }
    }
    out
}

/// Product in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1.
fn multiply(left: u8, right: u8) -> u8 {
    (0..8).rev().fold(0u8, |product, bit| {
        let carried = if product & 0x80 == 0 { 0 } else { 0x1D };
        (product << 1) ^ carried ^ if right >> bit & 1 == 1 { left } else { 0 }
    })
}
