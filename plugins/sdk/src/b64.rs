//! Standard base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// None when the text is not base64. Line breaks and spaces are ignored:
/// authorities wrap long values.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if text.bytes().any(|b| b.is_ascii_whitespace()) {
        let compact: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        return STANDARD.decode(compact).ok();
    }
    STANDARD.decode(text).ok()
}
