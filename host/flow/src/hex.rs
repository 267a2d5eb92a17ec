//! Bytes as text.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two lower-case digits a byte.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from(DIGITS[usize::from(digit)]));
        }
    }
    out
}
