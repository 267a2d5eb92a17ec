//! Fields of official tables as the columns of the embedded ones.

use crate::ImportError;
use base::when;
use data::search::fold;
use rust_decimal::Decimal;
use time::{Date, Duration, Month};

/// Characters of a text: the longest one of the embedded tables has 1,069.
const MOST_CHARS: usize = 4_000;
/// The day before number 1 in a workbook, as far as days of this century go.
const WORKBOOK_START: Date = time::macros::date!(1899 - 12 - 30);
/// Numbers that are days of a workbook: 1982 to 2119.
const WORKBOOK_DAYS: std::ops::RangeInclusive<i64> = 30_000..=80_000;
/// Decimals of a rate: workbooks keep binary fractions, so 3.25 may be
/// 3.2499999999999996.
const RATE_DECIMALS: u32 = 4;

/// Where the columns of a format are in a file.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<Option<usize>>);

/// A column by the names it may have, folded: small letters and digits without
/// accents.
pub(super) struct Column {
    pub names: &'static [&'static str],
    pub required: bool,
}

/// A column that must be there.
pub(super) const fn required(names: &'static [&'static str]) -> Column {
    Column {
        names,
        required: true,
    }
}

/// A column that may be missing.
pub(super) const fn optional(names: &'static [&'static str]) -> Column {
    Column {
        names,
        required: false,
    }
}

impl Places {
    /// Finds the columns; the names of one that is missing.
    fn find(header: &[String], columns: &[Column]) -> Result<Places, &'static [&'static str]> {
        let header: Vec<String> = header.iter().map(|name| plain(name)).collect();
        let mut places = Vec::with_capacity(columns.len());
        for column in columns {
            let named = |name: &String| column.names.contains(&name.as_str());
            let place = header.iter().position(named);
            if place.is_none() && column.required {
                return Err(column.names);
            }
            places.push(place);
        }
        Ok(Places(places))
    }

    /// Has a line all columns that must be there?
    pub fn fit(header: &[String], columns: &[Column]) -> bool {
        Places::find(header, columns).is_ok()
    }

    /// # Errors
    /// The refusal that names what is missing.
    pub fn of(file: &str, header: &[String], columns: &[Column]) -> Result<Places, ImportError> {
        Places::find(header, columns).map_err(|names| {
            let wanted = columns.iter().filter(|column| column.required);
            let wanted: Vec<&str> = wanted
                .flat_map(|column| column.names.first())
                .copied()
                .collect();
            ImportError::of(
                file,
                format!(
                    "its header has no column {}; it needs {}",
                    names.first().unwrap_or(&""),
                    wanted.join(", ")
                ),
            )
        })
    }

    /// The field of a column, by the column's place in the format.
    pub fn field<'f>(&self, fields: &[&'f str], column: usize) -> &'f str {
        let place = self.0.get(column).copied().flatten();
        place
            .and_then(|place| fields.get(place))
            .copied()
            .unwrap_or_default()
    }
}

/// A name of a column, folded.
pub(super) fn plain(name: &str) -> String {
    let folded = fold(name);
    folded.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A text in one line, without white space around it.
///
/// # Errors
/// It is longer than any of an official table.
pub(super) fn line(column: &str, text: &str) -> Result<String, String> {
    if text.chars().nth(MOST_CHARS).is_some() {
        return Err(format!("{column} has more than {MOST_CHARS} characters"));
    }
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    Ok(words.join(" "))
}

/// As [`line`], of a text that must be there.
///
/// # Errors
/// It is empty, or too long.
pub(super) fn told(column: &str, text: &str) -> Result<String, String> {
    let text = line(column, text)?;
    if text.is_empty() {
        return Err(format!("{column} is empty"));
    }
    Ok(text)
}

/// A code of so many digits, its signs left out. Workbooks keep some codes as numbers,
/// which have lost the zeros they began with.
///
/// # Errors
/// It is no such code.
pub(super) fn digits(column: &str, text: &str, count: usize) -> Result<String, String> {
    let text = text.strip_suffix(".0").unwrap_or(text);
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '.' | '-' | '/' | ' ' | '\u{a0}'))
        .collect();
    let number = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
    if number && plain.len() <= count {
        return Ok(format!("{plain:0>count$}"));
    }
    Err(format!("{column} has not {count} digits"))
}

/// A day, as a text or as the number of a workbook; empty where there is none, and for
/// the day that means none (31/12/9999).
///
/// # Errors
/// It is no day.
pub(super) fn day(column: &str, text: &str) -> Result<String, String> {
    let text = text.split([' ', 'T']).next().unwrap_or_default();
    if text.is_empty() {
        return Ok(String::new());
    }
    let of_workbook = || {
        let number: i64 = text.split('.').next()?.parse().ok()?;
        let days = Some(number).filter(|number| WORKBOOK_DAYS.contains(number))?;
        WORKBOOK_START.checked_add(Duration::days(days))
    };
    let date = when::parse_date(text)
        .or_else(|| brazilian(text))
        .or_else(of_workbook);
    let date = date.ok_or_else(|| format!("{column} is no day"))?;
    Ok(match date.year() {
        9_999 => String::new(),
        _ => date.to_string(),
    })
}

/// `DD/MM/AAAA`.
pub(super) fn brazilian(text: &str) -> Option<Date> {
    let mut parts = text.split('/');
    let day = parts.next()?.parse().ok()?;
    let month: u8 = parts.next()?.parse().ok()?;
    let year = parts.next()?.parse().ok()?;
    Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()
}

/// A rate in percent, with point or comma.
///
/// # Errors
/// It is no number, or more than `most`.
pub(super) fn rate(column: &str, text: &str, most: u32) -> Result<String, String> {
    let text = text.trim_end_matches('%').trim().replace(',', ".");
    let number: Option<Decimal> = text
        .parse()
        .ok()
        .or_else(|| Decimal::from_scientific(&text).ok());
    let fits = |number: &Decimal| !number.is_sign_negative() && *number <= Decimal::from(most);
    let number = number.filter(fits);
    let number = number.ok_or_else(|| format!("{column} is no rate"))?;
    Ok(number.round_dp(RATE_DECIMALS).normalize().to_string())
}

/// `1` or `0`; an empty field is 0.
///
/// # Errors
/// It is something else.
pub(super) fn mark(column: &str, text: &str) -> Result<String, String> {
    match text {
        "1" | "1.0" => Ok("1".to_owned()),
        "0" | "0.0" | "" => Ok("0".to_owned()),
        _ => Err(format!("{column} is neither 0 nor 1")),
    }
}
