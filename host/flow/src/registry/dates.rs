//! Dates as customers read them.

use time::{Date, Month};

/// `31/12/2026`.
pub(super) fn spelled_out(date: Date) -> String {
    format!(
        "{:02}/{:02}/{:04}",
        date.day(),
        u8::from(date.month()),
        date.year()
    )
}

/// A calendar date from the parts of a TOML date. None: no such day.
pub(super) fn from_parts(year: u16, month: u8, day: u8) -> Option<Date> {
    let month = Month::try_from(month).ok()?;
    Date::from_calendar_date(i32::from(year), month, day).ok()
}
