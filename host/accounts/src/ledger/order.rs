//! Ids of transfers in the order in which they change the balance of their account.
//!
//! Statements list transfers by id. The moment in an id is that of its request, and of two
//! requests side by side the later one may change the balance first: its transfer's id would
//! be the larger one, and the balances of the statement would not follow one another.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use store::ids::{AccountId, TransferId};

/// Accounts whose last transfer is remembered. Beyond it all are forgotten, which costs the
/// order of what is being written just then.
const ACCOUNTS: usize = 10_000;
/// How far the last transfer of an account may be ahead of a request: longer than any
/// request takes. A clock that was set back is not followed for ever.
const AHEAD_MS: i64 = 120_000;
/// Days of the usage report and of spending limits begin with an hour: a transfer is not
/// moved into another one, but by a millisecond where it follows one in the last of an hour.
const HOUR_MS: i64 = 3_600_000;

/// The id of the last transfer of each account that this process has made.
static LAST: Mutex<BTreeMap<AccountId, TransferId>> = Mutex::new(BTreeMap::new());

/// The id of an account's next transfer, and its moment: `now_ms`, or that of the
/// transfer before it where that is a little later. To be asked for while the transaction
/// holds the account's balance.
pub(super) fn next(account: &AccountId, now_ms: i64) -> (TransferId, i64) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let before = last.get(account);
    let before = before.and_then(|id| Some((id.clone(), id.moment()?)));
    let (id, ms) = match before.as_ref().filter(|(_, ms)| follows(*ms, now_ms)) {
        None => (TransferId::new(now_ms), now_ms),
        Some((before, ms)) => {
            let ms = now_ms.max(*ms);
            let id = TransferId::new(ms);
            if id > *before {
                (id, ms)
            } else {
                // The ids of that millisecond are no longer remembered in order.
                (TransferId::new(ms + 1), ms + 1)
            }
        }
    };
    // One of the hour before does not make the next ones forget what they are to follow.
    let stays_behind = before.is_some_and(|(_, before)| (1..=AHEAD_MS).contains(&(before - ms)));
    if !stays_behind {
        if last.len() >= ACCOUNTS {
            last.clear();
        }
        last.insert(account.clone(), id.clone());
    }
    (id, ms)
}

/// Whether a transfer of `now_ms` is to follow one of `before_ms`.
fn follows(before_ms: i64, now_ms: i64) -> bool {
    before_ms <= now_ms || before_ms - now_ms <= AHEAD_MS && before_ms / HOUR_MS == now_ms / HOUR_MS
}
