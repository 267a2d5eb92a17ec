//! How the tables are kept: lines of tab-separated columns, sorted by key, behind
//! comment lines (`#`) with source and date and one line of names.
//!
//! Nothing is read before somebody asks; then a table is split once and its
//! rows borrow from the program's own text, or from a text that was installed in
//! its place ([`Table::install`]).

use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicBool};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use rust_decimal::Decimal;
use time::{Date, Month};

/// Bytes of all texts that may be installed for a table while the process lives.
/// They are kept for good, and rows and index take about as much again: 64 MiB are
/// some 60 editions of the NCM, the largest table.
const KEPT_BYTES: usize = 64 << 20;

/// A table and how one of its lines becomes a row.
pub(crate) struct Table<T: 'static> {
    text: &'static str,
    le: fn(&mut Columns) -> Option<T>,
    /// How many of the first columns are the key.
    key: usize,
    lines: OnceLock<Vec<T>>,
    installed: RwLock<Option<&'static Installed<T>>>,
    /// Is one installed? Mostly not, and then a look-up takes no lock.
    replaced: AtomicBool,
    /// All texts that were ever installed.
    kept: Mutex<Vec<&'static Installed<T>>>,
}

/// A text that answers in the place of the embedded one.
struct Installed<T> {
    text: &'static str,
    lines: Vec<T>,
    /// The first row that cannot be read, from 1: the text is never served.
    unread: Option<usize>,
}

/// Why a text is not installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// No table of this name can be replaced.
    Unknown,
    /// Title, date or source is missing.
    Unnamed,
    /// There is no row.
    Empty,
    /// A line cannot be read; its number among the rows, from 1.
    Line(usize),
    /// A key does not come after the one before it.
    Order(usize),
    /// Too much was installed since the process began.
    Full,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Unknown => write!(f, "no table of this name can be replaced"),
            Broken::Unnamed => write!(f, "title, date or source is missing"),
            Broken::Empty => write!(f, "there is no row"),
            Broken::Line(row) => write!(f, "row {row} cannot be read"),
            Broken::Order(row) => write!(f, "row {row} is out of order, or its key is there twice"),
            Broken::Full => write!(
                f,
                "more than {KEPT_BYTES} bytes were installed since the process began: restart it"
            ),
        }
    }
}

impl<T> Table<T> {
    pub(crate) const fn new(text: &'static str, le: fn(&mut Columns) -> Option<T>) -> Table<T> {
        Table::keyed(text, le, 1)
    }

    /// A table whose key is in several columns.
    pub(crate) const fn keyed(
        text: &'static str,
        le: fn(&mut Columns) -> Option<T>,
        key: usize,
    ) -> Table<T> {
        Table {
            text,
            le,
            key,
            lines: OnceLock::new(),
            installed: RwLock::new(None),
            replaced: AtomicBool::new(false),
            kept: Mutex::new(Vec::new()),
        }
    }

    fn current(&self) -> Option<&'static Installed<T>> {
        if !self.replaced.load(atomic::Ordering::Acquire) {
            return None;
        }
        *self
            .installed
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, installed: Option<&'static Installed<T>>) {
        let mut current = self
            .installed
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *current = installed;
        self.replaced
            .store(installed.is_some(), atomic::Ordering::Release);
    }

    /// The text that answers now.
    pub(crate) fn text(&self) -> &'static str {
        self.current().map_or(self.text, |installed| installed.text)
    }

    /// All rows, in the order of the text.
    pub(crate) fn lines(&self) -> &[T] {
        match self.current() {
            Some(installed) => &installed.lines,
            None => self.lines.get_or_init(|| {
                data(self.text)
                    .filter_map(|line| (self.le)(&mut Columns(line.split('\t'))))
                    .collect()
            }),
        }
    }

    /// Lets a text answer from now on. Rows of the table are borrowed for as long as
    /// the process lives, by whoever looked one up, so a text is kept for good: the
    /// memory is given away on purpose, up to [`KEPT_BYTES`]. The same text is kept
    /// once, however often it is installed.
    ///
    /// # Errors
    /// The text is no whole table; what answered before goes on.
    pub(crate) fn install(&self, text: &str) -> Result<(), Broken> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let installed = match kept.iter().find(|known| known.text == text) {
            Some(known) => *known,
            None => {
                let bytes: usize = kept.iter().map(|known| known.text.len()).sum();
                if bytes + text.len() > KEPT_BYTES {
                    return Err(Broken::Full);
                }
                self.judge(text)?;
                let installed = self.keep(text);
                kept.push(installed);
                installed
            }
        };
        if let Some(row) = installed.unread {
            return Err(Broken::Line(row));
        }
        self.serve(Some(installed));
        Ok(())
    }

    /// Has a text a title, a date, a source, and keys in order?
    fn judge(&self, text: &str) -> Result<(), Broken> {
        let named = |name| comment(text, name).is_some_and(|said| !said.is_empty());
        if !["titulo", "data", "fonte"].into_iter().all(named) {
            return Err(Broken::Unnamed);
        }
        let mut before: Option<&str> = None;
        for (line, row) in data(text).zip(1..) {
            let before = before.replace(line);
            if before.is_some_and(|before| columns(before, self.key).ge(columns(line, self.key))) {
                return Err(Broken::Order(row));
            }
        }
        before.map(drop).ok_or(Broken::Empty)
    }

    /// Splits a text, which is kept for good; also one with a row that cannot be
    /// read, which then is not looked at again.
    fn keep(&self, text: &str) -> &'static Installed<T> {
        let text: &'static str = String::leak(text.to_owned());
        let (mut lines, mut unread) = (Vec::new(), None);
        for (line, row) in data(text).zip(1..) {
            match (self.le)(&mut Columns(line.split('\t'))) {
                Some(line) => lines.push(line),
                None => {
                    unread = Some(row);
                    break;
                }
            }
        }
        Box::leak(Box::new(Installed {
            text,
            lines,
            unread,
        }))
    }

    /// The row whose key compares equal; the text is sorted by it.
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

/// A table of any rows.
pub(crate) trait AnyTable: Sync {
    /// The text that answers now.
    fn text(&self) -> &'static str;
    /// How many rows it has.
    fn rows(&self) -> usize;
    /// The text of the program; empty: none is built in.
    fn embedded(&self) -> &'static str;
    /// # Errors
    /// The text is no whole table of this kind.
    fn install(&self, text: &str) -> Result<(), Broken>;
    /// Lets the embedded text answer again.
    fn withdraw(&self);
}

impl<T: Send + Sync> AnyTable for Table<T> {
    fn text(&self) -> &'static str {
        Table::text(self)
    }

    fn rows(&self) -> usize {
        self.lines().len()
    }

    fn embedded(&self) -> &'static str {
        self.text
    }

    fn install(&self, text: &str) -> Result<(), Broken> {
        Table::install(self, text)
    }

    fn withdraw(&self) {
        self.serve(None);
    }
}

/// A text that is read in another way, and that nothing takes the place of.
impl AnyTable for &'static str {
    fn text(&self) -> &'static str {
        self
    }

    fn rows(&self) -> usize {
        data(self).count()
    }

    fn embedded(&self) -> &'static str {
        self
    }

    fn install(&self, _: &str) -> Result<(), Broken> {
        Err(Broken::Unknown)
    }

    fn withdraw(&self) {}
}

/// A table as it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Of its file, without the ending.
    pub name: &'static str,
    /// For customers, in Portuguese.
    pub title: &'static str,
    /// The state it shows: `AAAA-MM-DD`, `AAAA-MM` or `AAAA`, as exactly as is
    /// known.
    pub date: &'static str,
    /// Who published it, in Portuguese; "segunda mão" where the publication
    /// itself was not read.
    pub source: &'static str,
    pub rows: usize,
}

impl Version {
    pub(crate) fn of(name: &'static str, text: &'static str, rows: usize) -> Version {
        let said = |name| comment(text, name).unwrap_or_default();
        Version {
            name,
            title: said("titulo"),
            date: said("data"),
            source: said("fonte"),
            rows,
        }
    }
}

/// What a comment line says: `# data: 2026-08-13`.
pub(crate) fn comment<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut comments = text.lines().take_while(|line| line.starts_with('#'));
    comments.find_map(|line| {
        let line = line.strip_prefix("# ")?.strip_prefix(name)?;
        line.strip_prefix(": ")
    })
}

/// Lines with data: no comments, no names of columns.
pub(crate) fn data(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1)
}

/// The first columns of a line.
fn columns(line: &str, count: usize) -> impl Iterator<Item = &str> {
    line.split('\t').take(count)
}

/// The first eight bytes of a code as a number that sorts as the code does; codes of the same
/// number may differ behind them. Rows of tables that a note is looked up in for each item keep
/// theirs: to compare two texts is a call.
pub(crate) fn head(codigo: &str) -> u64 {
    let mut head = [0; 8];
    for (place, byte) in head.iter_mut().zip(codigo.bytes()) {
        *place = byte;
    }
    u64::from_be_bytes(head)
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# titulo: Códigos\n# data: 2026\n# fonte: Ninguém\ncodigo\tnumero\n";

    fn row(columns: &mut Columns) -> Option<(&'static str, u8)> {
        Some((columns.text()?, columns.number()?))
    }

    #[test]
    fn heads_sort_as_codes_do() {
        let mut codes = vec![
            "",
            "\0",
            "0",
            "0\0",
            "00",
            "1",
            "é",
            "12345678",
            "123456789",
        ];
        codes.extend(crate::class_trib::all().iter().map(|row| row.codigo));
        codes.extend(crate::ncm::all().iter().step_by(97).map(|row| row.codigo));
        for one in &codes {
            for other in &codes {
                let heads = head(one).cmp(&head(other));
                assert_eq!(heads.then_with(|| one.cmp(other)), one.cmp(other));
            }
        }
    }

    static CODES: Table<(&str, u8)> =
        Table::new("# titulo: a\n# data: 1\n# fonte: b\nx\ty\na\t1\n", row);

    #[test]
    fn an_installed_text_answers_until_it_is_withdrawn() {
        let embedded = CODES.lines();
        assert_eq!(embedded, [("a", 1)]);
        CODES
            .install(&format!("{HEAD}a\t2\nb\t3\n"))
            .expect("whole");
        assert_eq!(CODES.find(|row| row.0.cmp("b")), Some(&("b", 3)));
        let first = CODES.lines();
        for (text, why) in [
            (format!("{HEAD}a\t2\nb\tx\n"), Broken::Line(2)),
            (format!("{HEAD}b\t2\na\t3\n"), Broken::Order(2)),
            (format!("{HEAD}a\t2\na\t3\n"), Broken::Order(2)),
            (HEAD.to_owned(), Broken::Empty),
            ("codigo\tnumero\na\t2\n".to_owned(), Broken::Unnamed),
            (format!("{HEAD}{}", "a".repeat(KEPT_BYTES)), Broken::Full),
        ] {
            assert_eq!(CODES.install(&text), Err(why.clone()), "{why}");
            assert_eq!(CODES.lines(), first, "what answered goes on");
        }
        CODES.install(&format!("{HEAD}c\t4\n")).expect("whole");
        assert_eq!(first, [("a", 2), ("b", 3)], "rows that were lent stay");
        let kept = || CODES.kept.lock().expect("kept").len();
        let texts = kept();
        CODES
            .install(&format!("{HEAD}a\t2\nb\t3\n"))
            .expect("whole");
        assert!(std::ptr::eq(CODES.lines(), first), "the same text again");
        CODES
            .install(&format!("{HEAD}a\t2\nb\tx\n"))
            .expect_err("broken");
        assert_eq!(kept(), texts, "no text is kept twice");
        AnyTable::withdraw(&CODES);
        assert!(std::ptr::eq(CODES.lines(), embedded));
    }
}
