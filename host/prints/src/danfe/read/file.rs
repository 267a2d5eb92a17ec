//! A PDF file as objects by number.
//!
//! Cross-reference tables are not believed: they are what is most often broken,
//! and in a hostile file what leads in circles. The file is read once from start
//! to end instead; an object that comes later replaces an earlier one of the same
//! number, which is how PDF updates itself.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::ReadError;
use crate::danfe::read::filter::{self, Open};
use crate::danfe::read::object::{Dictionary, Object, Reader, blank};

/// Objects of one file.
const MAX_OBJECTS: usize = 300_000;
/// What all streams together may unpack to.
const MAX_OPEN: usize = 96 * 1024 * 1024;
/// References one after the other.
const MAX_JUMPS: usize = 8;

/// Where an object stands.
#[derive(Clone)]
enum Place {
    /// In the file, after `obj`.
    File(usize),
    /// In an object stream.
    Package(Rc<Vec<u8>>, usize),
}

pub(super) struct File<'p> {
    bytes: &'p [u8],
    places: HashMap<u32, Place>,
    /// Dictionaries that may name the root: trailers and cross-reference streams.
    roots: Vec<Dictionary>,
    catalogue: Option<u32>,
    /// Pages in the order of the file, for files without a usable tree.
    pub loose_pages: Vec<u32>,
    open: Cell<usize>,
    /// Bytes looked at again and again, to stop files made for that.
    work: Cell<usize>,
}

/// An object with the bytes of its stream, still packed.
pub(super) struct Stream<'p> {
    pub dictionary: Dictionary,
    data: &'p [u8],
}

impl<'p> File<'p> {
    pub fn open(bytes: &'p [u8]) -> Result<File<'p>, ReadError> {
        let mut file = File {
            bytes,
            places: HashMap::new(),
            roots: Vec::new(),
            catalogue: None,
            loose_pages: Vec::new(),
            open: Cell::new(0),
            work: Cell::new(0),
        };
        file.index()?;
        if file.roots.iter().any(|root| root.get(b"Encrypt").is_some()) {
            return Err(ReadError::Protected);
        }
        if file.places.is_empty() {
            return Err(ReadError::NotPdf);
        }
        Ok(file)
    }

    /// Every reading that may be repeated pays here.
    pub fn spend(&self, bytes: usize) -> Result<(), ReadError> {
        let spent = self.work.get() + bytes;
        self.work.set(spent);
        if spent > self.bytes.len() * 16 + 64 * 1024 * 1024 {
            return Err(ReadError::Large("trabalho"));
        }
        Ok(())
    }

    fn index(&mut self) -> Result<(), ReadError> {
        let bytes = self.bytes;
        let mut at = 0;
        // Past here there is no `endstream` any more.
        let mut without_end = usize::MAX;
        while at < bytes.len() {
            let Some(salto) = next(bytes.get(at..).unwrap_or(&[])) else {
                break;
            };
            at += salto;
            if bytes
                .get(at..)
                .is_some_and(|rest| rest.starts_with(b"trailer"))
            {
                at += b"trailer".len();
                let mut reader = Reader::new(bytes, at);
                let object = reader.object();
                self.spend(reader.at - at)?;
                if let Some(Object::Dictionary(dictionary)) = object {
                    self.roots.push(dictionary);
                    at = reader.at;
                }
                continue;
            }
            let after = at + b"obj".len();
            let Some(number) = number_before(bytes, at) else {
                at = after;
                continue;
            };
            if self.places.len() >= MAX_OBJECTS {
                return Err(ReadError::Large("objetos"));
            }
            self.places.insert(number, Place::File(after));
            let mut reader = Reader::new(bytes, after);
            let object = reader.object();
            self.spend(reader.at - after)?;
            let Some(object) = object else {
                at = after;
                continue;
            };
            at = reader.at;
            let Object::Dictionary(dictionary) = object else {
                continue;
            };
            self.notice(number, &dictionary);
            reader.skip();
            if !reader.rest().starts_with(b"stream") {
                continue;
            }
            let start = stream_start(bytes, reader.at);
            let end = match declared_end(bytes, start, &dictionary) {
                Some(end) => end,
                None if start < without_end => {
                    let rest = bytes.get(start..).unwrap_or(&[]);
                    match find(rest, b"endstream") {
                        Some(size) => start + size,
                        None => {
                            without_end = start;
                            bytes.len()
                        }
                    }
                }
                // Cut off, or without the word: objects may still follow.
                None => start,
            };
            let data = bytes.get(start..end).unwrap_or(&[]);
            match dictionary.name(b"Type") {
                Some(b"ObjStm") => self.unpack(&Stream { dictionary, data })?,
                Some(b"XRef") => self.roots.push(dictionary),
                _ => {}
            }
            if without_end == usize::MAX {
                at = end;
            }
        }
        Ok(())
    }

    fn notice(&mut self, number: u32, dictionary: &Dictionary) {
        match dictionary.name(b"Type") {
            Some(b"Catalog") => self.catalogue = Some(number),
            Some(b"Page") => self.loose_pages.push(number),
            _ => {}
        }
    }

    /// Objects inside a stream (§7.5.7).
    fn unpack(&mut self, stream: &Stream<'_>) -> Result<(), ReadError> {
        let Some(open) = self.content(stream)? else {
            return Ok(());
        };
        let open = Rc::new(open);
        let number = |name: &[u8]| stream.dictionary.number(name).map(|n| n.max(0.0) as usize);
        let (Some(count), Some(first)) = (number(b"N"), number(b"First")) else {
            return Ok(());
        };
        let mut reader = Reader::new(&open, 0);
        for _ in 0..count {
            let (Some(Object::Number(id)), Some(Object::Number(deviation))) =
                (number_reader(&mut reader), number_reader(&mut reader))
            else {
                break;
            };
            if self.places.len() >= MAX_OBJECTS {
                return Err(ReadError::Large("objetos"));
            }
            let (id, at) = (
                id.max(0.0) as u32,
                first.saturating_add(deviation.max(0.0) as usize),
            );
            self.places.insert(id, Place::Package(Rc::clone(&open), at));
            let mut within = Reader::new(&open, at);
            let object = within.object();
            self.spend(within.at.saturating_sub(at))?;
            if let Some(Object::Dictionary(dictionary)) = object {
                self.notice(id, &dictionary);
            }
        }
        Ok(())
    }

    /// The root of the document, as the last trailer that names one says.
    pub fn root(&self) -> Result<Option<Dictionary>, ReadError> {
        let mut candidates: Vec<Object> = self
            .roots
            .iter()
            .rev()
            .filter_map(|root| root.get(b"Root").cloned())
            .collect();
        candidates.extend(self.catalogue.map(Object::Reference));
        // A file has a handful of trailers; a hostile one many.
        for candidate in candidates.iter().take(16) {
            if let Some(Object::Dictionary(root)) = self.follow(candidate)?
                && root.get(b"Pages").is_some()
            {
                return Ok(Some(root));
            }
        }
        Ok(None)
    }

    /// What a reference stands for; anything else is itself.
    pub fn follow(&self, object: &Object) -> Result<Option<Object>, ReadError> {
        let mut current = object.clone();
        for _ in 0..MAX_JUMPS {
            let Object::Reference(number) = current else {
                return Ok(Some(current));
            };
            match self.read(number)? {
                Some(object) => current = object,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn read(&self, number: u32) -> Result<Option<Object>, ReadError> {
        let Some(place) = self.places.get(&number) else {
            return Ok(None);
        };
        let (bytes, at): (&[u8], usize) = match place {
            Place::File(at) => (self.bytes, *at),
            Place::Package(bytes, at) => (bytes, *at),
        };
        let mut reader = Reader::new(bytes, at);
        let object = reader.object();
        self.spend(reader.at.saturating_sub(at) + 16)?;
        Ok(object)
    }

    /// A value of a dictionary, references followed.
    pub fn value(&self, dictionary: &Dictionary, name: &[u8]) -> Result<Option<Object>, ReadError> {
        match dictionary.get(name) {
            Some(object) => self.follow(object),
            None => Ok(None),
        }
    }

    /// A dictionary in a dictionary, references followed.
    pub fn dictionary(
        &self,
        dictionary: &Dictionary,
        name: &[u8],
    ) -> Result<Option<Dictionary>, ReadError> {
        Ok(match self.value(dictionary, name)? {
            Some(Object::Dictionary(dictionary)) => Some(dictionary),
            _ => None,
        })
    }

    /// A stream by reference: streams are never anything else.
    pub fn stream(&self, object: &Object) -> Result<Option<Stream<'p>>, ReadError> {
        let Object::Reference(number) = object else {
            return Ok(None);
        };
        let Some(Place::File(at)) = self.places.get(number) else {
            return Ok(None);
        };
        let mut reader = Reader::new(self.bytes, *at);
        let object = reader.object();
        self.spend(reader.at - *at + 16)?;
        let Some(Object::Dictionary(dictionary)) = object else {
            return Ok(None);
        };
        reader.skip();
        if !reader.rest().starts_with(b"stream") {
            return Ok(None);
        }
        let start = stream_start(self.bytes, reader.at);
        let declared = match self.value(&dictionary, b"Length")? {
            Some(Object::Number(size)) => end_at(self.bytes, start, size),
            _ => None,
        };
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let end = match declared {
            Some(end) => end,
            None => {
                let size = find(rest, b"endstream").unwrap_or(rest.len());
                self.spend(size)?;
                start + size
            }
        };
        Ok(Some(Stream {
            dictionary,
            data: self.bytes.get(start..end).unwrap_or(&[]),
        }))
    }

    /// The stream unpacked; none if it is not packed in a way that is read.
    pub fn content(&self, stream: &Stream<'_>) -> Result<Option<Vec<u8>>, ReadError> {
        let list = |names: [&[u8]; 2]| -> Result<Vec<Object>, ReadError> {
            let mut found = self.value(&stream.dictionary, names[0])?;
            if found.is_none() {
                found = self.value(&stream.dictionary, names[1])?;
            }
            Ok(match found {
                None | Some(Object::Null) => Vec::new(),
                Some(Object::List(list)) => list,
                Some(one) => vec![one],
            })
        };
        let parameters = list([b"DecodeParms", b"DP"])?;
        let mut filters = Vec::new();
        for (at, filter) in list([b"Filter", b"F"])?.iter().enumerate() {
            let Some(Object::Name(name)) = self.follow(filter)? else {
                return Ok(None);
            };
            let parameter = match parameters.get(at) {
                Some(parameter) => self.follow(parameter)?,
                None => None,
            };
            let parameter = parameter.as_ref().and_then(Object::dictionary).cloned();
            filters.push((name, parameter));
        }
        let left_over = MAX_OPEN.saturating_sub(self.open.get());
        let mut spent = 0;
        let made = filter::open(stream.data, &filters, left_over, &mut spent);
        self.open.set(self.open.get() + spent);
        match made {
            Open::Bytes(bytes) => Ok(Some(bytes)),
            Open::Rest => Err(ReadError::Large("conteúdo expandido")),
            Open::Illegible => {
                self.spend(stream.data.len())?;
                Ok(None)
            }
        }
    }
}

fn number_reader(reader: &mut Reader<'_>) -> Option<Object> {
    match reader.symbol()? {
        crate::danfe::read::object::Symbol::Object(object) => Some(object),
        crate::danfe::read::object::Symbol::Word(_) => None,
    }
}

/// Distance to the next `obj` or `trailer`.
fn next(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        at += rest.iter().position(|b| matches!(b, b'o' | b't'))?;
        let here = bytes.get(at..)?;
        if here.starts_with(b"obj") || here.starts_with(b"trailer") {
            return Some(at);
        }
        at += 1;
    }
}

/// The 12 of `12 0 obj`, if that is what stands before `obj`.
fn number_before(bytes: &[u8], obj: usize) -> Option<u32> {
    let mut at = obj;
    let mut go_back = |serve: fn(&u8) -> bool, max: usize| -> Option<(usize, usize)> {
        let end = at;
        while at > 0 && end - at < max && bytes.get(at - 1).is_some_and(serve) {
            at -= 1;
        }
        (at < end).then_some((at, end))
    };
    go_back(|b| blank(*b), 8)?;
    go_back(u8::is_ascii_digit, 5)?;
    go_back(|b| blank(*b), 8)?;
    let (from, to) = go_back(u8::is_ascii_digit, 10)?;
    std::str::from_utf8(bytes.get(from..to)?).ok()?.parse().ok()
}

/// After `stream` and its line end.
fn stream_start(bytes: &[u8], word: usize) -> usize {
    let at = word + b"stream".len();
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => at + 2,
        (Some(b'\r' | b'\n'), _) => at + 1,
        _ => at,
    }
}

fn declared_end(bytes: &[u8], start: usize, dictionary: &Dictionary) -> Option<usize> {
    end_at(bytes, start, dictionary.number(b"Length")?)
}

/// The declared end, if `endstream` follows there.
fn end_at(bytes: &[u8], start: usize, size: f32) -> Option<usize> {
    // A number above 16 million loses digits: the word is looked for then.
    if !(0.0..16_000_000.0).contains(&size) {
        return None;
    }
    let end = start.checked_add(size as usize)?;
    let after = bytes.get(end..bytes.len().min(end.checked_add(24)?))?;
    find(after, b"endstream").map(|_| end)
}

pub(super) fn find(place: &[u8], word: &[u8]) -> Option<usize> {
    let (first, _) = word.split_first()?;
    let mut at = 0;
    loop {
        let rest = place.get(at..)?;
        at += rest.iter().position(|b| b == first)?;
        if place.get(at..)?.starts_with(word) {
            return Some(at);
        }
        at += 1;
    }
}
