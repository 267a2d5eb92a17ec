//! Forms of values: what a source writes in its way becomes what the content
//! has. A text that does not have the form is null.

use crate::map::{Field, Form};
use serde_json::Value;

const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// A text of a source in the form of a field.
pub(crate) fn converted(field: &Field, text: &str) -> Value {
    let text = field.words.get(text).map_or(text, String::as_str);
    if text.is_empty() {
        return Value::Null;
    }
    let found = match field.form {
        Form::Text => Some(text.to_owned()),
        Form::Digits => digits(text, field.width),
        Form::Code => Some(alphanumeric(text)).filter(|code| !code.is_empty()),
        Form::Decimal => decimal(text),
        Form::Money => money(text),
        Form::Date => date(text),
        Form::Month => month(text),
        Form::State => state(text),
        Form::Integer => {
            return text.parse::<i64>().map_or(Value::Null, Value::from);
        }
        Form::Flag => return flag(text).map_or(Value::Null, Value::Bool),
    };
    found.map_or(Value::Null, Value::String)
}

fn digits(text: &str, width: usize) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| format!("{digits:0>width$}"))
}

fn alphanumeric(text: &str) -> String {
    let kept = text.chars().filter(char::is_ascii_alphanumeric);
    kept.collect::<String>().to_uppercase()
}

/// `-?[0-9]+(\.[0-9]+)?`.
fn decimal(text: &str) -> Option<String> {
    let plain = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = plain.split_once('.').unwrap_or((plain, "0"));
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (all_digits(whole) && all_digits(part)).then(|| text.to_owned())
}

fn money(text: &str) -> Option<String> {
    let plain = text.trim_start_matches("R$").trim();
    decimal(&plain.replace('.', "").replace(',', "."))
}

fn date(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.get(..8)?;
    if digits.bytes().all(|byte| byte == b'0') {
        return None;
    }
    let day_first = text.as_bytes().get(2) == Some(&b'/');
    let (year, month, day) = if day_first {
        (digits.get(4..8)?, digits.get(2..4)?, digits.get(..2)?)
    } else {
        (digits.get(..4)?, digits.get(4..6)?, digits.get(6..8)?)
    };
    let within = |part: &str, most: u32| part.parse().is_ok_and(|n: u32| (1..=most).contains(&n));
    (within(month, 12) && within(day, 31)).then(|| format!("{year}-{month}-{day}"))
}

fn month(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let year_of = |text: &str| {
        let year: String = text.chars().filter(char::is_ascii_digit).collect();
        (year.len() == 4).then_some(year)
    };
    if let Some(place) = MONTHS.iter().position(|name| lower.starts_with(name)) {
        return Some(format!("{}-{:02}", year_of(&lower)?, place + 1));
    }
    let (year, month) = lower.split_once('-')?;
    let month: u32 = month.parse().ok().filter(|n| (1..=12).contains(n))?;
    Some(format!("{}-{month:02}", year_of(year)?))
}

fn state(text: &str) -> Option<String> {
    let letters = text.strip_prefix("BR-").unwrap_or(text);
    let two = letters.len() == 2 && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    two.then(|| letters.to_uppercase())
}

fn flag(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "s" | "sim" | "1" => Some(true),
        "false" | "n" | "não" | "nao" | "0" => Some(false),
        _ => None,
    }
}
