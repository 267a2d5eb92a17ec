//! Typed reads that collect errors instead of stopping at the first.

use std::collections::BTreeSet;

use time::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::dates;
use super::super::error::{Lines, RegistryError};

/// Findings listed at most: who broke a thousand lines sees the pattern.
const MAX_ERRORS: usize = 100;
/// Longest text of a field, in characters.
const MAX_TEXT: usize = 2000;
/// Longest list.
const MAX_ITEMS: usize = 100;

pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// A named table of a section.
pub(super) struct Entry<'t, 'i> {
    pub(super) name: &'t str,
    /// Offset of the name.
    pub(super) at: usize,
    pub(super) value: &'t Value<'i>,
}

pub(super) struct Reader {
    lines: Lines,
    errors: Vec<RegistryError>,
    dropped: usize,
    /// Entries that exist and are wrong: who refers to them is not to blame.
    spoiled: BTreeSet<(&'static str, String)>,
}

impl Reader {
    pub(super) fn new(lines: Lines) -> Self {
        Self {
            lines,
            errors: Vec::new(),
            dropped: 0,
            spoiled: BTreeSet::new(),
        }
    }

    /// A reader whose findings nobody asks for.
    pub(super) fn scratch() -> Self {
        Self::new(Lines::new(""))
    }

    pub(super) fn spoil(&mut self, kind: &'static str, name: &str) {
        self.spoiled.insert((kind, name.to_owned()));
    }

    pub(super) fn is_spoiled(&self, kind: &'static str, name: &str) -> bool {
        self.spoiled.contains(&(kind, name.to_owned()))
    }

    /// Findings so far: an entry that adds some is wrong somewhere.
    pub(super) fn found(&self) -> usize {
        self.errors.len() + self.dropped
    }

    pub(super) fn error(&mut self, at: usize, message: String) {
        if self.errors.len() >= MAX_ERRORS {
            self.dropped += 1;
            return;
        }
        self.errors.push(RegistryError {
            line: self.lines.of(at),
            message,
        });
    }

    pub(super) fn wrong(&mut self, field: &str, value: &Value<'_>, accepted: &str) {
        let found = describe(value.get_ref());
        self.error(
            value.span().start,
            format!("{field} is {found}; accepted: {accepted}"),
        );
    }

    pub(super) fn unknown(&mut self, at: usize, field: &str, accepted: &str) {
        self.error(
            at,
            format!("unknown field \"{field}\"; accepted: {accepted}"),
        );
    }

    pub(super) fn missing(&mut self, at: usize, entry: &str, field: &str) {
        self.error(at, format!("{entry} lacks \"{field}\""));
    }

    /// Reports the fields that are absent. One that is there and wrong was
    /// reported where it is.
    pub(super) fn require(&mut self, at: usize, entry: &str, table: &DeTable<'_>, fields: &[&str]) {
        for field in fields {
            if !table.contains_key(*field) {
                self.missing(at, entry, field);
            }
        }
    }

    pub(super) fn lines_with_errors(&self) -> BTreeSet<usize> {
        self.errors.iter().map(|error| error.line).collect()
    }

    /// All findings by line. Of a line that is not even TOML, only that is
    /// said: what was recovered of it would lead astray.
    pub(super) fn finish(mut self, broken: &BTreeSet<usize>) -> Vec<RegistryError> {
        let mut seen = BTreeSet::new();
        self.errors
            .retain(|error| !broken.contains(&error.line) || seen.insert(error.line));
        self.errors.sort_by_key(|error| error.line);
        // What a parent has wrong, each child finds again.
        self.errors.dedup();
        if self.dropped > 0 {
            let line = self.errors.last().map_or(1, |error| error.line);
            let message = format!("and {} more errors, not listed", self.dropped);
            self.errors.push(RegistryError { line, message });
        }
        self.errors
    }

    pub(super) fn table<'t, 'i>(
        &mut self,
        field: &str,
        value: &'t Value<'i>,
    ) -> Option<&'t DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong(field, value, "a table");
        }
        table
    }

    /// Text that is not empty.
    pub(super) fn text(&mut self, field: &str, value: &Value<'_>) -> Option<String> {
        let text = self.any_text(field, value)?;
        if text.is_empty() {
            self.wrong(field, value, "text that is not empty");
            return None;
        }
        Some(text)
    }

    pub(super) fn any_text(&mut self, field: &str, value: &Value<'_>) -> Option<String> {
        let DeValue::String(text) = value.get_ref() else {
            self.wrong(field, value, "text between quotes");
            return None;
        };
        if text.chars().nth(MAX_TEXT).is_some() {
            self.error(
                value.span().start,
                format!("{field} has more than {MAX_TEXT} characters"),
            );
            return None;
        }
        Some(text.to_string())
    }

    /// A day written without quotes: `2026-11-01`.
    pub(super) fn date(&mut self, field: &str, value: &Value<'_>) -> Option<Date> {
        let date = match value.get_ref() {
            DeValue::Datetime(stamp) if stamp.time.is_none() && stamp.offset.is_none() => stamp
                .date
                .and_then(|day| dates::from_parts(day.year, day.month, day.day)),
            _ => None,
        };
        if date.is_none() {
            self.wrong(field, value, "a date without quotes, such as 2026-11-01");
        }
        date
    }

    pub(super) fn flag(&mut self, field: &str, value: &Value<'_>) -> Option<bool> {
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong(field, value, "true or false");
        }
        flag
    }

    pub(super) fn integer(&mut self, field: &str, value: &Value<'_>) -> Option<i64> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if number.is_none() {
            self.wrong(field, value, "a whole number");
        }
        number
    }

    /// A list, or a single item in its place.
    pub(super) fn one_or_many<'t, 'i>(
        &mut self,
        field: &str,
        value: &'t Value<'i>,
    ) -> Vec<&'t Value<'i>> {
        match value.get_ref() {
            DeValue::Array(items) if items.len() > MAX_ITEMS => {
                self.error(
                    value.span().start,
                    format!("{field} has more than {MAX_ITEMS} items"),
                );
                Vec::new()
            }
            DeValue::Array(items) => items.iter().collect(),
            _ => vec![value],
        }
    }

    pub(super) fn texts(&mut self, field: &str, value: &Value<'_>) -> Vec<String> {
        let items = self.one_or_many(field, value);
        items
            .into_iter()
            .filter_map(|item| self.text(field, item))
            .collect()
    }
}

fn describe(value: &DeValue<'_>) -> String {
    const SHOWN: usize = 60;
    match value {
        DeValue::String(text) if text.chars().nth(SHOWN).is_some() => {
            let start: String = text.chars().take(SHOWN).collect();
            format!("\"{start}...\"")
        }
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Integer(number) => number.as_str().chars().take(SHOWN).collect(),
        DeValue::Float(number) => number.as_str().chars().take(SHOWN).collect(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(stamp) => stamp.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
