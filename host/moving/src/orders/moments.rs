//! Moments and days, in the ways in which their documentation writes them.

use base::when;

/// What a moment without an offset is of: the official time of Brasília, as most of
/// the country has it. West of it the moment is then an hour or two early, never in
/// the future.
const OFFSET: &str = "-03:00";

/// RFC 3339 of `2026-10-05`, `2026-10-05T10:15:00`, `2026-10-05 10:15:00`,
/// `2026-10-05T10:15-0300` and the like.
pub(super) fn moment(text: &str) -> Option<String> {
    let (date, rest) = split(text)?;
    when::parse_date(date)?;
    let rest = rest.trim_start_matches(['T', 't', ' ']);
    let at = rest.find(['+', '-', 'Z', 'z']).unwrap_or(rest.len());
    let time = clock(rest.get(..at)?.trim_end())?;
    let offset = offset(rest.get(at..)?)?;
    let moment = format!("{date}T{time}{offset}");
    when::parse(&moment)?;
    Some(moment)
}

/// The day of a day or of a moment.
pub(super) fn day(text: &str) -> Option<String> {
    let (date, rest) = split(text)?;
    when::parse_date(date)?;
    let parted = rest.is_empty() || rest.starts_with(['T', 't', ' ']);
    parted.then(|| date.to_owned())
}

/// `2610` is October 2026.
pub(super) fn year_month(text: &str) -> Option<String> {
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| format!("20{}-{}", &text[..2], &text[2..]))
}

/// `10/2026` is October 2026.
pub(super) fn month_year(text: &str) -> Option<String> {
    let (month, year) = text.split_once('/')?;
    let digits = |part: &str, width: usize| {
        part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    (digits(month, 2) && digits(year, 4)).then(|| format!("{year}-{month}"))
}

fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    Some((text.get(..10)?, text.get(10..)?))
}

/// `10:15`, `10:15:00`, or nothing for the beginning of the day.
fn clock(text: &str) -> Option<String> {
    match text.len() {
        0 => Some("00:00:00".to_owned()),
        5 => Some(format!("{text}:00")),
        8.. => Some(text.to_owned()),
        _ => None,
    }
}

/// `-0300`, `-03`, `-03:00`, `Z`, or nothing.
fn offset(text: &str) -> Option<String> {
    let text = text.trim();
    match (text.len(), text.contains(':')) {
        (0, _) => Some(OFFSET.to_owned()),
        (1, _) => Some("Z".to_owned()),
        (3, false) => Some(format!("{text}:00")),
        (5, false) => Some(format!("{}:{}", text.get(..3)?, text.get(3..)?)),
        (6, true) => Some(text.to_owned()),
        _ => None,
    }
}
