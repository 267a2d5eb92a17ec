//! What a line of a table says.

/// A member of their body.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Their name, without the groups around it.
    pub theirs: &'static str,
    /// Its place in our body; dots lead into groups. Inside of a list: from its entry.
    /// Empty where we have no member for it.
    pub ours: &'static str,
    pub form: Form,
}

/// A table, in its parts.
pub type Rows = &'static [&'static [Row]];

/// Every line of a table; not those of the tables in it.
pub fn lines(rows: Rows) -> impl Iterator<Item = &'static Row> {
    rows.iter().flat_map(|part| part.iter())
}

/// How a value is passed on.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Text; a number as its digits.
    Text,
    /// Digits of a code. A number lost its leading zeros: it gets them back, up to
    /// so many digits, and so does the text of a code of two or three digits.
    Digits(usize),
    /// An amount, quantity or rate, with the digits it has.
    Number,
    /// A whole number, or its text: a number.
    Integer,
    /// Yes or no, by these two texts, `true` or `false`: a boolean.
    Flag(&'static str, &'static str),
    /// A moment in any of the ways their examples show: RFC 3339.
    Moment,
    /// A day, of which a time may follow: `AAAA-MM-DD`.
    Day,
    /// `AAMM`: `AAAA-MM`.
    YearMonth,
    /// `MM/AAAA`: `AAAA-MM`.
    MonthYear,
    /// A state, by its letters or its IBGE code: its letters.
    State,
    /// A bar code, or that there is none.
    BarCode,
    /// An object, whose members have their places in the same body.
    Group(Rows),
    /// A list of objects, each an entry of our list.
    List(Rows),
    /// A list of which we take one entry: our group.
    First(Rows),
    /// A list of objects that have one of these members: a list of texts.
    Texts(&'static [&'static str]),
    /// Read by code; the line tells where errors belong.
    Apart,
    /// What the hub has of the company itself, by this name of `orders::issuer`.
    /// One that differs is refused (`true`) or told in the answer (`false`).
    Company(&'static str, bool),
    /// A sum of the note: it must be what the items say (`SUMS`).
    Sum,
    /// Only this value is taken, and nothing is written.
    Only(&'static str),
    /// Taken and not passed on: no document has a place for it. The answer says so.
    Told(&'static str),
    /// Known, and refused with this reason.
    Refused(&'static str),
}

const fn row(theirs: &'static str, ours: &'static str, form: Form) -> Row {
    Row { theirs, ours, form }
}

pub(super) const fn text(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Text)
}

/// Digits of a code, of so many digits where they are a number.
pub(super) const fn digits(width: usize, theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Digits(width))
}

/// The official code of an enumeration, which our API takes in the place of its word.
pub(super) const fn code(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Digits(1))
}

pub(super) const fn number(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Number)
}

pub(super) const fn integer(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Integer)
}

pub(super) const fn flag(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Flag("1", "0"))
}

/// A flag by two other texts.
pub(super) const fn flag_of(
    (yes, no): (&'static str, &'static str),
    theirs: &'static str,
    ours: &'static str,
) -> Row {
    row(theirs, ours, Form::Flag(yes, no))
}

pub(super) const fn moment(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Moment)
}

pub(super) const fn day(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Day)
}

pub(super) const fn other(theirs: &'static str, ours: &'static str, form: Form) -> Row {
    row(theirs, ours, form)
}

pub(super) const fn group(theirs: &'static str, ours: &'static str, rows: Rows) -> Row {
    row(theirs, ours, Form::Group(rows))
}

pub(super) const fn list(theirs: &'static str, ours: &'static str, rows: Rows) -> Row {
    row(theirs, ours, Form::List(rows))
}

pub(super) const fn texts(
    theirs: &'static str,
    ours: &'static str,
    members: &'static [&'static str],
) -> Row {
    row(theirs, ours, Form::Texts(members))
}

pub(super) const fn apart(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, ours, Form::Apart)
}

/// Of the company: refused where it differs.
pub(super) const fn company(theirs: &'static str, what: &'static str) -> Row {
    row(theirs, "", Form::Company(what, true))
}

/// Of the company: told where it differs.
pub(super) const fn company_text(theirs: &'static str, what: &'static str) -> Row {
    row(theirs, "", Form::Company(what, false))
}

pub(super) const fn sum(theirs: &'static str) -> Row {
    row(theirs, "", Form::Sum)
}

pub(super) const fn only(theirs: &'static str, value: &'static str) -> Row {
    row(theirs, "", Form::Only(value))
}

pub(super) const fn told(theirs: &'static str, why: &'static str) -> Row {
    row(theirs, "", Form::Told(why))
}

pub(super) const fn refused(theirs: &'static str, why: &'static str) -> Row {
    row(theirs, "", Form::Refused(why))
}
