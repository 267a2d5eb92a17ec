//! Lexical forms of the built-in types of XSD part 2, with the verdicts of
//! libxml2 where it is laxer or stricter than the letter: the authorities'
//! validators and our oracle agree on what occurs, and a table of exotic forms
//! is in the tests.

use std::borrow::Cow;
use std::cmp::Ordering;

pub use crate::layout::table::Base;
use crate::layout::table::Blanks;

/// White space handling (XSD part 2, §4.3.6).
pub(super) fn normalize(blanks: Blanks, text: &str) -> Cow<'_, str> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    // Most values are numbers and codes. No byte of a longer character is a blank.
    let some = |text: &str| text.bytes().fold(false, |some, byte| some | (byte <= b' '));
    match blanks {
        Blanks::Preserve => Cow::Borrowed(text),
        _ if !some(text) => Cow::Borrowed(text),
        Blanks::Swap if !text.contains(['\t', '\n', '\r']) => Cow::Borrowed(text),
        Blanks::Swap => Cow::Owned(text.replace(['\t', '\n', '\r'], " ")),
        Blanks::Join => {
            let clean = text.trim_matches(blank);
            let simples = !clean.contains(['\t', '\n', '\r']) && !clean.contains("  ");
            if simples {
                return Cow::Borrowed(clean);
            }
            let parts = clean.split(blank).filter(|part| !part.is_empty());
            Cow::Owned(parts.collect::<Vec<_>>().join(" "))
        }
    }
}

/// Is the text, normalized already, a form of the type?
pub fn accepts(base: Base, text: &str) -> bool {
    match base {
        Base::String | Base::NormalizedString | Base::Token => true,
        Base::Id | Base::NonColonName => ncname(text),
        Base::AnyUri => uri(text),
        Base::Base64 => octets(text).is_some(),
        Base::Date => data(text),
        Base::DateTime => date_time(text),
        Base::GYearMonth => year_month(text).is_some(),
        Base::Boolean => matches!(text, "true" | "false" | "0" | "1"),
        Base::Decimal => decimal(text).is_some(),
        Base::Integer(min, max) => integer(text)
            .is_some_and(|n| min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
    }
}

/// Compares two values of a type that has an order; none if they have none.
pub fn compare(base: Base, a: &str, b: &str) -> Option<Ordering> {
    match base {
        Base::GYearMonth => {
            let (a, offset) = year_month(a)?;
            let (b, _) = year_month(b)?;
            match (a.cmp(&b), offset) {
                // The limits of the layouts have no time zone, so by XSD part 2,
                // §3.2.7.4, the same month with one is neither before nor after.
                // libxml2 lets it pass when it lies east of Greenwich.
                (Ordering::Equal, Some(offset)) => (offset > 0).then_some(Ordering::Greater),
                (order, _) => Some(order),
            }
        }
        Base::Integer(..) => Some(integer(a)?.cmp(&integer(b)?)),
        Base::Decimal => {
            let a: rust_decimal::Decimal = a.trim_start_matches('+').parse().ok()?;
            let b: rust_decimal::Decimal = b.trim_start_matches('+').parse().ok()?;
            Some(a.cmp(&b))
        }
        _ => None,
    }
}

/// Significant digits in all and after the point.
pub(super) fn digits(text: &str) -> Option<(u32, u32)> {
    let (integers, fraction) = decimal(text)?;
    let integers = integers.trim_start_matches('0').len();
    let fraction = fraction.trim_end_matches('0').len();
    Some(((integers + fraction).max(1) as u32, fraction as u32))
}

fn decimal(text: &str) -> Option<(&str, &str)> {
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (integers, fraction) = number.split_once('.').unwrap_or((number, ""));
    let only_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let some = !integers.is_empty() || !fraction.is_empty();
    (some && only_digits(integers) && only_digits(fraction)).then_some((integers, fraction))
}

fn integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    // libxml2 reads up to 24 digits.
    if significant.len() > 24 {
        return None;
    }
    let value: i128 = if significant.is_empty() {
        0
    } else {
        significant.parse().ok()?
    };
    Some(if text.starts_with('-') { -value } else { value })
}

fn ncname(text: &str) -> bool {
    let start = |c: char| c == '_' || c.is_alphabetic();
    let rest = |c: char| start(c) || c.is_numeric() || matches!(c, '-' | '.' | '\u{b7}');
    let mut chars = text.chars();
    chars.next().is_some_and(start) && chars.all(rest)
}

/// Octets that base64 stands for. As in libxml2 and RFC 2045, characters
/// outside of the alphabet count for nothing.
pub(super) fn octets(text: &str) -> Option<usize> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut letters = 0usize;
    let mut last = 0usize;
    let mut equal = 0usize;
    for byte in text.bytes() {
        if byte == b'=' {
            equal += 1;
        } else if let Some(value) = ALPHABET.iter().position(|letter| *letter == byte) {
            if equal > 0 {
                return None;
            }
            letters += 1;
            last = value;
        }
    }
    let rest = letters % 4;
    match (rest, equal) {
        (0, 0) => Some(letters / 4 * 3),
        (2, 2) if last.is_multiple_of(16) => Some(letters / 4 * 3 + 1),
        (3, 1) if last.is_multiple_of(4) => Some(letters / 4 * 3 + 2),
        _ => None,
    }
}

/// As far as libxml2 looks: RFC 3986 syntax after characters that a URI cannot
/// hold were replaced.
fn uri(text: &str) -> bool {
    let mut fragments = 0;
    let bytes = text.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'[' | b']' if !text.contains("//[") => return false,
            b'#' => fragments += 1,
            b'%' => {
                let pair = bytes.get(index + 1..index + 3);
                if !pair.is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit)) {
                    return false;
                }
            }
            _ => {}
        }
    }
    let first = text.split(['/', '?', '#']).next().unwrap_or("");
    let schema = first.split_once(':').is_none_or(|(schema, _)| {
        schema.starts_with(|c: char| c.is_ascii_alphabetic())
            && schema
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    fragments <= 1 && schema && gate(text)
}

/// The port of an authority is a number.
fn gate(text: &str) -> bool {
    let hierarchy = text.split_once(':').map_or(text, |(_, rest)| rest);
    let Some(authority) = [text, hierarchy].iter().find_map(|t| t.strip_prefix("//")) else {
        return true;
    };
    let authority = authority.split(['/', '?', '#']).next().unwrap_or("");
    let machine = authority.rsplit_once('@').map_or(authority, |(_, m)| m);
    let after = machine.rsplit_once(']').map_or(machine, |(_, rest)| rest);
    after
        .split_once(':')
        .is_none_or(|(_, gate)| gate.bytes().all(|b| b.is_ascii_digit()))
}

/// Year and month, and what follows them.
fn year_month_and_rest(text: &str) -> Option<(i64, u32, &str)> {
    let (sign, number) = match text.strip_prefix('-') {
        Some(number) => (-1, number),
        None => (1, text),
    };
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    if !(4..=12).contains(&digits) || (digits > 4 && number.starts_with('0')) {
        return None;
    }
    let year: i64 = number.get(..digits)?.parse().ok()?;
    let rest = number.get(digits..)?.strip_prefix('-')?;
    let (month, rest) = two(rest)?;
    ((1..=12).contains(&month) && year != 0).then_some((sign * year, month, rest))
}

fn year_month(text: &str) -> Option<((i64, u32), Option<i32>)> {
    let (year, month, rest) = year_month_and_rest(text)?;
    let offset = if rest.is_empty() {
        None
    } else {
        Some(offset_minutes(rest)?)
    };
    Some(((year, month), offset))
}

fn data(text: &str) -> bool {
    date_and_rest(text).is_some_and(offset)
}

fn date_time(text: &str) -> bool {
    let Some(time) = date_and_rest(text).and_then(|rest| rest.strip_prefix('T')) else {
        return false;
    };
    let Some(rest) = time_and_rest(time) else {
        return false;
    };
    // libxml2 takes blanks after a time zone, and nowhere else.
    rest.is_empty() || offset_minutes(rest.trim_end_matches(' ')).is_some()
}

fn date_and_rest(text: &str) -> Option<&str> {
    let (year, month, rest) = year_month_and_rest(text)?;
    let (day, rest) = two(rest.strip_prefix('-')?)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=last).contains(&day).then_some(rest)
}

fn time_and_rest(text: &str) -> Option<&str> {
    let (time, rest) = two(text)?;
    let (minute, rest) = two(rest.strip_prefix(':')?)?;
    let (second, mut rest) = two(rest.strip_prefix(':')?)?;
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        fraction = after.get(..digits)?;
        rest = after.get(digits..)?;
    }
    let midnight = time == 24 && minute == 0 && second == 0 && fraction.bytes().all(|b| b == b'0');
    ((time < 24 && minute < 60 && second < 60) || midnight).then_some(rest)
}

fn two(text: &str) -> Option<(u32, &str)> {
    let pair = text.get(..2)?;
    if !pair.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((pair.parse().ok()?, text.get(2..)?))
}

fn offset(text: &str) -> bool {
    text.is_empty() || offset_minutes(text).is_some()
}

/// Minutes east of Greenwich.
fn offset_minutes(text: &str) -> Option<i32> {
    if text == "Z" {
        return Some(0);
    }
    let west = text.starts_with('-');
    let (hours, rest) = two(text.strip_prefix(['+', '-'])?)?;
    let (minutes, end) = two(rest.strip_prefix(':')?)?;
    let total = i32::try_from(hours * 60 + minutes).ok()?;
    let holds = end.is_empty() && minutes < 60 && total <= 14 * 60;
    holds.then_some(if west { -total } else { total })
}
