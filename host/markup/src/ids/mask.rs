//! Punctuation people type, and arithmetic on positions.

use super::IdError;

/// The `N` letters and digits of a text, upper-cased. Blanks around it and the
/// separators, each at its position only, may be there or not.
///
/// Nothing is padded or cut: a number of the wrong length is some other number.
pub(super) fn unmask<const N: usize>(
    text: &str,
    separators: &[(usize, u8)],
) -> Result<[u8; N], IdError> {
    let mut out = [0; N];
    let mut filled = 0;
    let mut last_separator = None;
    for byte in text.trim_matches([' ', '\t', '\r', '\n']).bytes() {
        if byte.is_ascii_alphanumeric() {
            *out.get_mut(filled).ok_or(IdError::Shape)? = byte.to_ascii_uppercase();
            filled += 1;
        } else if separators.contains(&(filled, byte)) && last_separator != Some(filled) {
            last_separator = Some(filled);
        } else {
            return Err(IdError::Shape);
        }
    }
    if filled == N {
        Ok(out)
    } else {
        Err(IdError::Shape)
    }
}

/// Check digit modulo 11 over ASCII code minus 48, weights 2, 3, ... from the
/// right, starting again at 2 after `highest`. A rest of 0 or 1 gives 0.
pub(crate) fn modulo_11(positions: &[u8], highest: u32) -> u8 {
    let sum: u32 = positions
        .iter()
        .rev()
        .zip((2..=highest).cycle())
        .map(|(&byte, weight)| u32::from(byte.saturating_sub(b'0')) * weight)
        .sum();
    match sum % 11 {
        0 | 1 => b'0',
        rest => b'0' + u8::try_from(11 - rest).unwrap_or(0),
    }
}

/// Do the last two positions check the others, one after the other?
pub(super) fn two_check_digits(positions: &[u8], highest: u32) -> bool {
    let Some((base, [first, second])) = positions.split_last_chunk::<2>() else {
        return false;
    };
    let with_first = positions.get(..base.len() + 1).unwrap_or(base);
    modulo_11(base, highest) == *first && modulo_11(with_first, highest) == *second
}

pub(super) fn all_equal(positions: &[u8]) -> bool {
    positions.iter().all(|byte| Some(byte) == positions.first())
}

/// Bytes that are known to be ASCII as text.
pub(super) fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("")
}

/// Part of an ASCII text by positions; empty if it is too short.
pub(super) fn slice(text: &str, positions: std::ops::Range<usize>) -> &str {
    text.get(positions).unwrap_or("")
}
