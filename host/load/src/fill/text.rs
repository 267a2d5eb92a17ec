//! A text of a model note with places for what is another in each copy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read as _, Write as _};

/// How gzip in base64 begins: magic and method, without flags.
const ZIPPED: &[u8] = b"H4sIA";
/// Largest content that is unpacked.
const MOST: u64 = 16 << 20;

/// Where a token counts as itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Wherever its letters stand.
    Anywhere,
    /// Not within a longer number or word.
    Whole,
    /// Only as the content of an element or member that names a note's number.
    Named,
}

/// A piece of the model's texts, and the slot that takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub old: String,
    pub slot: usize,
    pub alone: Alone,
}

/// Ends of the names after which a short number is a note's number.
const NAMES: [&str; 7] = [
    "nNFSe>",
    "Numero>",
    "NumeroNfse>",
    "NumeroNfe>",
    "NumeroNFe>",
    "numero_nfse\":\"",
    "\"numero\":\"",
];

impl Token {
    fn fits(&self, text: &[u8], at: usize) -> bool {
        if !text[at..].starts_with(self.old.as_bytes()) {
            return false;
        }
        let (before, after) = (&text[..at], &text[at + self.old.len()..]);
        let part = |byte: &u8| byte.is_ascii_alphanumeric();
        match self.alone {
            Alone::Anywhere => true,
            Alone::Whole => {
                !before
                    .last()
                    .is_some_and(|byte| part(byte) || *byte == b'.')
                    && !after.first().is_some_and(part)
            }
            Alone::Named => {
                NAMES.iter().any(|name| before.ends_with(name.as_bytes()))
                    && !after.first().is_some_and(part)
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Plain(Vec<u8>),
    Slot(usize),
    /// gzip in base64 of a text.
    Zipped(Text),
}

/// A text, compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Piece>);

/// What is packed at this place of a text, and how long it is there.
fn packed(text: &[u8], at: usize) -> Option<(Vec<u8>, usize)> {
    if !text[at..].starts_with(ZIPPED) {
        return None;
    }
    let letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let length = text[at..].iter().take_while(letter).count();
    let bytes = BASE64.decode(&text[at..at + length]).ok()?;
    let mut inner = Vec::new();
    GzDecoder::new(bytes.as_slice())
        .take(MOST)
        .read_to_end(&mut inner)
        .ok()?;
    Some((inner, length))
}

/// A text and every text that is packed in it.
pub fn layers(text: &[u8]) -> Vec<Vec<u8>> {
    let mut found = vec![text.to_vec()];
    let mut at = 0;
    while at < text.len() {
        match packed(text, at) {
            Some((inner, length)) => {
                found.extend(layers(&inner));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

impl Text {
    /// `tokens`: the longest first.
    pub fn compiled(text: &[u8], tokens: &[Token]) -> Text {
        let mut pieces = Vec::new();
        let (mut plain, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let (piece, length) = if let Some((inner, length)) = packed(text, at) {
                (Piece::Zipped(Text::compiled(&inner, tokens)), length)
            } else if let Some(token) = tokens.iter().find(|token| token.fits(text, at)) {
                (Piece::Slot(token.slot), token.old.len())
            } else {
                plain.push(text[at]);
                at += 1;
                continue;
            };
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(piece);
            at += length;
        }
        if !plain.is_empty() {
            pieces.push(Piece::Plain(plain));
        }
        Text(pieces)
    }

    /// Whether every copy has the same.
    pub fn is_fixed(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Plain(_)))
    }

    /// The text of one copy.
    pub fn filled(&self, values: &[String]) -> Vec<u8> {
        let mut out = Vec::new();
        for piece in &self.0 {
            match piece {
                Piece::Plain(bytes) => out.extend_from_slice(bytes),
                Piece::Slot(slot) => out.extend_from_slice(values[*slot].as_bytes()),
                Piece::Zipped(text) => {
                    let inner = text.filled(values);
                    out.extend_from_slice(BASE64.encode(zipped(&inner)).as_bytes());
                }
            }
        }
        out
    }
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::fast());
    // Writing into memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(old: &str, slot: usize, alone: Alone) -> Token {
        Token {
            old: old.to_owned(),
            slot,
            alone,
        }
    }

    fn filled(text: &str, tokens: &[Token], values: &[&str]) -> String {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        String::from_utf8(Text::compiled(text.as_bytes(), tokens).filled(&values)).expect("text")
    }

    #[test]
    fn tokens_are_replaced_where_they_stand_for_themselves() {
        let tokens = [
            token("700000001", 0, Alone::Anywhere),
            token("2101.37", 1, Alone::Whole),
            token("17", 2, Alone::Named),
        ];
        let text = "<nNF>700000001</nNF><Id>DPS00700000001</Id><v>2101.37</v><w>12101.37</w><cUF>17</cUF><nNFSe>17</nNFSe>{\"numero_nfse\":\"17\"}";
        let expected = "<nNF>100000005</nNF><Id>DPS00100000005</Id><v>9.99</v><w>12101.37</w><cUF>17</cUF><nNFSe>88</nNFSe>{\"numero_nfse\":\"88\"}";
        assert_eq!(
            filled(text, &tokens, &["100000005", "9.99", "88"]),
            expected
        );
    }

    #[test]
    fn what_is_packed_is_filled_too() {
        let inner = format!("<a>700000001{}</a>", "x".repeat(200));
        let text = format!(
            "{{\"xml\":\"{}\"}}",
            BASE64.encode(zipped(inner.as_bytes()))
        );
        assert_eq!(layers(text.as_bytes()).len(), 2);
        let tokens = [token("700000001", 0, Alone::Anywhere)];
        let copy = filled(&text, &tokens, &["123456789"]);
        let found = layers(copy.as_bytes());
        assert_eq!(found[1], inner.replace("700000001", "123456789").as_bytes());
        assert!(Text::compiled(b"plain", &tokens).is_fixed());
    }
}
