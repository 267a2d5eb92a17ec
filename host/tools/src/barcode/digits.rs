//! Arithmetic of check digits.

use super::BarcodeError;

/// Check digit modulo 10, weights 3 and 1 from the right (GS1 General
/// Specifications §7.9).
pub(super) fn modulo_10(payload: &str) -> char {
    let sum: u32 = weighted(payload, [3, 1].into_iter().cycle());
    digit((10 - sum % 10) % 10)
}

/// Check digit modulo 11, weights 2, 3, ... from the right; `X` stands for ten
/// (ISBN-10: ISO 2108:1992; ISSN: ISO 3297).
pub(super) fn modulo_11(payload: &str) -> char {
    let sum: u32 = weighted(payload, 2..);
    digit((11 - sum % 11) % 11)
}

/// The check digit of a GTIN whose other digits are given.
///
/// # Errors
/// Not 7, 11, 12 or 13 digits: the lengths of GTIN-8, 12, 13 and 14 without
/// their last digit.
pub fn check_digit(payload: &str) -> Result<char, BarcodeError> {
    if !payload.bytes().all(|b| b.is_ascii_digit()) {
        return Err(BarcodeError::Characters);
    }
    match payload.len() {
        7 | 11 | 12 | 13 => Ok(modulo_10(payload)),
        other => Err(BarcodeError::Length(other)),
    }
}

/// Digits times weights, both from the right. At most 13 digits come here.
fn weighted(payload: &str, weights: impl Iterator<Item = u32>) -> u32 {
    payload
        .bytes()
        .rev()
        .zip(weights)
        .map(|(byte, weight)| u32::from(byte.saturating_sub(b'0')) * weight)
        .sum()
}

fn digit(value: u32) -> char {
    char::from_digit(value, 10).unwrap_or('X')
}
