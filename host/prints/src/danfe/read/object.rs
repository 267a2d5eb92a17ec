//! Objects of a PDF (ISO 32000-1, §7.3) as a tolerant reader sees them.

/// Deepest nesting of lists and dictionaries.
const MAX_DEPTH: usize = 24;
/// Entries of one list or dictionary.
const MAX_ENTRIES: usize = 100_000;

/// A value of a PDF.
#[derive(Debug, Clone, PartialEq)]
pub enum Object {
    /// `null`; also `true` and `false`, which nobody asks for.
    Null,
    /// Whole or not.
    Number(f32),
    /// `/Name`, without the slash and its escapes.
    Name(Vec<u8>),
    /// `(text)` or `<74657874>`, without its escapes.
    Text(Vec<u8>),
    /// `[…]`.
    List(Vec<Object>),
    /// `<<…>>`.
    Dictionary(Dictionary),
    /// `7 0 R`: the number of another object.
    Reference(u32),
}

/// Names and what they stand for, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dictionary(pub(super) Vec<(Vec<u8>, Object)>);

impl Dictionary {
    /// What a name, given without its slash, stands for.
    pub fn get(&self, name: &[u8]) -> Option<&Object> {
        self.0
            .iter()
            .find(|(chave, _)| chave == name)
            .map(|(_, value)| value)
    }

    /// A name among the values, as in `/Type /Page`.
    pub(super) fn name(&self, name: &[u8]) -> Option<&[u8]> {
        match self.get(name)? {
            Object::Name(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn number(&self, name: &[u8]) -> Option<f32> {
        self.get(name)?.number()
    }
}

impl Object {
    pub(super) fn number(&self) -> Option<f32> {
        match self {
            Object::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The dictionary, if the object is one.
    pub fn dictionary(&self) -> Option<&Dictionary> {
        match self {
            Object::Dictionary(dictionary) => Some(dictionary),
            _ => None,
        }
    }
}

/// An object, or a word that is none: an operator, `obj`, `stream`.
#[derive(Debug, PartialEq)]
pub enum Symbol<'p> {
    /// An object; `1 0 R` is still two of them and a word.
    Object(Object),
    /// Regular characters that are no object, or a bracket that closes nothing.
    Word(&'p [u8]),
}

/// Reads symbols one after the other.
pub struct Reader<'p> {
    bytes: &'p [u8],
    pub(super) at: usize,
}

impl<'p> Reader<'p> {
    /// Reads these bytes from the position `at` on.
    pub fn new(bytes: &'p [u8], at: usize) -> Reader<'p> {
        Reader { bytes, at }
    }

    pub(super) fn rest(&self) -> &'p [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    fn ver(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// Past blanks and comments.
    pub(super) fn skip(&mut self) {
        while let Some(byte) = self.ver(0) {
            if byte == b'%' {
                while self.ver(0).is_some_and(|b| b != b'\n' && b != b'\r') {
                    self.at += 1;
                }
            } else if blank(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// The next symbol; none at the end or where nothing can be read, which
    /// ends the reading.
    pub fn symbol(&mut self) -> Option<Symbol<'p>> {
        self.read(MAX_DEPTH)
    }

    /// The next symbol if it is an object; `1 0 R` is one.
    pub fn object(&mut self) -> Option<Object> {
        let start = self.at;
        match self.symbol()? {
            Symbol::Object(Object::Number(number)) => {
                let after = self.at;
                if let Some(reference) = self.reference(number) {
                    return Some(reference);
                }
                self.at = after;
                Some(Object::Number(number))
            }
            Symbol::Object(object) => Some(object),
            Symbol::Word(b"null" | b"true" | b"false") => Some(Object::Null),
            Symbol::Word(_) => {
                self.at = start;
                None
            }
        }
    }

    /// The rest of `1 0 R` after the 1.
    fn reference(&mut self, number: f32) -> Option<Object> {
        if number < 0.0 || number.fract() != 0.0 || number > 8_000_000.0 {
            return None;
        }
        self.skip();
        let generation = self.word();
        if generation.is_empty() || !generation.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.skip();
        (self.word() == b"R").then_some(Object::Reference(number as u32))
    }

    fn read(&mut self, depth: usize) -> Option<Symbol<'p>> {
        self.skip();
        let object = match self.ver(0)? {
            b'/' => {
                self.at += 1;
                Object::Name(without_escapes(self.word()))
            }
            b'(' => Object::Text(self.literal()?),
            b'<' if self.ver(1) == Some(b'<') => {
                self.at += 2;
                Object::Dictionary(self.dictionary(depth.checked_sub(1)?)?)
            }
            b'<' => Object::Text(self.hexadecimal()?),
            b'[' => {
                self.at += 1;
                Object::List(self.list(depth.checked_sub(1)?)?)
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => {
                let word = self.word();
                match number(word) {
                    Some(number) => Object::Number(number),
                    None => return Some(Symbol::Word(word)),
                }
            }
            b')' | b'>' | b']' | b'{' | b'}' => {
                let one = self.bytes.get(self.at..self.at + 1)?;
                self.at += 1;
                return Some(Symbol::Word(one));
            }
            _ => return Some(Symbol::Word(self.word())),
        };
        Some(Symbol::Object(object))
    }

    /// Regular characters from here on.
    pub(super) fn word(&mut self) -> &'p [u8] {
        let start = self.at;
        while self.ver(0).is_some_and(|b| !blank(b) && !delimiter(b)) {
            self.at += 1;
        }
        self.bytes.get(start..self.at).unwrap_or(&[])
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Object>> {
        let mut out = Vec::new();
        loop {
            match self.read(depth)? {
                Symbol::Word(b"]") => return Some(out),
                Symbol::Word(b"R") => join_reference(&mut out)?,
                Symbol::Word(b"null" | b"true" | b"false") => out.push(Object::Null),
                Symbol::Word(_) => return None,
                Symbol::Object(object) => out.push(object),
            }
            if out.len() > MAX_ENTRIES {
                return None;
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Option<Dictionary> {
        let mut loose = Vec::new();
        loop {
            match self.read(depth)? {
                Symbol::Word(b">") => {
                    if self.ver(0) == Some(b'>') {
                        self.at += 1;
                    }
                    break;
                }
                Symbol::Word(b"R") => join_reference(&mut loose)?,
                Symbol::Word(b"null" | b"true" | b"false") => loose.push(Object::Null),
                Symbol::Word(_) => return None,
                Symbol::Object(object) => loose.push(object),
            }
            if loose.len() > MAX_ENTRIES {
                return None;
            }
        }
        let mut out = Vec::with_capacity(loose.len() / 2);
        let mut loose = loose.into_iter();
        while let Some(chave) = loose.next() {
            if let (Object::Name(chave), Some(value)) = (chave, loose.next()) {
                out.push((chave, value));
            }
        }
        Some(Dictionary(out))
    }

    /// `( … )` with nested parentheses and escapes (§7.3.4.2).
    fn literal(&mut self) -> Option<Vec<u8>> {
        self.at += 1;
        let mut out = Vec::new();
        let mut open = 1;
        loop {
            let byte = self.ver(0)?;
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        return Some(out);
                    }
                }
                b'\\' => {
                    self.escape(&mut out)?;
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let byte = self.ver(0)?;
        self.at += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\r' => {
                if self.ver(0) == Some(b'\n') {
                    self.at += 1;
                }
            }
            b'\n' => {}
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.ver(0) else {
                        break;
                    };
                    value = value * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                out.push((value & 0xFF) as u8);
            }
            other => out.push(other),
        }
        Some(())
    }

    fn hexadecimal(&mut self) -> Option<Vec<u8>> {
        self.at += 1;
        let mut out = Vec::new();
        let mut half: Option<u8> = None;
        loop {
            let byte = self.ver(0)?;
            self.at += 1;
            if byte == b'>' {
                out.extend(half.map(|high| high << 4));
                return Some(out);
            }
            let Some(value) = char::from(byte).to_digit(16) else {
                continue;
            };
            let value = value as u8;
            match half.take() {
                Some(high) => out.push(high << 4 | value),
                None => half = Some(value),
            }
        }
    }
}

/// The last two numbers become a reference.
fn join_reference(loose: &mut Vec<Object>) -> Option<()> {
    loose.pop()?;
    let number = loose.pop()?.number()?;
    let whole = (0.0..=8_000_000.0).contains(&number) && number.fract() == 0.0;
    loose.push(if whole {
        Object::Reference(number as u32)
    } else {
        Object::Null
    });
    Some(())
}

/// `#41` in a name is an A.
fn without_escapes(name: &[u8]) -> Vec<u8> {
    if !name.contains(&b'#') {
        return name.to_vec();
    }
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        let hex = name
            .get(at + 1..at + 3)
            .filter(|_| *byte == b'#')
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        match hex {
            Some(value) => {
                out.push(value);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

fn number(word: &[u8]) -> Option<f32> {
    if word.len() > 40
        || !word
            .iter()
            .all(|b| matches!(b, b'+' | b'-' | b'.' | b'0'..=b'9'))
    {
        return None;
    }
    // Some writers put two signs: "--5".
    let text = std::str::from_utf8(word).ok()?.trim_start_matches("-+");
    let text = text.strip_prefix("--").unwrap_or(text);
    text.parse().ok()
}

pub(super) fn blank(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}
