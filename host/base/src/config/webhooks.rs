//! `[webhooks]`: how events are delivered, and where to.

use super::{ConfigError, Schedule, networks, within};
use crate::net::Net;
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    pub allow_http: bool,
    pub allow_nets: Vec<String>,
    pub ca: PathBuf,
    pub connect_timeout_ms: u64,
    pub timeout_ms: u64,
    pub schedule_s: Schedule,
    pub in_flight: usize,
    pub at_once: usize,
    pub answer_bytes: usize,
    pub keep_days: i64,
    pub per_account: i64,
}

impl Webhooks {
    /// Networks the operator opened; they were checked when they were read.
    pub fn nets(&self) -> Vec<Net> {
        let nets = self.allow_nets.iter();
        nets.filter_map(|net| net.parse().ok()).collect()
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        networks("webhooks.allow_nets", &self.allow_nets)?;
        self.schedule_s.check("webhooks.schedule_s")?;
        within(
            "webhooks.connect_timeout_ms",
            self.connect_timeout_ms,
            100..=15_000,
        )?;
        // A lease of 45 s must outlive two attempts.
        within("webhooks.timeout_ms", self.timeout_ms, 100..=20_000)?;
        within("webhooks.in_flight", self.in_flight, 1..=64)?;
        within("webhooks.at_once", self.at_once, 1..=4_096)?;
        within("webhooks.answer_bytes", self.answer_bytes, 0..=1_048_576)?;
        within("webhooks.keep_days", self.keep_days, 1..=3_650)?;
        within("webhooks.per_account", self.per_account, 1..=1_000)
    }
}
