//! Who asks.

use crate::ledger::Payer;
use crate::opening::unseen;

/// Who asks, as authentication found out.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account_id: String,
    /// `test` or `live`.
    pub kind: String,
    pub request_id: String,
    /// The key and what it may spend.
    pub payer: Payer,
}

impl Caller {
    pub fn is_test(&self) -> bool {
        self.kind == "test"
    }

    /// The environment whose documents this key does not see.
    pub fn unseen(&self) -> &'static str {
        unseen(self.is_test())
    }
}
