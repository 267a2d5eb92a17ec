//! `[mail]`: by which server the hub sends mail, and how much of it.

use super::{ConfigError, Hidden, Schedule, refused, within};
use lettre::message::Mailbox;
use serde::Deserialize;
use std::path::PathBuf;

/// How the connection to the mail server is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// In the clear first, then upgraded (RFC 3207), or nothing is sent.
    Starttls,
    /// From the first byte (RFC 8314).
    Tls,
    None,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub allow_plain: bool,
    pub ca: PathBuf,
    pub user: String,
    pub password: Hidden,
    pub password_file: PathBuf,
    pub from: String,
    pub connect_timeout_ms: u64,
    pub timeout_ms: u64,
    pub schedule_s: Schedule,
    pub at_once: usize,
    pub per_call: usize,
    pub per_account_day: i64,
    pub per_account_day_test: i64,
    pub attachment_bytes: usize,
    pub keep_days: i64,
}

impl Mail {
    /// Whether there is a server to send by.
    pub fn on(&self) -> bool {
        !self.host.is_empty()
    }

    /// The sender; it was checked when it was read.
    pub fn sender(&self) -> Option<Mailbox> {
        self.from.parse().ok()
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.on() && self.sender().is_none() {
            return refused(
                "mail.from",
                &self.from,
                "an address, as Notas <notas@exemplo.com.br>, where mail.host is set",
            );
        }
        if self.security == Security::None && !self.allow_plain && self.on() && !self.local() {
            return refused(
                "mail.security",
                "none",
                "starttls and tls; none only towards this machine, or with mail.allow_plain",
            );
        }
        if self.port == 0 {
            return refused("mail.port", 0, "1 to 65535");
        }
        self.schedule_s.check("mail.schedule_s")?;
        within(
            "mail.connect_timeout_ms",
            self.connect_timeout_ms,
            100..=60_000,
        )?;
        within("mail.timeout_ms", self.timeout_ms, 100..=600_000)?;
        within("mail.at_once", self.at_once, 1..=64)?;
        within("mail.per_call", self.per_call, 1..=100)?;
        within("mail.per_account_day", self.per_account_day, 1..=1_000_000)?;
        if i64::try_from(self.per_call).is_ok_and(|call| call > self.per_account_day) {
            // A call nobody could ever make would be documented.
            return refused(
                "mail.per_call",
                self.per_call,
                "at most mail.per_account_day",
            );
        }
        within(
            "mail.per_account_day_test",
            self.per_account_day_test,
            0..=1_000_000,
        )?;
        within(
            "mail.attachment_bytes",
            self.attachment_bytes,
            1_048_576..=52_428_800,
        )?;
        within("mail.keep_days", self.keep_days, 1..=3_650)
    }

    /// The server stands on this machine.
    fn local(&self) -> bool {
        let address = self.host.parse::<std::net::IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}
