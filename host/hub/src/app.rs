//! The pieces of a running hub. Only boot, the command line and tests hold
//! all of them.

use crate::editions::Served;
use crate::releases::Following;
use gate::Services;
use std::ops::Deref;
use std::sync::Arc;

/// Handle to everything.
pub type App = Arc<Hub>;

/// A running hub. It dereferences to the services of the API.
pub struct Hub {
    pub services: Services,
    /// Imported tables that answer in the place of built-in ones.
    pub editions: Served,
    /// Adapters that operators activated in the place of those of the folder.
    pub releases: Following,
    /// On SQLite one process has the data folder for itself.
    pub(crate) _folder_lock: Option<std::fs::File>,
}

impl Deref for Hub {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}
