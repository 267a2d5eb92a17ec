//! How often and how long a flow asks.

/// A flow stops asking here: the host ends it at 64 steps, and what comes
/// after a poll (a query, a last message) needs room.
pub const MAX_STEPS: u32 = 56;
/// The same message is sent at most this often.
pub const MAX_SENDINGS: u32 = 3;
/// So many clear "not found" answers make it certain.
pub const NOT_FOUND_TIMES: u32 = 3;
/// Queries after one sending without an answer.
pub const MAX_SEARCHES: u32 = 8;
/// Longest wait between two queries.
const MAX_WAIT_MS: u64 = 30 * 60 * 1000;

/// Wait before query `n`, from 0: it doubles each time.
pub fn wait_ms(first_ms: u64, n: u32) -> u64 {
    first_ms
        .saturating_mul(1_u64.checked_shl(n).unwrap_or(u64::MAX))
        .min(MAX_WAIT_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        assert_eq!(wait_ms(5_000, 0), 5_000);
        assert_eq!(wait_ms(5_000, 3), 40_000);
        assert_eq!(wait_ms(5_000, 20), MAX_WAIT_MS);
        assert_eq!(wait_ms(5_000, 99), MAX_WAIT_MS);
    }
}
