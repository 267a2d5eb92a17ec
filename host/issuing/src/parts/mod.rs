//! What issuing works with, besides the way out to the authorities.

pub mod notify;
pub mod running;
pub mod situations;

use authority::gateway::Gateway;
use notify::Notifier;
use running::Running;
use situations::AuthorizerStates;
use std::ops::Deref;
use std::sync::Arc;

/// Handle to what issues documents.
pub type Issuing = Arc<Parts>;

/// What issuing needs. It dereferences to the gateway, the handle of the crate
/// below.
pub struct Parts {
    pub gateway: Gateway,
    /// What authorizers last said of themselves.
    pub authorizer_states: AuthorizerStates,
    /// Wakes the calls that wait for a document.
    pub notifier: Arc<Notifier>,
    /// Flows this process is running.
    pub running: Running,
}

impl Deref for Parts {
    type Target = Gateway;

    fn deref(&self) -> &Gateway {
        &self.gateway
    }
}
