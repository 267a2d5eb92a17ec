//! Dates as the authorities write them: Brasilia time, `-03:00`.

use std::sync::Arc;

use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

/// Clock: epoch milliseconds.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Milliseconds of an hour.
pub const HOUR_MS: i64 = 3_600_000;
/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

fn local(ms: i64) -> OffsetDateTime {
    at_offset(ms, -3)
}

fn at_offset(ms: i64, hours: i8) -> OffsetDateTime {
    // Out of the calendar's range only for absurd clocks: the epoch then.
    let at = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000))
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    at.to_offset(UtcOffset::from_hms(hours, 0, 0).unwrap_or(UtcOffset::UTC))
}

/// `2026-01-31T10:20:30-03:00`.
pub fn date_time(ms: i64) -> String {
    format!("{}-03:00", plain_date_time(ms))
}

/// The same in the time of a state: `2026-01-31T09:20:30-04:00`.
pub fn date_time_in(ms: i64, uf: &str) -> String {
    let hours = match uf {
        "AC" => -5,
        "AM" | "MS" | "MT" | "RO" | "RR" => -4,
        _ => -3,
    };
    let at = at_offset(ms, hours);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}-{:02}:00",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        hours.unsigned_abs()
    )
}

/// `2026-01-31T10:20:30`, as the municipal systems write it.
pub fn plain_date_time(ms: i64) -> String {
    let at = local(ms);
    format!(
        "{}T{:02}:{:02}:{:02}",
        date(ms),
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// `2026-01-31` in Brasilia.
pub fn date(ms: i64) -> String {
    let at = local(ms);
    format!(
        "{:04}-{:02}-{:02}",
        at.year(),
        u8::from(at.month()),
        at.day()
    )
}

/// Last two digits of the year and the month, as keys carry them.
pub fn aamm(ms: i64) -> String {
    let at = local(ms);
    format!(
        "{:02}{:02}",
        at.year().rem_euclid(100),
        u8::from(at.month())
    )
}

/// Year in Brasilia.
pub fn year(ms: i64) -> i32 {
    local(ms).year()
}

/// `2026-01-31` to a date; `None` for anything else.
pub fn parse_date(text: &str) -> Option<Date> {
    if text.len() != 10 {
        return None;
    }
    Date::parse(text, format_description!("[year]-[month]-[day]")).ok()
}

/// RFC 3339 to milliseconds.
pub fn parse_date_time(text: &str) -> Option<i64> {
    let at = OffsetDateTime::parse(text, &time::format_description::well_known::Rfc3339).ok()?;
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).ok()
}
