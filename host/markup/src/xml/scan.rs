//! The lowest layer: a position in the text and the character classes of
//! XML 1.0 (fifth edition), §2.2 to §2.4 and §4.1.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::XmlError;

/// Longest name accepted, in bytes: also what error messages may repeat.
const MAX_NAME: usize = 256;
/// Longest `&...;` accepted, in bytes between the two signs.
const MAX_REFERENCE: usize = 16;

/// A text and how far it was read.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// Byte position of what comes next.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub fn done(&self) -> bool {
        self.at >= self.text.len()
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub fn fail<T>(&self, message: impl Into<String>) -> Result<T, XmlError> {
        Err(XmlError::new(self.at, message))
    }

    /// Consumes `literal` if it comes next.
    pub fn eat(&mut self, literal: &str) -> bool {
        let here = self.rest().starts_with(literal);
        if here {
            self.at += literal.len();
        }
        here
    }

    pub fn expect(&mut self, literal: &str) -> Result<(), XmlError> {
        if self.eat(literal) {
            Ok(())
        } else {
            self.fail(format!("expected {literal:?}"))
        }
    }

    /// Consumes white space; says whether there was any.
    pub fn space(&mut self) -> bool {
        let blanks = self.rest().bytes().take_while(|&b| is_space(b)).count();
        self.at += blanks;
        blanks > 0
    }

    /// What stands before the next `end`, which is consumed too.
    pub fn until(&mut self, end: &str, what: &str) -> Result<&'a str, XmlError> {
        let rest = self.rest();
        match rest.find(end) {
            Some(length) => {
                self.at += length + end.len();
                Ok(rest.get(..length).unwrap_or(""))
            }
            None => self.fail(format!("{what} is not closed")),
        }
    }

    /// Character data up to the next `<` or the end.
    pub fn text(&mut self) -> &'a str {
        let rest = self.rest();
        let length = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    /// A name without colon (`NCName`).
    pub fn ncname(&mut self) -> Result<&'a str, XmlError> {
        let rest = self.rest();
        let length = name_length(rest);
        if length > MAX_NAME {
            return self.fail("a name is too long");
        }
        if length == 0 {
            return self.fail("expected a name");
        }
        self.at += length;
        Ok(rest.get(..length).unwrap_or(""))
    }

    /// `prefix:local` or `local`; the prefix is empty in the second case.
    pub fn qname(&mut self) -> Result<(&'a str, &'a str), XmlError> {
        let first = self.ncname()?;
        if !self.eat(":") {
            return Ok((empty(self.text), first));
        }
        Ok((first, self.ncname()?))
    }

    /// A value between quotes, as written.
    pub fn quoted(&mut self, what: &str) -> Result<&'a str, XmlError> {
        let quote = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => quote,
            _ => return self.fail(format!("{what} is not quoted")),
        };
        let value = self.text.get(self.at + 1..).unwrap_or("");
        match memchr(quote, value.as_bytes()) {
            Some(length) => {
                self.at += length + 2;
                Ok(value.get(..length).unwrap_or(""))
            }
            None => self.fail(format!("{what} is not closed")),
        }
    }
}

/// Nothing, as a part of `text`. Comparing `""` itself costs tens of
/// nanoseconds on current processors (its address is not mapped, and memcmp
/// reads with a mask); prefixes are compared for every name.
pub(super) fn empty(text: &str) -> &str {
    text.get(..0).unwrap_or("")
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Position of the first character that XML 1.0 does not admit.
pub(super) fn forbidden_character(text: &str) -> Option<usize> {
    // In blocks: nearly all are plain, and that is told without a branch per byte.
    const BLOCK: usize = 64;
    text.as_bytes()
        .chunks(BLOCK)
        .enumerate()
        .find_map(|(number, block)| {
            let plain = block
                .iter()
                .fold(true, |plain, byte| plain & (0x20..0x80).contains(byte));
            if plain {
                None
            } else {
                forbidden_in(text.as_bytes(), number * BLOCK, block)
            }
        })
}

fn forbidden_in(text: &[u8], offset: usize, block: &[u8]) -> Option<usize> {
    let found = block.iter().enumerate().find(|(index, byte)| match byte {
        b'\t' | b'\n' | b'\r' => false,
        0x00..=0x1f => true,
        // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
        0xbe | 0xbf => text
            .get(..offset + index)
            .is_some_and(|before| before.ends_with(&[0xef, 0xbf])),
        _ => false,
    });
    found.map(|(index, _)| offset + index)
}

/// Bytes of the `NCName` a text begins with; somewhat above `MAX_NAME` if it
/// is longer than that.
fn name_length(text: &str) -> usize {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let ascii = bytes
        .iter()
        .take(MAX_NAME + 1)
        .take_while(|b| plain(b))
        .count();
    let starts = bytes
        .first()
        .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    if starts && bytes.get(ascii).is_some_and(u8::is_ascii) {
        return ascii;
    }
    let mut length = 0;
    for (index, c) in text.char_indices() {
        let fits = if index == 0 {
            is_name_start(c)
        } else {
            is_name(c)
        };
        if !fits || length > MAX_NAME {
            break;
        }
        length = index + c.len_utf8();
    }
    length
}

fn is_character(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => true,
    }
}

fn is_name_start(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '_' => true,
        '\0'..='\u{7f}' => false,
        _ => matches!(c,
            '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
            | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}'
            | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}'
            | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}'),
    }
}

fn is_name(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '0'..='9' | '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

/// Line ends become `\n` (XML 1.0 §2.11).
pub(super) fn line_ends(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\r') {
        return Cow::Borrowed(raw);
    }
    Cow::Owned(raw.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Character data: line ends normalized, references replaced.
/// `offset` is where `raw` begins in the whole text.
pub(super) fn character_data(raw: &str, offset: usize) -> Result<Cow<'_, str>, XmlError> {
    // Looking for one byte first: most texts are short and have none.
    if memchr(b']', raw.as_bytes()).is_some()
        && let Some(index) = raw.find("]]>")
    {
        return Err(XmlError::new(offset + index, "\"]]>\" in character data"));
    }
    if memchr2(b'&', b'\r', raw.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(raw));
    }
    expand(raw, offset, |c| c).map(Cow::Owned)
}

/// An attribute's value: every literal blank becomes a space, references are
/// replaced (XML 1.0 §3.3.3 for attributes without declaration).
pub(super) fn attribute_value(raw: &str, offset: usize) -> Result<Cow<'_, str>, XmlError> {
    if let Some(index) = memchr(b'<', raw.as_bytes()) {
        return Err(XmlError::new(offset + index, "\"<\" in an attribute"));
    }
    if !raw
        .bytes()
        .any(|b| matches!(b, b'&' | b'\r' | b'\n' | b'\t'))
    {
        return Ok(Cow::Borrowed(raw));
    }
    expand(
        raw,
        offset,
        |c| if matches!(c, '\n' | '\t') { ' ' } else { c },
    )
    .map(Cow::Owned)
}

/// Normalizes line ends, then maps what is written literally; what comes out
/// of a reference stays as it is.
fn expand(raw: &str, offset: usize, literal: impl Fn(char) -> char) -> Result<String, XmlError> {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.char_indices().peekable();
    // No reference is looked for before this position: it was just replaced.
    let mut resume = 0;
    while let Some((index, c)) = chars.next() {
        if index < resume {
            continue;
        }
        match c {
            '&' => {
                let (replacement, length) = reference(raw.get(index + 1..).unwrap_or(""))
                    .ok_or_else(|| XmlError::new(offset + index, "unknown or malformed entity"))?;
                out.push(replacement);
                resume = index + 1 + length;
            }
            '\r' => {
                if matches!(chars.peek(), Some((_, '\n'))) {
                    chars.next();
                }
                out.push(literal('\n'));
            }
            _ => out.push(literal(c)),
        }
    }
    Ok(out)
}

/// The character of `name;` and how many bytes that took.
fn reference(rest: &str) -> Option<(char, usize)> {
    let length = rest
        .bytes()
        .take(MAX_REFERENCE + 1)
        .position(|b| b == b';')?;
    let name = rest.get(..length)?;
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => {
            let number = name.strip_prefix('#')?;
            let (digits, radix) = match number.strip_prefix('x') {
                Some(hexadecimal) => (hexadecimal, 16),
                None => (number, 10),
            };
            // `from_str_radix` alone would take a sign.
            if !digits.chars().all(|d| d.is_digit(radix)) {
                return None;
            }
            let c = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
            is_character(c).then_some(c)?
        }
    };
    Some((c, length + 1))
}
