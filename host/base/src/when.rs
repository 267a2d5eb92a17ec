//! The time, given in so that tests own it, and moments as text.

use std::sync::Arc;
use time::format_description::well_known::{Rfc2822, Rfc3339};
use time::{Date, OffsetDateTime, UtcOffset};

/// Now, epoch milliseconds (UTC).
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The system's clock.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// UTC, `2026-11-20T13:15:03Z`, from epoch milliseconds.
pub fn rfc3339(ms: i64) -> String {
    let moment = utc(ms);
    moment
        .replace_nanosecond(0)
        .unwrap_or(moment)
        .format(&Rfc3339)
        .unwrap_or_default()
}

/// The same moment in the official time of a state, without fractions: what
/// the layouts ask for.
pub fn local(ms: i64, uf: &str) -> OffsetDateTime {
    let hours = match uf {
        "AC" => -5,
        "AM" | "MT" | "MS" | "RO" | "RR" => -4,
        _ => -3,
    };
    let offset = UtcOffset::from_hms(hours, 0, 0).unwrap_or(UtcOffset::UTC);
    let moment = utc(ms).to_offset(offset);
    moment.replace_nanosecond(0).unwrap_or(moment)
}

/// The first moment of a day in Brasília, epoch milliseconds: what a date
/// without an offset means to a customer.
pub fn brasilia(day: Date) -> i64 {
    let offset = UtcOffset::from_hms(-3, 0, 0).unwrap_or(UtcOffset::UTC);
    ms(day.midnight().assume_offset(offset))
}

/// The day in the official time of a state.
pub fn today(ms: i64, uf: &str) -> Date {
    local(ms, uf).date()
}

/// UTC; fractions of a second are dropped.
pub fn utc(ms: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000)).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// Reads `2026-10-05T10:15:00-03:00`.
pub fn parse(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// The moment of an HTTP header `Date` (`Sun, 06 Nov 1994 08:49:37 GMT`), epoch
/// milliseconds; None: it is none.
pub fn http_date_ms(text: &str) -> Option<i64> {
    OffsetDateTime::parse(text, &Rfc2822).ok().map(ms)
}

/// Reads `2026-10-05`.
pub fn parse_date(text: &str) -> Option<Date> {
    Date::parse(
        text,
        time::macros::format_description!("[year]-[month]-[day]"),
    )
    .ok()
}

pub fn format(moment: OffsetDateTime) -> String {
    moment.format(&Rfc3339).unwrap_or_default()
}

/// Epoch milliseconds of a moment.
pub fn ms(moment: OffsetDateTime) -> i64 {
    moment.unix_timestamp().saturating_mul(1_000)
}
