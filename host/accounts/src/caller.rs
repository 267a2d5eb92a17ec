//! Who asks.

use crate::ledger::Payer;
use crate::opening::unseen;
use store::ids::{AccountId, RequestId};
use store::words::KeyKind;

/// Who asks, as authentication found out.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account_id: AccountId,
    /// Live where there is no key.
    pub kind: KeyKind,
    pub request_id: RequestId,
    /// The key and what it may spend.
    pub payer: Payer,
}

impl Caller {
    pub fn is_test(&self) -> bool {
        self.kind == KeyKind::Test
    }

    /// The environment whose documents this key does not see.
    pub fn unseen(&self) -> &'static str {
        unseen(self.is_test())
    }
}
