//! The pieces of a running hub, made once and shared by everything.

use crate::catalog::Catalog;
use crate::config::Config;
use crate::db::Db;
use crate::issuing::{Notifier, Running};
use crate::simulator::Simulator;
use crate::vault::envelope::Keyring;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Epoch milliseconds (UTC). Given in, so that tests own the time.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Shared handle to everything.
pub type App = Arc<Hub>;

pub struct Hub {
    pub config: Config,
    pub db: Db,
    pub clock: Clock,
    /// Seals certificates and logins at rest.
    pub keyring: Keyring,
    /// Keys the digests of API keys.
    pub pepper: [u8; 32],
    /// Customers' keys in use.
    pub signers: crate::vault::signers::Signers,
    /// Connections to authorities with those keys.
    pub clients: crate::issuing::clients::Clients,
    /// Authorities that must not be asked for a while.
    pub disjuntor: crate::issuing::disjuntor::Disjuntor,
    /// What authorizers last said of themselves.
    pub situacoes: crate::issuing::autorizador::Situacoes,
    pub runtime: Arc<flow::Runtime>,
    pub catalog: Catalog,
    pub registry: flow::registry::Snapshot,
    pub simulator: Simulator,
    /// Whom the hub trusts, for what.
    pub roots: Arc<crate::roots::Roots>,
    /// What customers keep.
    pub objects: crate::storage::Store,
    pub driver: flow::Driver,
    /// Wakes the calls that wait for a document.
    pub notifier: Arc<Notifier>,
    /// Flows this process is running.
    pub running: Running,
    /// Spans of what this process does.
    pub traces: Arc<crate::traces::Tracer>,
    /// Sends webhooks.
    pub webhooks: crate::webhooks::Sender,
    /// Passwords of people.
    pub hasher: crate::users::Hasher,
    pub limiter: crate::api::limiter::Limiter,
    pub keys: crate::api::keys::Keys,
    pub request_log: crate::api::request_log::RequestLog,
    /// Name of this process in leases.
    pub node: String,
    /// When the database was last probed, and whether it worked.
    pub probe: tokio::sync::Mutex<Option<(i64, bool)>>,
    /// The process was told to stop: balancers are told, and it works on.
    pub leaving: AtomicBool,
    /// It takes nothing new any more.
    pub draining: AtomicBool,
    /// On SQLite one process has the data folder for itself.
    pub(crate) _folder_lock: Option<std::fs::File>,
    /// When the process began, epoch milliseconds.
    pub started_ms: i64,
}

impl Hub {
    pub fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    /// The system's clock.
    pub fn system_clock() -> Clock {
        Arc::new(|| {
            let since = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
    }
}
