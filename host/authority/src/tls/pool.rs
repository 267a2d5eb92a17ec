//! Connections that wait for the next request.

use super::connect::Connection;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a connection waits. Authorities close theirs after 5 s (Apache)
/// to 120 s (IIS); the longer ours waits, the likelier a request meets a
/// connection that is just being closed, of which nobody knows whether it
/// arrived.
const IDLE: Duration = Duration::from_secs(30);
/// Connections that wait, of one customer: those of a burst come back all at
/// once, and each that is thrown away costs the next request a handshake with
/// a signature of its own.
const WAITING: usize = 64;

/// Where a connection leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub host: String,
    pub port: u16,
    pub tls: bool,
}

#[derive(Default)]
pub(super) struct Pool(Mutex<HashMap<Key, Vec<(Connection, Instant)>>>);

impl Pool {
    /// The connection that waited least.
    pub(super) fn take(&self, key: &Key) -> Option<Connection> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle.get_mut(key)?;
        waiting.retain(fresh);
        let taken = waiting.pop().map(|(connection, _)| connection);
        if waiting.is_empty() {
            idle.remove(key);
        }
        taken
    }

    pub(super) fn put(&self, key: Key, connection: Connection) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|_, waiting| {
            waiting.retain(fresh);
            !waiting.is_empty()
        });
        if idle.values().map(Vec::len).sum::<usize>() < WAITING {
            let waiting = idle.entry(key).or_default();
            waiting.push((connection, Instant::now()));
        }
    }
}

fn fresh((connection, since): &(Connection, Instant)) -> bool {
    since.elapsed() < IDLE && !connection.sender.is_closed()
}
