//! `[dns]`: who is asked about the domains of other people.

use super::{ConfigError, refused, within};
use serde::Deserialize;
use std::net::SocketAddr;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dns {
    pub servers: Vec<String>,
    pub timeout_ms: u64,
}

impl Dns {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let mut servers = self.servers.iter();
        if let Some(wrong) = servers.find(|server| server.parse::<SocketAddr>().is_err()) {
            return refused(
                "dns.servers",
                wrong,
                "addresses and ports, as 10.0.0.2:53 and [fd00::2]:53",
            );
        }
        within("dns.timeout_ms", self.timeout_ms, 100..=30_000)
    }

    /// Addresses to ask; none: those of the system.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let servers = self.servers.iter();
        servers.filter_map(|server| server.parse().ok()).collect()
    }
}
