//! How one value is written in two places: a number with comma or point, a date
//! in another order, a CNPJ with or without its punctuation.

/// Way of writing a value, taken from where it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// As it stands.
    Same,
    /// A number with so many digits before and after its separator.
    Decimal {
        /// Digits before the separator, with zeros in front; 0 without them.
        width: usize,
        /// Digits after the separator.
        places: usize,
        separator: char,
        /// Between thousands.
        group: Option<char>,
        /// In front of it.
        currency: &'static str,
    },
    /// Letters and digits in the places of those of the mask.
    Mask(String),
    /// A date, with or without its time.
    Date(DateForm),
}

/// Order and signs of a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DateForm {
    date: Option<(Order, &'static str)>,
    /// What stands between date and time.
    joint: &'static str,
    /// Separator and whether there are seconds.
    time: Option<(&'static str, bool)>,
    /// What stands behind the seconds, as it was seen.
    rest: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    YearFirst,
    DayFirst,
}

/// Year, month, day; hour, minute, second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    date: Option<[u32; 3]>,
    time: Option<[u32; 3]>,
}

/// The shortest text a mask is made of, in letters and digits.
const MIN_MASK: usize = 5;
/// The longest number.
const MAX_NUMBER: usize = 25;

impl Form {
    /// The ways in which `seen` may be written.
    pub fn of(seen: &str) -> Vec<Form> {
        let seen = seen.trim();
        let mut forms = vec![Form::Same];
        if let Some((_, form)) = moment(seen) {
            forms.push(Form::Date(form));
        }
        forms.extend(decimal_form(seen));
        if plain(seen).chars().count() >= MIN_MASK {
            forms.push(Form::Mask(seen.to_owned()));
        }
        forms
    }

    /// The form in which `value` is written as `seen`.
    pub fn between(value: &str, seen: &str) -> Option<Form> {
        let seen = seen.trim();
        let mut forms = Form::of(seen).into_iter();
        forms.find(|form| form.write(value).as_deref() == Some(seen))
    }

    /// `value` written so; None where it is of another kind.
    pub fn write(&self, value: &str) -> Option<String> {
        let value = value.trim();
        match self {
            Form::Same => Some(value.to_owned()),
            Form::Decimal {
                width,
                places,
                separator,
                group,
                currency,
            } => {
                let (whole, part) = number(value)?;
                let whole = if whole.is_empty() { "0" } else { &whole };
                let whole = grouped(&format!("{whole:0>width$}"), *group);
                let mut text = format!("{currency}{whole}");
                if *places > 0 || !part.is_empty() {
                    text.push(*separator);
                    text.push_str(&format!("{part:0<places$}"));
                }
                Some(text)
            }
            Form::Mask(mask) => masked(mask, value),
            Form::Date(form) => form.write(moment(value)?.0),
        }
    }
}

/// A value in all the ways in which another one may be equal to it.
#[derive(Debug, Clone)]
pub(super) struct Likeness {
    text: String,
    number: Option<(String, String)>,
    kept: String,
    moment: Option<Moment>,
}

impl Likeness {
    pub fn of(value: &str) -> Likeness {
        let text = value.trim().to_owned();
        Likeness {
            number: number(&text),
            kept: text.chars().filter(|c| c.is_alphanumeric()).collect(),
            moment: moment(&text).map(|(moment, _)| moment),
            text,
        }
    }

    /// Whether one may be the other in another form; cheaper than to look for it.
    pub fn may_be(&self, other: &Likeness) -> bool {
        let moments = || match (self.moment, other.moment) {
            (Some(a), Some(b)) => {
                a.date.is_some() && a.date == b.date || a.time.is_some() && a.time == b.time
            }
            _ => false,
        };
        self.text == other.text
            || self.number.is_some() && self.number == other.number
            || !self.kept.is_empty() && self.kept == other.kept
            || moments()
    }
}

/// Letters and digits alone, capitals; a number without zeros in front.
pub(super) fn plain(text: &str) -> String {
    let kept: String = text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_uppercase)
        .collect();
    if kept.bytes().all(|b| b.is_ascii_digit()) && kept.len() < 11 {
        let short = kept.trim_start_matches('0');
        if short.is_empty() && !kept.is_empty() {
            return "0".to_owned();
        }
        return short.to_owned();
    }
    kept
}

/// Words of flags.
const FLAGS: [&str; 4] = ["true", "false", "sim", "nao"];

/// Whether a value is so short or round that an equal one says nothing.
pub(super) fn says_little(value: &str) -> bool {
    let value = value.trim();
    match number(value) {
        Some((whole, part)) => {
            let digits = format!("{whole}{part}");
            digits.trim_end_matches('0').len() < 2
        }
        None => value.chars().count() < 3 || FLAGS.contains(&value.to_lowercase().as_str()),
    }
}

/// What may stand in front of an amount.
const CURRENCY: &str = "R$ ";

/// Digits before the separator without zeros in front, and after it without
/// zeros at the end.
fn number(text: &str) -> Option<(String, String)> {
    let text = text.strip_prefix(CURRENCY).unwrap_or(text);
    let ok = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 || text.len() > MAX_NUMBER || !text.chars().all(ok) {
        return None;
    }
    let (whole, part) = match text.rfind(['.', ',']) {
        None => (text, ""),
        Some(at) => (text.get(..at)?, text.get(at + 1..)?),
    };
    let last = text.chars().rev().find(|c| !c.is_ascii_digit());
    // Points of thousands: "1.234,56", never the sign of the decimals twice.
    if last.is_some_and(|sign| whole.contains(sign)) {
        return None;
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    Some((
        whole.trim_start_matches('0').to_owned(),
        part.trim_end_matches('0').to_owned(),
    ))
}

/// Digits in threes, where there is a sign between them.
fn grouped(digits: &str, sign: Option<char>) -> String {
    let Some(sign) = sign else {
        return digits.to_owned();
    };
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(sign);
        }
        text.push(digit);
    }
    text
}

fn decimal_form(seen: &str) -> Option<Form> {
    number(seen)?;
    let (currency, seen) = match seen.strip_prefix(CURRENCY) {
        Some(amount) => (CURRENCY, amount),
        None => ("", seen),
    };
    let (whole, places, separator) = match seen.rfind(['.', ',']) {
        None => (seen, 0, '.'),
        Some(at) => (
            seen.get(..at)?,
            seen.len() - at - 1,
            seen.get(at..)?.chars().next()?,
        ),
    };
    let padded = whole.len() > 1 && whole.starts_with('0');
    Some(Form::Decimal {
        width: if padded { whole.len() } else { 0 },
        places,
        separator,
        group: whole.chars().find(|c| !c.is_ascii_digit()),
        currency,
    })
}

fn masked(mask: &str, value: &str) -> Option<String> {
    let kept: Vec<char> = value.chars().filter(|c| c.is_alphanumeric()).collect();
    let places = mask.chars().filter(|c| c.is_alphanumeric()).count();
    if kept.len() != places {
        return None;
    }
    let mut kept = kept.into_iter();
    let place = |c: char| {
        if c.is_alphanumeric() {
            kept.next().unwrap_or(c)
        } else {
            c
        }
    };
    Some(mask.chars().map(place).collect())
}

/// Reads a date, a time or both, and how they are written.
fn moment(text: &str) -> Option<(Moment, DateForm)> {
    let (date, style, rest) = match date_of(text) {
        Some((date, style, rest)) => (Some(date), Some(style), rest),
        None => (None, None, text),
    };
    let (joint, rest) = match rest.chars().next() {
        Some('T') if date.is_some() => ("T", rest.get(1..)?),
        Some(' ') if date.is_some() => (" ", rest.get(1..)?),
        _ => ("", rest),
    };
    let form = |time, rest: &str| DateForm {
        date: style,
        joint,
        time,
        rest: rest.to_owned(),
    };
    if rest.is_empty() && joint.is_empty() {
        let moment = Moment { date, time: None };
        return date.is_some().then(|| (moment, form(None, "")));
    }
    let (time, seconds, rest) = time_of(rest)?;
    // Fractions and offsets stay as they were seen; those of another zone
    // than Brasilia's are of another time.
    let known = rest.is_empty() || rest == "-03:00" || rest.starts_with('.');
    let moment = Moment {
        date,
        time: Some(time),
    };
    known.then(|| (moment, form(Some((":", seconds)), rest)))
}

fn digits(text: &str, from: usize, count: usize) -> Option<u32> {
    let part = text.get(from..from + count)?;
    part.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| part.parse().ok())?
}

type DateRead<'t> = ([u32; 3], (Order, &'static str), &'t str);

fn date_of(text: &str) -> Option<DateRead<'_>> {
    let year_first = |separator: &'static str| {
        let gap = separator.len();
        let signs =
            text.get(4..4 + gap)? == separator && text.get(6 + gap..6 + 2 * gap)? == separator;
        let date = [
            digits(text, 0, 4)?,
            digits(text, 4 + gap, 2)?,
            digits(text, 6 + 2 * gap, 2)?,
        ];
        let rest = text.get(8 + 2 * gap..)?;
        let read = (date, (Order::YearFirst, separator), rest);
        (signs && in_calendar(date)).then_some(read)
    };
    let day_first = |separator: &'static str| {
        let gap = separator.len();
        let signs =
            text.get(2..2 + gap)? == separator && text.get(4 + gap..4 + 2 * gap)? == separator;
        let date = [
            digits(text, 4 + 2 * gap, 4)?,
            digits(text, 2 + gap, 2)?,
            digits(text, 0, 2)?,
        ];
        let rest = text.get(8 + 2 * gap..)?;
        let read = (date, (Order::DayFirst, separator), rest);
        (signs && in_calendar(date)).then_some(read)
    };
    let read = year_first("-").or_else(|| day_first("/"));
    let read = read.or_else(|| day_first("-"));
    read.or_else(|| year_first("").filter(|read| whole(read.2)))
        .or_else(|| day_first("").filter(|read| whole(read.2)))
}

/// Eight digits are a date only where no ninth follows.
fn whole(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_ascii_digit())
}

fn in_calendar([year, month, day]: [u32; 3]) -> bool {
    (1990..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)
}

fn time_of(text: &str) -> Option<([u32; 3], bool, &str)> {
    let hour = digits(text, 0, 2).filter(|hour| *hour < 24)?;
    let minute = digits(text, 3, 2).filter(|minute| *minute < 60)?;
    if text.get(2..3)? != ":" {
        return None;
    }
    if text.get(5..6) == Some(":")
        && let Some(second) = digits(text, 6, 2).filter(|second| *second < 61)
    {
        return Some(([hour, minute, second], true, text.get(8..)?));
    }
    Some(([hour, minute, 0], false, text.get(5..)?))
}

impl DateForm {
    fn write(&self, moment: Moment) -> Option<String> {
        let mut text = String::new();
        if let Some((order, sign)) = self.date {
            let [year, month, day] = moment.date?;
            text += &match order {
                Order::YearFirst => format!("{year:04}{sign}{month:02}{sign}{day:02}"),
                Order::DayFirst => format!("{day:02}{sign}{month:02}{sign}{year:04}"),
            };
        }
        if let Some((sign, seconds)) = self.time {
            let [hour, minute, second] = moment.time?;
            text += self.joint;
            text += &format!("{hour:02}{sign}{minute:02}");
            if seconds {
                text += &format!("{sign}{second:02}");
            }
            text += &self.rest;
        }
        Some(text)
    }
}
