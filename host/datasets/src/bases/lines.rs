//! Lines of a text with columns: which are wrong, and whether it is whole.

use super::{At, Reading, Row};
use crate::ImportError;
use crate::files::text;
use crate::files::watched::Watch;
use csv::{ByteRecord, ReaderBuilder};
use std::borrow::Cow;
use std::io::{self, Read};

/// Lines after which a text is refused if none of them is right: something else
/// is told at once, not after gigabytes.
const FIRST: u64 = 100;

/// How the lines of a text are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub delimiter: u8,
    /// Columns may stand in quotes.
    pub quoted: bool,
}

/// What a line becomes.
pub(super) enum Line {
    Row(Row),
    /// As [`Line::Row`]; it counts as a row of the edition.
    Counted(Row),
    /// Kept by the layout until the whole text was read.
    Gathered,
    /// Left out on purpose.
    Skipped,
}

/// A layout of lines.
pub(super) trait Layout {
    /// Judges the first line: how many columns a line has, and whether this one
    /// has their names.
    ///
    /// # Errors
    /// It is a line of another layout.
    fn first(&mut self, fields: &[&str]) -> Result<(usize, bool), String>;

    /// What a line says; the sentence why it is wrong.
    fn row(&mut self, fields: &[&str]) -> Result<Line, String>;
}

/// Reads a text; wrong lines go into the report.
///
/// # Errors
/// It is of another layout or encoding, or is cut short.
pub(super) fn read(
    reading: &mut Reading<'_>,
    file: &str,
    bytes: &mut dyn Read,
    shape: Shape,
    layout: &mut dyn Layout,
) -> Result<(), ImportError> {
    let begin = begin(file, bytes)?;
    let watch = Watch::default();
    let rest = watch.over(bytes, begin.get_ref());
    let mut reader = ReaderBuilder::new()
        .delimiter(shape.delimiter)
        .quoting(shape.quoted)
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(1 << 17)
        .from_reader(begin.chain(rest));
    let place = reading.begin(file);
    let mut record = ByteRecord::new();
    let broken = |error: csv::Error| ImportError::of(file, format!("ends early: {error}"));
    let (mut columns, mut line, mut right, mut cut) = (0, 0, 0_u64, None);
    while reader.read_byte_record(&mut record).map_err(broken)? {
        line += 1;
        cut = None;
        watch.line();
        if line == 1 {
            let (count, names) =
                first(layout, &record).map_err(|why| ImportError::of(file, why))?;
            columns = count;
            if names {
                continue;
            }
        }
        reading.report.lines += 1;
        let judged = if record.len() == columns {
            row(layout, &record)
        } else {
            cut = Some(line);
            Err(format!("{} columns, not {columns}", record.len()))
        };
        let at = At { file: place, line };
        right += u64::from(judged.is_ok());
        match judged {
            Ok(Line::Row(row)) => reading.take.take(at, row)?,
            Ok(Line::Counted(row)) => reading.counted(at, row)?,
            Ok(Line::Gathered) => {}
            Ok(Line::Skipped) => reading.report.skipped += 1,
            Err(why) if line == FIRST && right == 0 => {
                let all = format!("none of the first {FIRST} lines is right: {why}");
                return Err(ImportError::of(file, all));
            }
            Err(why) => reading.report.problem(file, line, why),
        }
    }
    let whole = watch.last() == Some(b'\n');
    match (line, cut) {
        (0, _) => return Err(ImportError::of(file, "is empty")),
        (_, Some(line)) if !whole => {
            let why = format!("ends in the middle of line {line}");
            return Err(ImportError::of(file, why));
        }
        _ if !whole => reading.report.unended(file, line),
        _ => {}
    }
    Ok(())
}

/// The first bytes, without a mark of their order.
fn begin(file: &str, bytes: &mut dyn Read) -> Result<io::Cursor<Vec<u8>>, ImportError> {
    let mut begin = Vec::new();
    let read = bytes.take(3).read_to_end(&mut begin);
    read.map_err(|error| ImportError::of(file, format!("cannot be read: {error}")))?;
    if begin.starts_with(&[0xff, 0xfe]) || begin.starts_with(&[0xfe, 0xff]) {
        let why = "is UTF-16; it is published in Latin-1 or UTF-8";
        return Err(ImportError::of(file, why));
    }
    if begin == [0xef, 0xbb, 0xbf] {
        begin.clear();
    }
    Ok(io::Cursor::new(begin))
}

fn fields(record: &ByteRecord) -> Result<Vec<Cow<'_, str>>, String> {
    record.iter().map(text).collect()
}

fn first(layout: &mut dyn Layout, record: &ByteRecord) -> Result<(usize, bool), String> {
    // Names of columns are ASCII; a first line with data is judged once more.
    let fields: Vec<Cow<'_, str>> = record.iter().map(String::from_utf8_lossy).collect();
    let fields: Vec<&str> = fields.iter().map(|field| field.trim()).collect();
    layout.first(&fields)
}

fn row(layout: &mut dyn Layout, record: &ByteRecord) -> Result<Line, String> {
    let fields = fields(record)?;
    let fields: Vec<&str> = fields.iter().map(|field| field.trim()).collect();
    layout.row(&fields)
}

/// The first line of a layout without names of columns.
///
/// # Errors
/// It has another number of columns.
pub(super) fn expected(fields: &[&str], columns: usize) -> Result<(usize, bool), String> {
    match fields.len() {
        found if found == columns => Ok((columns, false)),
        found => Err(format!("its first line has {found} columns, not {columns}")),
    }
}
