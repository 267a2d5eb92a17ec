//! Reading of files with columns.

use super::{Columns, Item, Options, Sink};
use crate::ImportError;
use crate::files::text;
use crate::files::watched::Watch;
use crate::report::Report;
use csv::{ByteRecord, ReaderBuilder};
use std::borrow::Cow;
use std::io::{self, Read};

/// Bytes of the first line that tell which sign parts the columns.
const PEEKED: usize = 4_096;

/// Lines of titles there may be above the names of columns.
const MOST_TITLES: usize = 30;

/// Reads a file; wrong lines go into the report.
pub(super) fn read(
    file: &str,
    bytes: &mut dyn Read,
    options: &Options,
    format: &mut dyn Columns,
    report: &mut Report,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let (begin, delimiter, late) = peek(file, bytes)?;
    let watch = Watch::default();
    let rest = watch.over(bytes, begin.get_ref());
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(begin.chain(rest));
    let mut record = ByteRecord::new();
    let broken = |error: csv::Error| ImportError::of(file, format!("ends early: {error}"));
    let header = header(file, &mut reader, &watch, format)?;
    let scope = format.header(file, &header, options)?;
    sink.begin(file, &scope)?;
    let (mut cut, mut last) = (None, None);
    while reader.read_byte_record(&mut record).map_err(broken)? {
        let line = record.position().map_or(0, csv::Position::line) + late;
        (cut, last) = (None, Some(line));
        watch.line();
        if is_over(format, &record) {
            last = None;
            break;
        }
        report.lines += 1;
        if record.len() != header.len() {
            cut = Some(line);
            let (has, wanted) = (record.len(), header.len());
            report.problem(file, line, format!("{has} columns, not {wanted}"));
            continue;
        }
        match row(format, &record) {
            Ok(Item::Skipped) => report.skipped += 1,
            Ok(Item::Gathered) => {}
            Ok(item) => {
                if let Err(reason) = sink.item(item) {
                    report.problem(file, line, reason);
                }
            }
            Err(reason) => report.problem(file, line, reason),
        }
    }
    if watch.last() != Some(b'\n') {
        if let Some(line) = cut {
            let why = format!("ends in the middle of line {line}");
            return Err(ImportError::of(file, why));
        }
        last.into_iter().for_each(|line| report.unended(file, line));
    }
    let gathered = format
        .gathered()
        .map_err(|why| ImportError::of(file, why))?;
    for item in gathered {
        sink.item(item).map_err(|why| ImportError::of(file, why))?;
    }
    sink.end(format.label())
}

fn is_over(format: &dyn Columns, record: &ByteRecord) -> bool {
    let fields: Vec<Cow<'_, str>> = record.iter().flat_map(text).collect();
    let fields: Vec<&str> = fields.iter().map(|field| field.trim()).collect();
    format.is_over(&fields)
}

fn row(format: &mut dyn Columns, record: &ByteRecord) -> Result<Item, String> {
    let fields: Vec<Cow<'_, str>> = record.iter().map(text).collect::<Result<_, _>>()?;
    let fields: Vec<&str> = fields.iter().map(|field| field.trim()).collect();
    format.row(&fields)
}

/// The first bytes, the sign that parts the columns (the most frequent one of the
/// first line), and how many lines the reader is late in counting: one where lines
/// end in two bytes, because it takes the second one for the next line's.
fn peek(file: &str, bytes: &mut dyn Read) -> Result<(io::Cursor<Vec<u8>>, u8, u64), ImportError> {
    let mut begin = Vec::new();
    let mut some = bytes.take(PEEKED as u64);
    let read = some.read_to_end(&mut begin);
    read.map_err(|error| ImportError::of(file, format!("cannot be read: {error}")))?;
    if begin.starts_with(&[0xff, 0xfe]) || begin.starts_with(&[0xfe, 0xff]) {
        return Err(ImportError::of(
            file,
            "is UTF-16; save it as UTF-8 or Latin-1",
        ));
    }
    if let Some(rest) = begin.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        begin = rest.to_vec();
    }
    let first = begin
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let count = |sign: &u8| first.iter().filter(|byte| *byte == sign).count();
    let delimiter = [b';', b',', b'\t']
        .into_iter()
        .max_by_key(|sign| (count(sign), *sign == b';'));
    let late = u64::from(first.ends_with(b"\r"));
    Ok((io::Cursor::new(begin), delimiter.unwrap_or(b';'), late))
}

/// Names of the columns, in small letters: of the first line that has them, else of
/// the first line, which the format will refuse.
fn header(
    file: &str,
    reader: &mut csv::Reader<impl Read>,
    watch: &Watch,
    format: &dyn Columns,
) -> Result<Vec<String>, ImportError> {
    let mut first = None;
    let mut record = ByteRecord::new();
    for _ in 0..MOST_TITLES {
        let more = reader.read_byte_record(&mut record);
        if !more.map_err(|error| ImportError::of(file, format!("ends early: {error}")))? {
            break;
        }
        watch.line();
        let names = record
            .iter()
            .map(|name| text(name).map(|name| name.trim().to_lowercase()));
        let names: Result<Vec<String>, String> = names.collect();
        let names = names.map_err(|why| ImportError::of(file, format!("header: {why}")))?;
        if format.is_header(&names) {
            first = Some(names);
            break;
        }
        first.get_or_insert(names);
    }
    let names = first.unwrap_or_default();
    if names.iter().all(String::is_empty) {
        return Err(ImportError::of(file, "is empty"));
    }
    Ok(names)
}
