//! The id of an event: `DeRE`, the event (4), the kind of inscription (1), the
//! inscription (14), the moment (14) and a counter (5): 42 characters.
//!
//! Source: attribute `id` of the event schemas of layout 1.2.0, and the
//! developers' manual 1.0.2.

use crate::catalogue::Kind;
use time::OffsetDateTime;

/// Inscription by CNPJ.
const CNPJ: char = '1';
/// Most events of one kind, company and second.
pub const MAX_COUNTER: u32 = 99_999;

/// What the ids of one kind, company and second have in common. `base` is the
/// root of the CNPJ, eight characters; the moment is in the time of Brasília.
pub fn prefix(kind: &Kind, base: &str, moment: OffsetDateTime) -> String {
    let (date, time) = (moment.date(), moment.time());
    format!(
        "DeRE{}{CNPJ}{base:0>14}{:04}{:02}{:02}{:02}{:02}{:02}",
        kind.number(),
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

/// An id, the first one with the counter 1.
pub fn with_counter(prefix: &str, counter: u32) -> String {
    format!("{prefix}{counter:05}")
}

/// The counter of an id.
pub fn counter(id: &str) -> Option<u32> {
    id.get(id.len().checked_sub(5)?..)?.parse().ok()
}
