//! What every crate above `store` works with: the settings of this process, its
//! database, its clock and its name.

pub mod room;

use crate::Db;
use crate::presence::Presence;
use base::config::Config;
use base::when::Clock;
use room::Room;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Handle to the parts of a process that all crates share.
pub type Node = Arc<Parts>;

/// The parts of a process that all crates share.
pub struct Parts {
    pub config: Config,
    pub db: Db,
    pub clock: Clock,
    /// Keys the digests of API keys, and makes signed links.
    pub pepper: [u8; 32],
    /// Name of this process in leases.
    pub name: String,
    /// Says whether the disks have room.
    pub room: Room,
    /// Says whether this node still holds its leases.
    pub presence: Presence,
    /// The process was told to stop. `/pronto` says so to load balancers, and
    /// everything else goes on.
    pub leaving: AtomicBool,
    /// The process takes up no new work.
    pub draining: AtomicBool,
    /// When the process began, epoch milliseconds.
    pub started_ms: i64,
}

impl Parts {
    /// Now, epoch milliseconds.
    pub fn now_ms(&self) -> i64 {
        (self.clock)()
    }
}
