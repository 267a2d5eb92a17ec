//! From the codes of a font to letters: encodings and ToUnicode maps.

use std::collections::HashMap;

use super::ReadError;
use crate::danfe::read::file::File;
use crate::danfe::read::object::{Dictionary, Object, Reader, Symbol};

/// Entries of one map.
const MAX_ENTRIES: usize = 70_000;

/// How a font's codes are read.
#[derive(Default)]
pub(super) struct Font {
    /// Two bytes for a code.
    double: bool,
    /// Codes the file explains itself.
    map: HashMap<u32, String>,
    /// Two bytes and no explanation.
    per_glyph: bool,
    /// Entries that were read, the same ones again included.
    steps: usize,
}

impl Font {
    pub fn read(file: &File<'_>, dictionary: &Dictionary) -> Result<Font, ReadError> {
        let composed = dictionary.name(b"Subtype") == Some(b"Type0");
        let mut font = Font {
            double: composed,
            ..Font::default()
        };
        if let Some(reference) = dictionary.get(b"ToUnicode")
            && let Some(stream) = file.stream(reference)?
            && let Some(cmap) = file.content(&stream)?
        {
            font.cmap(&cmap);
        } else if composed {
            font.per_glyph = true;
        } else if let Some(Object::Dictionary(encoding)) = file.value(dictionary, b"Encoding")?
            && let Some(Object::List(differences)) = file.value(&encoding, b"Differences")?
        {
            font.differences(&differences);
        }
        Ok(font)
    }

    /// `[65 /A /B 200 /zero …]`.
    fn differences(&mut self, differences: &[Object]) {
        let mut code = 0_u32;
        for object in differences.iter().take(MAX_ENTRIES) {
            match object {
                Object::Number(number) => code = number.max(0.0) as u32,
                Object::Name(name) => {
                    if let Some(letter) = letter_of(name) {
                        self.map.insert(code, letter.to_string());
                    }
                    code = code.saturating_add(1);
                }
                _ => {}
            }
        }
    }

    /// A ToUnicode map (§9.10.3): `bfchar` and `bfrange`.
    fn cmap(&mut self, cmap: &[u8]) {
        let mut reader = Reader::new(cmap, 0);
        let mut loose: Vec<Object> = Vec::new();
        while let Some(symbol) = reader.symbol() {
            if self.steps >= MAX_ENTRIES {
                return;
            }
            match symbol {
                Symbol::Object(object) => {
                    if loose.len() < MAX_ENTRIES {
                        loose.push(object);
                    }
                }
                Symbol::Word(word) => {
                    match word {
                        b"endcodespacerange" => {
                            // One byte a code, also in a composite font.
                            let one = |o: &Object| matches!(o, Object::Text(t) if t.len() == 1);
                            if self.double && !loose.is_empty() && loose.iter().all(one) {
                                self.double = false;
                            }
                        }
                        b"endbfchar" => {
                            for pair in loose.chunks_exact(2) {
                                if let [Object::Text(from), Object::Text(to)] = pair
                                    && !self.map(code(from), utf16(to))
                                {
                                    return;
                                }
                            }
                        }
                        b"endbfrange" => self.strips(&loose),
                        _ => {}
                    }
                    loose.clear();
                }
            }
        }
    }

    fn strips(&mut self, loose: &[Object]) {
        for three in loose.chunks_exact(3) {
            if self.steps >= MAX_ENTRIES {
                return;
            }
            let [Object::Text(from), Object::Text(to), target] = three else {
                continue;
            };
            let (from, to) = (code(from), code(to));
            match target {
                Object::Text(target) => {
                    let Some((end, beginning)) = utf16(target).pop_char() else {
                        continue;
                    };
                    for (step, code) in (from..=to.min(from.saturating_add(0xFFFF))).enumerate() {
                        let letter = u32::from(end)
                            .checked_add(step as u32)
                            .and_then(char::from_u32);
                        let Some(letter) = letter else { break };
                        if !self.map(code, format!("{beginning}{letter}")) {
                            return;
                        }
                    }
                }
                Object::List(list) => {
                    for (code, target) in (from..=to).zip(list) {
                        if let Object::Text(target) = target
                            && !self.map(code, utf16(target))
                        {
                            return;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// False when no more is taken.
    fn map(&mut self, code: u32, text: String) -> bool {
        self.steps += 1;
        if text.len() <= 32 {
            self.map.insert(code, text);
        }
        self.steps < MAX_ENTRIES
    }

    /// Letters of a string of codes.
    pub fn text(&self, bytes: &[u8], out: &mut String) {
        if !self.double {
            for byte in bytes {
                match self.map.get(&u32::from(*byte)) {
                    Some(text) => out.push_str(text),
                    // Latin-1: digits and capitals are the same everywhere.
                    None if *byte >= b' ' => out.push(char::from(*byte)),
                    None => {}
                }
            }
            return;
        }
        for pair in bytes.chunks(2) {
            let code = code(pair);
            if let Some(text) = self.map.get(&code) {
                out.push_str(text);
            } else if self.per_glyph {
                // Glyph numbers of Microsoft's fonts: the space is number 3.
                out.extend(
                    (3..=97)
                        .contains(&code)
                        .then(|| char::from(code as u8 + 29)),
                );
            }
        }
    }
}

trait PopChar {
    fn pop_char(self) -> Option<(char, String)>;
}

impl PopChar for String {
    /// The last letter and what stands before it.
    fn pop_char(mut self) -> Option<(char, String)> {
        let letter = self.pop()?;
        Some((letter, self))
    }
}

fn code(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .take(4)
        .fold(0, |code, byte| code << 8 | u32::from(*byte))
}

fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks(2).map(|pair| code(pair) as u16);
    char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(' '))
        .collect()
}

/// Digits, letters and the punctuation that may stand in a key, by glyph name.
fn letter_of(name: &[u8]) -> Option<char> {
    let name = std::str::from_utf8(name).ok()?;
    let name = name.split('.').next()?;
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Some(letter);
    }
    if let Some(hex) = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))
        && let Ok(code) = u32::from_str_radix(hex.get(..4).unwrap_or(hex), 16)
    {
        return char::from_u32(code);
    }
    Some(match name {
        "zero" => '0',
        "one" => '1',
        "two" => '2',
        "three" => '3',
        "four" => '4',
        "five" => '5',
        "six" => '6',
        "seven" => '7',
        "eight" => '8',
        "nine" => '9',
        "space" | "nbspace" => ' ',
        "period" => '.',
        "hyphen" | "minus" => '-',
        "slash" => '/',
        "colon" => ':',
        "comma" => ',',
        _ => return None,
    })
}
