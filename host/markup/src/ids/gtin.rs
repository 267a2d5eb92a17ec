//! Bar code numbers of GS1 (GTIN).

/// 8, 12, 13 or 14 digits, the last by weights 3 and 1 from the right (GS1
/// General Specifications §7.9).
pub fn is_valid_gtin(text: &str) -> bool {
    if !matches!(text.len(), 8 | 12 | 13 | 14) || !text.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let sum: u32 = text
        .bytes()
        .rev()
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    sum.is_multiple_of(10)
}
