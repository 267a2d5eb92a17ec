//! `[probes]`: whether, and how often, addresses of the registry are asked if they
//! answer.

use super::{ConfigError, networks, outside, within};
use crate::net::Outside;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probes {
    pub enabled: bool,
    pub every_hours: u32,
    pub at_once: usize,
    pub per_minute: u32,
    pub connect_timeout_ms: u64,
    pub timeout_ms: u64,
    pub down_after: i64,
    pub fresh_s: u32,
    pub call_ms: u64,
    pub allow_nets: Vec<String>,
}

impl Probes {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        networks("probes.allow_nets", &self.allow_nets)?;
        within("probes.every_hours", self.every_hours, 1..=720)?;
        within("probes.at_once", self.at_once, 1..=64)?;
        within("probes.per_minute", self.per_minute, 1..=600)?;
        within(
            "probes.connect_timeout_ms",
            self.connect_timeout_ms,
            100..=15_000,
        )?;
        within("probes.timeout_ms", self.timeout_ms, 100..=30_000)?;
        // One failure alone may be the weather.
        within("probes.down_after", self.down_after, 2..=100)?;
        within("probes.fresh_s", self.fresh_s, 60..=86_400)?;
        within("probes.call_ms", self.call_ms, 100..=10_000)
    }

    /// Time between two questions to one address.
    pub fn every_ms(&self) -> i64 {
        i64::from(self.every_hours) * 3_600_000
    }

    /// A node that heard nobody for so long counts no failures: its own network may be
    /// down. As many rounds as keep an address below `down_after`.
    pub fn deaf_ms(&self) -> i64 {
        self.every_ms() * (self.down_after - 1)
    }

    /// Where probes may go; the settings were checked when they were read.
    pub fn outside(&self) -> Outside {
        outside(&self.allow_nets)
    }
}
