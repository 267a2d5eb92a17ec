//! What operations call: the services below the API, and its own memory.

pub mod limiter;
pub mod request_log;

use accounts::people::People;
use events::parts::Events;
use issuing::Issuing;
use limiter::Limiter;
use lookups::Lookups;
use objects::storage::parts::Objects;
use request_log::RequestLog;
use std::ops::Deref;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Handle to what operations call.
pub type Services = Arc<Parts>;

/// What operations need. It dereferences to issuing, which most of them call.
pub struct Parts {
    pub issuing: Issuing,
    pub people: People,
    pub events: Events,
    pub objects: Objects,
    pub lookups: Lookups,
    pub limiter: Limiter,
    pub request_log: RequestLog,
    /// When the database was last probed, and whether it worked.
    pub probe: Mutex<Option<(i64, bool)>>,
}

impl Deref for Parts {
    type Target = Issuing;

    fn deref(&self) -> &Issuing {
        &self.issuing
    }
}
