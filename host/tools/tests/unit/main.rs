//! Tests of the crate's parts, one module each as in src.

mod barcode;
mod brcode;
mod email;
mod fci;
mod geo;
mod phone;
mod plate;
mod profile;
mod scale;
mod simples;
mod tour;

use serde_json::Value;

/// The text of a member of a worked example.
fn text<'v>(example: &'v Value, member: &str) -> &'v str {
    example[member].as_str().unwrap_or_default()
}

/// Texts that nobody means: of any length, with signs of several bytes.
fn hostile() -> Vec<String> {
    let parts = [
        "", " ", "0", "9", "55", "+", "-", "X", "É", "\u{301}", "𝟗", "\0", "00020126", "6304", "@",
    ];
    let mut texts = Vec::new();
    for first in parts {
        for second in parts {
            for times in [1, 2, 3, 7, 500] {
                texts.push(format!("{first}{second}").repeat(times));
                texts.push(format!("{}{second}", first.repeat(times)));
            }
        }
    }
    texts
}
