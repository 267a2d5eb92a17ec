//! The way out to authorities and other services: adapters and their routes,
//! certificates and TLS clients, the breaker, the simulator.

use crate::breaker::Breaker;
use crate::catalog::Catalog;
use crate::dns::Dns;
use crate::simulator::Simulator;
use crate::tls::Clients;
use base::traces::Tracer;
use std::ops::Deref;
use std::sync::Arc;
use store::node::Node;
use vault::envelope::Keyring;
use vault::roots::Roots;
use vault::signing::signers::Signers;

/// Handle to what asks authorities.
pub type Gateway = Arc<Parts>;

/// What asking an authority needs. It dereferences to the node, the handle of a
/// crate below.
pub struct Parts {
    pub node: Node,
    /// Seals certificates and logins at rest.
    pub keyring: Arc<Keyring>,
    /// Customers' keys in use.
    pub signers: Signers,
    /// Connections to authorities with those keys.
    pub clients: Clients,
    /// Authorities that must not be asked for a while.
    pub breaker: Breaker,
    pub catalog: Catalog,
    pub registry: flow::registry::Snapshot,
    pub simulator: Simulator,
    /// Whom the hub trusts, for what.
    pub roots: Arc<Roots>,
    pub driver: flow::Driver,
    /// Asks whether domains take mail.
    pub dns: Dns,
    /// Spans of what this process does.
    pub traces: Arc<Tracer>,
}

impl Deref for Parts {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}
