//! Which values the sections take; those with a file of their own say it there.

use super::{
    Accounts, Adapters, Admin, AuthoritiesMode, Config, ConfigError, Database, Exports, Flow,
    Issuing, Limits, Log, Metrics, Registry, Server, Traces, networks, refused, within,
};
use crate::net::Net;
use std::net::SocketAddr;

impl Config {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.server.check()?;
        self.storage.check()?;
        self.database.check()?;
        self.adapters.check()?;
        self.registry.check()?;
        self.issuing.check()?;
        self.flow.check()?;
        self.limits.check()?;
        self.exports.check()?;
        self.packing.check()?;
        self.authorities.check()?;
        self.webhooks.check()?;
        self.accounts.check()?;
        self.payments.check()?;
        self.metrics.check()?;
        self.admin.check()?;
        self.traces.check()?;
        self.mail.check()?;
        let simulated = self.authorities.mode == AuthoritiesMode::Simulator;
        self.messaging.check(simulated)?;
        self.lookups.check()?;
        self.dns.check()?;
        self.probes.check()?;
        self.moving.check()?;
        self.log.check()
    }
}

impl Server {
    fn check(&self) -> Result<(), ConfigError> {
        if self.listen.parse::<SocketAddr>().is_err() {
            return refused(
                "server.listen",
                &self.listen,
                "an address and port, as 127.0.0.1:8080",
            );
        }
        let mut proxies = self.trusted_proxies.iter();
        if let Some(wrong) = proxies.find(|net| net.parse::<Net>().is_err()) {
            return refused(
                "server.trusted_proxies",
                wrong,
                "ranges of addresses, as 10.0.0.0/8",
            );
        }
        within("server.notice_s", self.notice_s, 0..=300)?;
        within("server.drain_s", self.drain_s, 0..=3_600)
    }
}

impl Database {
    fn check(&self) -> Result<(), ConfigError> {
        let engines = ["sqlite:", "postgres:", "postgresql:"];
        if !self.url.is_empty() && !engines.iter().any(|engine| self.url.starts_with(engine)) {
            // The value may hold a password: it is not shown.
            return refused(
                "database.url",
                "…",
                "sqlite:/path/hub.db and postgres://user@host/db",
            );
        }
        within("database.pool_size", self.pool_size, 1..=1_000)
    }
}

impl Issuing {
    fn check(&self) -> Result<(), ConfigError> {
        if self.poll_ms < 10 {
            return refused("issuing.poll_ms", self.poll_ms, "10 and more");
        }
        within(
            "issuing.distribution_pages",
            self.distribution_pages,
            1..=1_000,
        )?;
        within("issuing.gap_hours", self.gap_hours, 1..=720)
    }
}

impl Adapters {
    fn check(&self) -> Result<(), ConfigError> {
        within("adapters.audit_days", self.audit_days, 1..=36_500)?;
        networks("adapters.allow_nets", &self.allow_nets)?;
        if self.oci_host.is_empty() && !self.oci_password.expose().is_empty() {
            return refused(
                "adapters.oci_host",
                "",
                "the host of an OCI registry, because adapters.oci_password is set",
            );
        }
        if self.oci_host.contains(['/', '@']) {
            return refused(
                "adapters.oci_host",
                &self.oci_host,
                "a host alone, as registry.example.com or registry.example.com:5000",
            );
        }
        Ok(())
    }
}

impl Registry {
    fn check(&self) -> Result<(), ConfigError> {
        networks("registry.allow_nets", &self.allow_nets)
    }
}

impl Flow {
    fn check(&self) -> Result<(), ConfigError> {
        if self.wait_divisor == 0 {
            return refused("flow.wait_divisor", 0, "1 and more");
        }
        if self.steps == 0 || self.pool == 0 || self.step_ms == 0 {
            return refused("flow.steps, flow.pool, flow.step_ms", 0, "1 and more");
        }
        // Above a minute a component that never answers looks like a hub that hangs.
        within("flow.describe_ms", self.describe_ms, 1..=60_000)?;
        if self.computing == 0 || self.computing_each == 0 {
            return refused("flow.computing, flow.computing_each", 0, "1 and more");
        }
        let beyond_the_pool =
            u32::try_from(self.computing).is_ok_and(|computing| computing > self.pool);
        if beyond_the_pool || self.computing > 256 {
            return refused(
                "flow.computing",
                self.computing,
                "at most flow.pool, and at most 256",
            );
        }
        if self.lease_ms < 1_000 {
            return refused("flow.lease_ms", self.lease_ms, "1000 and more");
        }
        Ok(())
    }
}

impl Limits {
    fn check(&self) -> Result<(), ConfigError> {
        // The largest object of S3 in parts of 8 MiB is 80 GiB; a link is
        // served by this process, which is not made for that.
        within("limits.object_bytes", self.object_bytes, 1..=5 << 30)?;
        within("limits.objects_at_once", self.objects_at_once, 1..=1_000)
    }
}

impl Exports {
    fn check(&self) -> Result<(), ConfigError> {
        within("exports.documents", self.documents, 1..=30_000)?;
        within("exports.link_hours", self.link_hours, 1..=168)?;
        within("exports.kept", self.kept, 1..=100)?;
        within("exports.at_once", self.at_once, 1..=16)
    }
}

impl Accounts {
    fn check(&self) -> Result<(), ConfigError> {
        if self.requests_per_minute < 1 {
            return refused(
                "accounts.requests_per_minute",
                self.requests_per_minute,
                "1 and more",
            );
        }
        within("accounts.gift_credits", self.gift_credits, 0..=1_000_000)?;
        within("accounts.keys", self.keys, 2..=10_000)
    }
}

impl Metrics {
    fn check(&self) -> Result<(), ConfigError> {
        if !self.listen.is_empty() && self.listen.parse::<SocketAddr>().is_err() {
            return refused(
                "metrics.listen",
                &self.listen,
                "an address and port, as 127.0.0.1:9464",
            );
        }
        within("metrics.collect_s", self.collect_s, 1..=3_600)
    }
}

impl Admin {
    fn check(&self) -> Result<(), ConfigError> {
        if self.listen.is_empty() {
            return Ok(());
        }
        if self.listen.parse::<SocketAddr>().is_err() {
            return refused(
                "admin.listen",
                &self.listen,
                "an address and port, as 127.0.0.1:9465",
            );
        }
        if self.token_file.as_os_str().is_empty() {
            return refused(
                "admin.token_file",
                "",
                "the file of a token, because admin.listen is set",
            );
        }
        Ok(())
    }
}

impl Traces {
    fn check(&self) -> Result<(), ConfigError> {
        let web = self.endpoint.starts_with("http://") || self.endpoint.starts_with("https://");
        if !self.endpoint.is_empty() && !web {
            // The value may hold a token: it is not shown.
            return refused(
                "traces.endpoint",
                "…",
                "an address with http:// or https://, as http://127.0.0.1:4318/v1/traces",
            );
        }
        within("traces.queue", self.queue, 1..=1_000_000)?;
        within("traces.batch", self.batch, 1..=10_000)?;
        within("traces.gather_ms", self.gather_ms, 1..=60_000)?;
        within("traces.timeout_ms", self.timeout_ms, 100..=60_000)
    }
}

impl Log {
    fn check(&self) -> Result<(), ConfigError> {
        let levels = ["error", "warn", "info", "debug", "trace"];
        if !levels.contains(&self.level.as_str()) {
            return refused(
                "log.level",
                &self.level,
                "error, warn, info, debug and trace",
            );
        }
        if !matches!(self.format.as_str(), "text" | "json") {
            return refused("log.format", &self.format, "text and json");
        }
        Ok(())
    }
}
