//! The registry a process is using, replaced without stopping anything.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::Registry;

/// Holder of the current registry. Readers never wait; a flow that took a
/// value keeps it until it lets go.
pub struct Snapshot(ArcSwap<Registry>);

impl Snapshot {
    /// Starts with a registry that was already read.
    pub fn new(registry: impl Into<Arc<Registry>>) -> Self {
        Self(ArcSwap::new(registry.into()))
    }

    /// The registry in use now.
    pub fn load(&self) -> Arc<Registry> {
        self.0.load_full()
    }

    /// Puts a registry in use that was already read.
    pub fn replace(&self, registry: impl Into<Arc<Registry>>) {
        self.0.store(registry.into());
    }
}
