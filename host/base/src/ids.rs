//! Ids of rows: a prefix that says what it is, and a ULID that sorts by time.

use std::collections::VecDeque;
use std::sync::Mutex;
use ulid::Ulid;

/// Moments whose last id is remembered. Requests that run side by side ask for
/// ids of moments that lie a few milliseconds apart, in any order.
const MOMENTS: usize = 64;

/// The last id of each of the moments asked for last, the newest in front.
static LAST: Mutex<VecDeque<Ulid>> = Mutex::new(VecDeque::new());

/// `nfse_01J…`. Ids made in one millisecond by this process keep their order.
pub fn new(prefix: &str, now_ms: i64) -> String {
    let mut ids = several(prefix, now_ms, 1);
    ids.pop().unwrap_or_default()
}

/// Ids of one moment that keep their order among themselves, however late the
/// moment is asked for.
pub fn several(prefix: &str, now_ms: i64, count: usize) -> Vec<String> {
    let ms = u64::try_from(now_ms).unwrap_or(0);
    let mut last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut made = Vec::with_capacity(count);
    let place = last.iter().position(|id| id.timestamp_ms() == ms);
    let mut id = place.and_then(|place| last.remove(place));
    for _ in 0..count {
        let next = id.and_then(|id| id.increment().ok());
        let next = next.unwrap_or_else(|| random(ms));
        made.push(format!("{prefix}_{next}"));
        id = Some(next);
    }
    if let Some(id) = id {
        last.push_front(id);
    }
    last.truncate(MOMENTS);
    made
}

/// The lowest id a moment can have: bounds a search by time without an index
/// of its own.
pub fn floor(prefix: &str, ms: i64) -> String {
    let ms = u64::try_from(ms).unwrap_or(0);
    format!("{prefix}_{}", Ulid::from_parts(ms, 0))
}

/// When an id of this prefix was made, epoch milliseconds; None for anything
/// else.
pub fn moment(prefix: &str, id: &str) -> Option<i64> {
    let ulid = id.strip_prefix(prefix)?.strip_prefix('_')?;
    let ulid = Ulid::from_string(ulid).ok()?;
    i64::try_from(ulid.timestamp_ms()).ok()
}

fn random(ms: u64) -> Ulid {
    let mut bytes = [0_u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without a source of randomness nothing of this program is safe.
        std::process::abort();
    }
    Ulid::from_parts(ms, u128::from_le_bytes(bytes))
}
