//! What asking a source needs.

use crate::resting::Resting;
use crate::sources::Sources;
use authority::gateway::Gateway;
use std::ops::Deref;
use std::sync::Arc;

/// Handle to the sources.
pub type Lookups = Arc<Parts>;

/// The sources and their state. It dereferences to the gateway, the handle of a
/// crate below.
pub struct Parts {
    pub gateway: Gateway,
    pub sources: Sources,
    pub resting: Resting,
}

impl Parts {
    /// # Errors
    /// `lookups.sources_file` cannot be read, or a list names a source that
    /// nobody knows.
    pub fn open(gateway: Gateway) -> anyhow::Result<Parts> {
        let sources = Sources::read(&gateway.config)?;
        Ok(Parts {
            gateway,
            sources,
            resting: Resting::default(),
        })
    }
}

impl Deref for Parts {
    type Target = Gateway;

    fn deref(&self) -> &Gateway {
        &self.gateway
    }
}
