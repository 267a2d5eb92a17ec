//! How the embedded tables are kept: lines of tab-separated columns, sorted by
//! key, behind comment lines (`#`) with source and date and one line of names.
//!
//! Nothing is read before somebody asks; then a table is split once and its
//! rows borrow from the program's own text.

use std::cmp::Ordering;
use std::sync::OnceLock;

use rust_decimal::Decimal;
use time::{Date, Month};

/// A table and how one of its lines becomes a row.
pub(crate) struct Table<T: 'static> {
    text: &'static str,
    le: fn(&mut Columns) -> Option<T>,
    lines: OnceLock<Vec<T>>,
}

impl<T> Table<T> {
    pub(crate) const fn new(text: &'static str, le: fn(&mut Columns) -> Option<T>) -> Table<T> {
        Table {
            text,
            le,
            lines: OnceLock::new(),
        }
    }

    pub(crate) fn text(&self) -> &'static str {
        self.text
    }

    /// All rows, in the order of the file.
    pub(crate) fn lines(&self) -> &[T] {
        self.lines.get_or_init(|| {
            data(self.text)
                .filter_map(|line| (self.le)(&mut Columns(line.split('\t'))))
                .collect()
        })
    }

    /// The row whose key compares equal; the file is sorted by it.
    pub(crate) fn find(&self, chave: impl Fn(&T) -> Ordering) -> Option<&T> {
        let lines = self.lines();
        let place = lines.binary_search_by(chave).ok()?;
        lines.get(place)
    }

    /// The run of rows whose key compares equal.
    pub(crate) fn range(&self, chave: impl Fn(&T) -> Ordering) -> &[T] {
        let lines = self.lines();
        let of = lines.partition_point(|line| chave(line) == Ordering::Less);
        let until = lines.partition_point(|line| chave(line) != Ordering::Greater);
        lines.get(of..until).unwrap_or_default()
    }
}

/// What a comment line says: `# data: 2026-08-13`.
pub(crate) fn comment(text: &'static str, name: &str) -> Option<&'static str> {
    let mut comments = text.lines().take_while(|line| line.starts_with('#'));
    comments.find_map(|line| {
        let line = line.strip_prefix("# ")?.strip_prefix(name)?;
        line.strip_prefix(": ")
    })
}

/// Lines with data: no comments, no names of columns.
pub(crate) fn data(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1)
}

/// The columns of a line, taken from left to right. A column that cannot be
/// read makes the row go away; a test counts the rows of every table.
pub(crate) struct Columns(std::str::Split<'static, char>);

impl Columns {
    pub(crate) fn text(&mut self) -> Option<&'static str> {
        self.0.next()
    }

    /// An empty column is none.
    pub(crate) fn optional(&mut self) -> Option<Option<&'static str>> {
        Some(self.text()?).map(|text| (!text.is_empty()).then_some(text))
    }

    pub(crate) fn number<N: std::str::FromStr>(&mut self) -> Option<N> {
        self.text()?.parse().ok()
    }

    /// `1` or `0`.
    pub(crate) fn mark(&mut self) -> Option<bool> {
        match self.text()? {
            "1" => Some(true),
            "0" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn decimal(&mut self) -> Option<Decimal> {
        self.number()
    }

    pub(crate) fn optional_decimal(&mut self) -> Option<Option<Decimal>> {
        match self.optional()? {
            None => Some(None),
            Some(text) => Some(Some(text.parse().ok()?)),
        }
    }

    /// Two columns: first and last day in force, either may be open.
    pub(crate) fn validity(&mut self) -> Option<Validity> {
        Some(Validity {
            start: self.data()?,
            end: self.data()?,
        })
    }

    /// Words of a column, separated by blanks.
    pub(crate) fn words(&mut self) -> Option<Vec<&'static str>> {
        Some(self.text()?.split(' ').filter(|p| !p.is_empty()).collect())
    }

    /// `AAAA-MM-DD` or nothing.
    pub(crate) fn data(&mut self) -> Option<Option<Date>> {
        let Some(text) = self.optional()? else {
            return Some(None);
        };
        let year = text.get(..4)?.parse().ok()?;
        let month: u8 = text.get(5..7)?.parse().ok()?;
        let day = text.get(8..10)?.parse().ok()?;
        Date::from_calendar_date(year, Month::try_from(month).ok()?, day)
            .ok()
            .map(Some)
    }
}

/// Days in force, both ends included; an open end has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    pub start: Option<Date>,
    pub end: Option<Date>,
}

impl Validity {
    pub fn contains(&self, data: Date) -> bool {
        self.start.is_none_or(|start| start <= data) && self.end.is_none_or(|end| data <= end)
    }
}

/// For the tests of each table: every line became a row, sorted, no key twice.
#[cfg(test)]
pub(crate) fn check<T, K: Ord + std::fmt::Debug>(
    table: &Table<T>,
    chave: impl Fn(&T) -> K,
) -> usize {
    let lines = table.lines();
    assert!(table.text.starts_with("# "), "source and date come first");
    assert_eq!(lines.len(), data(table.text).count(), "a line was not read");
    for pair in lines.windows(2) {
        if let [before, after] = pair {
            assert!(
                chave(before) < chave(after),
                "{:?} {:?}",
                chave(before),
                chave(after)
            );
        }
    }
    lines.len()
}
