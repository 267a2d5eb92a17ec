//! What tells people and servers what happened.

use crate::attempt::Sender;
use authority::gateway::Gateway;
use std::ops::Deref;
use std::sync::Arc;

/// Handle to webhooks, mail and messages.
pub type Events = Arc<Parts>;

/// What webhooks, mail and messages need. It dereferences to the gateway,
/// because messages of an app go out through an adapter.
pub struct Parts {
    pub gateway: Gateway,
    /// Sends webhooks.
    pub webhooks: Sender,
}

impl Deref for Parts {
    type Target = Gateway;

    fn deref(&self) -> &Gateway {
        &self.gateway
    }
}
