//! `[packing]`: when texts of settled documents and old rows are packed, how long journals are
//! kept, and when records move to the store of objects.

use super::{ConfigError, refused, within};
use serde::Deserialize;

const DAY_MS: i64 = 86_400_000;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packing {
    pub after_hours: u32,
    pub journal_days: u32,
    pub move_after_days: u32,
    pub rows_after_days: u32,
}

impl Packing {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        within("packing.after_hours", self.after_hours, 0..=87_600)?;
        within("packing.move_after_days", self.move_after_days, 0..=36_500)?;
        within("packing.rows_after_days", self.rows_after_days, 0..=3_650)?;
        if self.journal_days != 0 && !(30..=36_500).contains(&self.journal_days) {
            return refused(
                "packing.journal_days",
                self.journal_days,
                "0 (as long as the note), 30 to 36500",
            );
        }
        Ok(())
    }

    /// Documents that did not change for so long are packed, ms; None: a node packs nothing.
    pub fn after_ms(&self) -> Option<i64> {
        (self.after_hours > 0).then(|| i64::from(self.after_hours) * 3_600_000)
    }

    /// Journals older than this are dropped, ms; None: kept as long as the note.
    pub fn journal_ms(&self) -> Option<i64> {
        (self.journal_days > 0).then(|| i64::from(self.journal_days) * DAY_MS)
    }

    /// Rows of calls and of uses of keys that are older than this are packed, ms; None: a node
    /// packs none.
    pub fn rows_after_ms(&self) -> Option<i64> {
        (self.rows_after_days > 0).then(|| i64::from(self.rows_after_days) * DAY_MS)
    }

    /// Records older than this move, ms; None: never.
    pub fn move_after_ms(&self) -> Option<i64> {
        (self.move_after_days > 0).then(|| i64::from(self.move_after_days) * DAY_MS)
    }
}
