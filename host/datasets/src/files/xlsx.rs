//! Reads the cells of a workbook (ECMA-376, SpreadsheetML): texts and numbers, as
//! they are stored. Formulas are not worked out; their last value counts.

use super::zip::{self, Entry};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::io::{Cursor, Read as _};

/// Bytes of a workbook; the TIPI has some 700 KiB.
pub const MOST_BYTES: u64 = 32 << 20;
/// Bytes of one of its parts, unpacked: more is not unpacked.
const MOST_PART: u64 = 64 << 20;
const MOST_SHEETS: usize = 100;
const MOST_ROWS: usize = 200_000;
const MOST_COLUMNS: usize = 500;
const MOST_CELLS: usize = 4_000_000;
/// Bytes of the texts of all cells of a sheet.
const MOST_TEXT: usize = 64 << 20;
/// Characters of a cell, as the programs that write workbooks have it.
const MOST_CHARS: usize = 32_767;

/// A workbook.
#[derive(Debug)]
pub struct Workbook {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Texts that cells name by their place.
    shared: Vec<String>,
    /// Name and part of each sheet, in order.
    sheets: Vec<(String, String)>,
}

/// A row with something in it: its number and its cells from the first column on.
pub type SheetRow = (u64, Vec<String>);

/// Is an archive a workbook?
pub(super) fn is_workbook(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.name == "xl/workbook.xml")
}

impl Workbook {
    /// Reads what is in a workbook, not yet its sheets.
    ///
    /// # Errors
    /// The sentence why it cannot be read.
    pub fn open(bytes: Vec<u8>) -> Result<Workbook, String> {
        let damaged = |error: std::io::Error| format!("not a whole workbook: {error}");
        let entries = zip::directory(&mut Cursor::new(&bytes)).map_err(damaged)?;
        let mut book = Workbook {
            bytes,
            entries,
            shared: Vec::new(),
            sheets: Vec::new(),
        };
        book.sheets = book.named_sheets()?;
        if book.has("xl/sharedStrings.xml") {
            book.shared = texts(&book.part("xl/sharedStrings.xml")?)?;
        }
        Ok(book)
    }

    /// Names of the sheets, in order.
    pub fn names(&self) -> Vec<&str> {
        self.sheets.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Rows of a sheet that have something in them.
    ///
    /// # Errors
    /// The sentence why it cannot be read: it is damaged, or larger than any official
    /// table.
    pub fn rows(&self, sheet: usize) -> Result<Vec<SheetRow>, String> {
        let (name, part) = self.sheets.get(sheet).ok_or("no such sheet")?;
        let rows = Sheet::new(&self.shared).read(&self.part(part)?);
        rows.map_err(|why| format!("sheet {name}: {why}"))
    }

    fn has(&self, part: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == part)
    }

    fn part(&self, name: &str) -> Result<String, String> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| format!("not a whole workbook: {name} is missing"))?;
        let damaged = |error: std::io::Error| format!("not a whole workbook: {name}: {error}");
        if entry.size() > MOST_PART {
            return Err(format!("{name} unpacks to more than {MOST_PART} bytes"));
        }
        let mut from = Cursor::new(&self.bytes);
        let bytes = zip::open(&mut from, entry).map_err(damaged)?;
        // One byte more than the directory says is a part that lies about its size;
        // reading up to the end looks at its sum.
        let mut text = Vec::new();
        let mut bytes = bytes.take(entry.size() + 1);
        let read = bytes.read_to_end(&mut text).map_err(damaged)?;
        if read as u64 != entry.size() {
            return Err(format!("not a whole workbook: {name} has another size"));
        }
        String::from_utf8(text).map_err(|_| format!("{name} is no UTF-8"))
    }

    fn named_sheets(&self) -> Result<Vec<(String, String)>, String> {
        let relations = self.part("xl/_rels/workbook.xml.rels")?;
        let mut parts = Vec::new();
        each_element(&relations, |element| {
            if local(element.name().into_inner()) == "Relationship" {
                let target = attribute(element, "Target")?;
                let part = match target.strip_prefix('/') {
                    Some(whole) => whole.to_owned(),
                    None => format!("xl/{target}"),
                };
                parts.push((attribute(element, "Id")?, part));
            }
            Ok(())
        })?;
        let mut sheets = Vec::new();
        each_element(&self.part("xl/workbook.xml")?, |element| {
            if local(element.name().into_inner()) != "sheet" {
                return Ok(());
            }
            if sheets.len() == MOST_SHEETS {
                return Err(format!("more than {MOST_SHEETS} sheets"));
            }
            let id = attribute(element, "id")?;
            // Charts and dialogs have no part of rows.
            if let Some((_, part)) = parts.iter().find(|(known, _)| *known == id) {
                sheets.push((attribute(element, "name")?, part.clone()));
            }
            Ok(())
        })?;
        Ok(sheets)
    }
}

/// The shared texts; each may be in pieces, with pronunciations that do not count.
fn texts(xml: &str) -> Result<Vec<String>, String> {
    let mut reader = Reader::from_str(xml);
    let (mut all, mut text) = (Vec::new(), String::new());
    let (mut inside, mut phonetic) = (false, false);
    loop {
        match reader.read_event().map_err(malformed)? {
            Event::Start(element) => match local(element.name().into_inner()) {
                "t" => inside = !phonetic,
                "rPh" => phonetic = true,
                _ => {}
            },
            Event::End(element) => match local(element.name().into_inner()) {
                "t" => inside = false,
                "rPh" => phonetic = false,
                "si" => all.push(std::mem::take(&mut text)),
                _ => {}
            },
            Event::Empty(element) if local(element.name().into_inner()) == "si" => {
                all.push(String::new());
            }
            Event::Eof => return Ok(all),
            other if inside => add(&other, &mut text)?,
            _ => {}
        }
    }
}

/// Adds the text of an event.
fn add(event: &Event<'_>, text: &mut String) -> Result<(), String> {
    match event {
        Event::Text(piece) => text.push_str(&piece.xml10_content()),
        Event::CData(piece) => text.push_str(&piece.xml10_content()),
        Event::GeneralRef(reference) => {
            let named = |name: &str| {
                Some(match name {
                    "amp" => '&',
                    "lt" => '<',
                    "gt" => '>',
                    "apos" => '\'',
                    "quot" => '"',
                    _ => return None,
                })
            };
            let resolved = reference.resolve_char_ref().map_err(malformed)?;
            let resolved = resolved.or_else(|| named(reference));
            text.push(resolved.ok_or("it has entities of its own")?);
        }
        _ => {}
    }
    // Characters are counted only where there are bytes enough for too many.
    if text.len() > MOST_CHARS && text.chars().nth(MOST_CHARS).is_some() {
        return Err(format!("a cell has more than {MOST_CHARS} characters"));
    }
    Ok(())
}

/// How a cell says what is in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The place of a shared text.
    Shared,
    /// As it stands: a number, a text of its own, the text of a formula.
    Plain,
}

/// A sheet that is being read.
struct Sheet<'b> {
    shared: &'b [String],
    rows: Vec<SheetRow>,
    cells: usize,
    bytes: usize,
    row: SheetRow,
    /// The column of the cell that is being read, from 0.
    column: usize,
    kind: Kind,
    text: String,
}

impl<'b> Sheet<'b> {
    fn new(shared: &'b [String]) -> Sheet<'b> {
        Sheet {
            shared,
            rows: Vec::new(),
            cells: 0,
            bytes: 0,
            row: (0, Vec::new()),
            column: 0,
            kind: Kind::Plain,
            text: String::new(),
        }
    }

    fn read(mut self, xml: &str) -> Result<Vec<SheetRow>, String> {
        let mut reader = Reader::from_str(xml);
        let mut inside = false;
        loop {
            match reader.read_event().map_err(malformed)? {
                Event::Start(element) => match local(element.name().into_inner()) {
                    "row" => self.row(&element)?,
                    "c" => self.cell(&element)?,
                    "v" | "t" => inside = true,
                    _ => {}
                },
                Event::Empty(element) => match local(element.name().into_inner()) {
                    "row" => self.row(&element)?,
                    "c" => self.cell(&element)?,
                    _ => {}
                },
                Event::End(element) => match local(element.name().into_inner()) {
                    "v" | "t" => inside = false,
                    "c" => self.put()?,
                    "row" => self.end(),
                    _ => {}
                },
                Event::Eof => {
                    // A part that was cut short is found by its sum, not here.
                    return Ok(self.rows);
                }
                other if inside => add(&other, &mut self.text)?,
                _ => {}
            }
        }
    }

    fn row(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        if self.rows.len() == MOST_ROWS {
            return Err(format!("more than {MOST_ROWS} rows"));
        }
        let number = optional(element, "r")?.and_then(|number| number.parse().ok());
        self.row = (number.unwrap_or(self.row.0.saturating_add(1)), Vec::new());
        self.column = 0;
        Ok(())
    }

    fn cell(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        self.text.clear();
        self.column = match optional(element, "r")? {
            Some(place) => column(&place).ok_or("a cell has no column")?,
            None => self.row.1.len(),
        };
        if self.column >= MOST_COLUMNS {
            return Err(format!("more than {MOST_COLUMNS} columns"));
        }
        self.kind = match optional(element, "t")?.as_deref() {
            Some("s") => Kind::Shared,
            _ => Kind::Plain,
        };
        Ok(())
    }

    fn put(&mut self) -> Result<(), String> {
        let text = std::mem::take(&mut self.text);
        let text = match self.kind {
            Kind::Plain => text,
            Kind::Shared => {
                let place: Option<usize> = text.trim().parse().ok();
                let shared = place.and_then(|place| self.shared.get(place));
                shared.ok_or("a cell names no text")?.clone()
            }
        };
        if text.trim().is_empty() {
            return Ok(());
        }
        // A shared text may be named by many cells.
        self.bytes += text.len();
        if self.bytes > MOST_TEXT {
            return Err(format!("more than {MOST_TEXT} bytes of text"));
        }
        let cells = &mut self.row.1;
        if cells.len() > self.column {
            return Err("two cells stand in one place".to_owned());
        }
        self.cells += self.column + 1 - cells.len();
        if self.cells > MOST_CELLS {
            return Err(format!("more than {MOST_CELLS} cells"));
        }
        cells.resize(self.column, String::new());
        cells.push(text);
        Ok(())
    }

    fn end(&mut self) {
        let cells = std::mem::take(&mut self.row.1);
        if !cells.is_empty() {
            self.rows.push((self.row.0, cells));
        }
    }
}

/// The column of a place like `AB12`, from 0.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase);
    let number = letters.take(4).fold(0_usize, |number, letter| {
        number * 26 + usize::from(letter - b'A') + 1
    });
    number.checked_sub(1)
}

fn each_element(
    xml: &str,
    mut each: impl FnMut(&BytesStart<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().map_err(malformed)? {
            Event::Start(element) | Event::Empty(element) => each(&element)?,
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<String, String> {
    optional(element, name)?.ok_or_else(|| format!("not a whole workbook: no {name}"))
}

fn optional(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(malformed)?;
        if local(attribute.key.into_inner()) == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            return Ok(Some(value.map_err(malformed)?.into_owned()));
        }
    }
    Ok(None)
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn malformed(error: impl std::fmt::Display) -> String {
    format!("its XML is broken: {error}")
}
