//! Rows of a table in one page: the values of a column stand together, and what rows have in
//! common is written once.
//!
//! Most bytes of such rows are ids and digests. They are cut out of the texts and written in
//! binary; one that was written before is named by how many others were used since. What is
//! left of a text, its shape, is written in the same way. Numbers are written as differences.

use crate::bytes::{Input, MAX_RECORD, Unreadable, put};
use crate::frame::{self, PackError};
use crate::token::{self, Token};
use crate::{Dictionaries, Record};

/// Most rows and columns of a page.
const MAX_ROWS: usize = 65_536;
const MAX_COLUMNS: usize = 256;
/// The only text of the record that a page is.
const PART: &str = "rows";
/// Kinds of columns.
const TEXTS: u8 = 0;
const NUMBERS: u8 = 1;

/// The values of a column, one for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    Texts(Vec<String>),
    Numbers(Vec<i64>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Texts(texts) => texts.len(),
            Values::Numbers(numbers) => numbers.len(),
        }
    }
}

/// A column and its name, which is written too: a later version may know more of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub values: Values,
}

/// Rows of a table, by columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    columns: Vec<Column>,
}

impl Page {
    /// Adds a column, which has as many values as the others.
    #[must_use]
    pub fn with(mut self, name: &str, values: Values) -> Page {
        let name = name.to_owned();
        self.columns.push(Column { name, values });
        self
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |first| first.values.len())
    }

    /// The values of a column; None: the page has no such column.
    pub fn column(&self, name: &str) -> Option<&Values> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        Some(&column.values)
    }

    /// The page as it is kept: a record without a dictionary.
    ///
    /// # Errors
    /// It is larger than a record may be, or its columns are not of one length.
    pub fn pack(&self) -> Result<Vec<u8>, PackError> {
        let rows = self.rows();
        let uneven = |column: &&Column| column.values.len() != rows;
        if let Some(column) = self.columns.iter().find(uneven) {
            return Err(PackError::Uneven(column.name.clone()));
        }
        if rows > MAX_ROWS || self.columns.len() > MAX_COLUMNS {
            return Err(PackError::TooMany);
        }
        let mut record = Record::default();
        record.set(PART.to_owned(), self.written());
        Ok(frame::pack(&record, None, |_| false)?.bytes)
    }

    /// The page of what [`Page::pack`] made.
    ///
    /// # Errors
    /// A byte is not what was written: never a part of the rows.
    pub fn unpack(bytes: &[u8]) -> Result<Page, Unreadable> {
        let record = Record::unpack(bytes, &Dictionaries::default(), &[])?;
        read(record.get(PART).ok_or(Unreadable::Shape)?)
    }

    fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.rows() as u64);
        put(&mut out, self.columns.len() as u64);
        for column in &self.columns {
            stream(&mut out, column.name.as_bytes());
            out.push(match column.values {
                Values::Texts(_) => TEXTS,
                Values::Numbers(_) => NUMBERS,
            });
        }
        let texts = self.texts();
        let mut streams = texts.columns.iter();
        for column in &self.columns {
            match &column.values {
                Values::Texts(_) => {
                    for bytes in streams.next().into_iter().flat_map(Streams::all) {
                        stream(&mut out, bytes);
                    }
                }
                Values::Numbers(numbers) => write_numbers(&mut out, numbers, &texts.moments),
            }
        }
        stream(&mut out, &texts.digits);
        out
    }

    fn texts(&self) -> Texts {
        let mut columns: Vec<Writing<'_>> = Vec::new();
        for column in &self.columns {
            if let Values::Texts(texts) = &column.values {
                columns.push(Writing {
                    texts,
                    streams: Streams::default(),
                    known: Recent::default(),
                });
            }
        }
        let mut digits = Vec::new();
        let mut tokens = Recent::default();
        let mut moments = Vec::with_capacity(self.rows());
        let mut clock = Clock::default();
        for row in 0..self.rows() {
            clock.next_row();
            for column in &mut columns {
                let streams = &mut column.streams;
                let (shape, cut) = token::cut(&column.texts[row]);
                let place = column.known.place(&shape);
                put(&mut streams.shapes, place);
                if place == 0 {
                    stream(&mut streams.new, &shape);
                }
                for token in cut {
                    let place = tokens.place(&token);
                    put(&mut streams.tokens, place);
                    if place == 0 {
                        digits.extend_from_slice(&token.digits());
                        if let Some(ms) = token.moment() {
                            put(&mut streams.times, unsigned(ms - clock.now()));
                        }
                    }
                    clock.seen(&token);
                }
            }
            moments.push(clock.now());
        }
        let streams = columns.into_iter().map(|column| column.streams);
        Texts {
            columns: streams.collect(),
            digits,
            moments,
        }
    }
}

/// The columns of texts, as they are written.
struct Texts {
    columns: Vec<Streams>,
    /// Of all new tokens.
    digits: Vec<u8>,
    /// Of each row.
    moments: Vec<i64>,
}

/// A column of texts while it is written.
struct Writing<'a> {
    texts: &'a [String],
    streams: Streams,
    known: Recent<Vec<u8>>,
}

/// What is written of a column of texts.
#[derive(Default)]
struct Streams {
    /// Of each text, the place of its shape among those used last; 0: a new one.
    shapes: Vec<u8>,
    new: Vec<u8>,
    /// Of each token of a text the same.
    tokens: Vec<u8>,
    /// Of each new id, when it was made.
    times: Vec<u8>,
}

impl Streams {
    fn all(&self) -> [&Vec<u8>; 4] {
        [&self.shapes, &self.new, &self.tokens, &self.times]
    }
}

/// The moment of a row: that of the first id in it, or of the row before it.
#[derive(Default)]
struct Clock {
    ms: i64,
    is_set: bool,
}

impl Clock {
    fn next_row(&mut self) {
        self.is_set = false;
    }

    fn now(&self) -> i64 {
        self.ms
    }

    fn seen(&mut self, token: &Token) {
        if let Some(ms) = token.moment().filter(|_| !self.is_set) {
            self.ms = ms;
            self.is_set = true;
        }
    }
}

/// Values in the order in which they were used, the newest behind.
struct Recent<T>(Vec<T>);

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent(Vec::new())
    }
}

impl<T: Clone + PartialEq> Recent<T> {
    /// Where a value stands, counted from the newest and from 1; 0: it is new.
    fn place(&mut self, value: &T) -> u64 {
        match self.0.iter().rposition(|known| known == value) {
            Some(at) => {
                let place = self.0.len() - at;
                let value = self.0.remove(at);
                self.0.push(value);
                place as u64
            }
            None => {
                self.0.push(value.clone());
                0
            }
        }
    }

    /// The value at a place that is not 0.
    fn at(&mut self, place: usize) -> Result<T, Unreadable> {
        let at = self.0.len().checked_sub(place).filter(|_| place > 0);
        let value = self.0.remove(at.ok_or(Unreadable::Shape)?);
        self.0.push(value.clone());
        Ok(value)
    }
}

fn stream(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Numbers near zero, above and below, are small.
fn unsigned(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

/// From what numbers are counted.
#[derive(Clone, Copy)]
enum Base {
    Zero,
    /// The number of the row before.
    Before,
    /// The moment of the row.
    Moment,
}

impl Base {
    const ALL: [Base; 3] = [Base::Zero, Base::Before, Base::Moment];

    fn number(self, before: i64, moment: i64) -> i64 {
        match self {
            Base::Zero => 0,
            Base::Before => before,
            Base::Moment => moment,
        }
    }
}

fn write_numbers(out: &mut Vec<u8>, numbers: &[i64], moments: &[i64]) {
    let written = Base::ALL.map(|from| {
        let mut bytes = Vec::new();
        let mut before = 0;
        for (number, moment) in numbers.iter().zip(moments) {
            let counted = number.wrapping_sub(from.number(before, *moment));
            put(&mut bytes, unsigned(counted));
            before = *number;
        }
        bytes
    });
    let shortest = (0_u8..).zip(&written).min_by_key(|(_, bytes)| bytes.len());
    if let Some((from, bytes)) = shortest {
        out.push(from);
        stream(out, bytes);
    }
}

fn read_numbers(input: &mut Input<'_>, moments: &[i64]) -> Result<Vec<i64>, Unreadable> {
    let from = Base::ALL.get(usize::from(input.byte()?));
    let from = from.ok_or(Unreadable::Shape)?;
    let mut bytes = read_stream(input)?;
    let mut before = 0_i64;
    let numbers = moments.iter().map(|moment| {
        let counted = signed(bytes.number()?);
        before = counted.wrapping_add(from.number(before, *moment));
        Ok(before)
    });
    let numbers = numbers.collect::<Result<Vec<i64>, Unreadable>>()?;
    ended(&bytes)?;
    Ok(numbers)
}

fn read_stream<'a>(input: &mut Input<'a>) -> Result<Input<'a>, Unreadable> {
    let length = input.length()?;
    Ok(Input(input.take(length)?))
}

fn ended(input: &Input<'_>) -> Result<(), Unreadable> {
    if input.0.is_empty() {
        Ok(())
    } else {
        Err(Unreadable::Shape)
    }
}

/// What is read of a column of texts.
struct Reading<'a> {
    shapes: Input<'a>,
    new: Input<'a>,
    tokens: Input<'a>,
    times: Input<'a>,
    known: Recent<&'a [u8]>,
    texts: Vec<String>,
}

/// A column before the texts are put together.
enum Half<'a> {
    Texts(Box<Reading<'a>>),
    /// Its bytes.
    Numbers(Input<'a>),
}

fn read(plain: &[u8]) -> Result<Page, Unreadable> {
    let mut input = Input(plain);
    let (rows, many) = (input.length()?, input.length()?);
    if rows > MAX_ROWS || many > MAX_COLUMNS {
        return Err(Unreadable::Shape);
    }
    let mut kinds = Vec::new();
    for _ in 0..many {
        let name = std::str::from_utf8(read_stream(&mut input)?.0);
        let name = name.map_err(|_| Unreadable::Shape)?;
        kinds.push((name.to_owned(), input.byte()?));
    }
    let mut halves = Vec::new();
    for (_, kind) in &kinds {
        halves.push(match *kind {
            TEXTS => Half::Texts(Box::new(Reading {
                shapes: read_stream(&mut input)?,
                new: read_stream(&mut input)?,
                tokens: read_stream(&mut input)?,
                times: read_stream(&mut input)?,
                known: Recent::default(),
                texts: Vec::new(),
            })),
            NUMBERS => {
                let before = input.0;
                input.byte()?;
                read_stream(&mut input)?;
                let bytes = before.get(..before.len() - input.0.len());
                Half::Numbers(Input(bytes.ok_or(Unreadable::Shape)?))
            }
            _ => return Err(Unreadable::Shape),
        });
    }
    let mut digits = read_stream(&mut input)?;
    ended(&input)?;
    let moments = put_together(&mut halves, rows, &mut digits)?;
    let mut page = Page::default();
    for ((name, _), half) in kinds.into_iter().zip(halves) {
        let values = match half {
            Half::Texts(reading) => {
                for left in [
                    &reading.shapes,
                    &reading.new,
                    &reading.tokens,
                    &reading.times,
                ] {
                    ended(left)?;
                }
                Values::Texts(reading.texts)
            }
            Half::Numbers(mut bytes) => Values::Numbers(read_numbers(&mut bytes, &moments)?),
        };
        page.columns.push(Column { name, values });
    }
    Ok(page)
}

/// Reads the texts, row by row; the moment of each row.
fn put_together(
    halves: &mut [Half<'_>],
    rows: usize,
    digits: &mut Input<'_>,
) -> Result<Vec<i64>, Unreadable> {
    let mut tokens = Recent::default();
    let mut moments = Vec::new();
    let mut clock = Clock::default();
    let mut left = MAX_RECORD;
    for _ in 0..rows {
        clock.next_row();
        for half in &mut *halves {
            let Half::Texts(column) = half else { continue };
            let shape = match column.shapes.length()? {
                0 => {
                    let shape = read_stream(&mut column.new)?.0;
                    column.known.place(&shape);
                    shape
                }
                place => column.known.at(place)?,
            };
            let text = token::joined(shape, |mark| {
                let token = match column.tokens.length()? {
                    0 => {
                        let token = token::read(mark, digits, || {
                            Ok(clock.now().wrapping_add(signed(column.times.number()?)))
                        })?;
                        tokens.place(&token);
                        token
                    }
                    place => tokens.at(place)?,
                };
                clock.seen(&token);
                Ok(token)
            })?;
            left = left
                .checked_sub(text.len())
                .ok_or(Unreadable::TooLarge(MAX_RECORD as u64))?;
            column.texts.push(text);
        }
        moments.push(clock.now());
    }
    ended(digits)?;
    Ok(moments)
}
