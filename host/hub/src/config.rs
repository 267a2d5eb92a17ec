//! Settings: the commented default file, then the operator's file, then
//! `HUB_*` variables, then flags. A wrong one is one line that names the key,
//! the value and what is accepted.

use crate::net::Net;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The defaults, also printed by `hub config`.
pub const DEFAULT: &str = include_str!("../config.default.toml");

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub server: Server,
    pub storage: Storage,
    pub database: Database,
    pub authorities: Authorities,
    pub vault: Vault,
    pub adapters: Adapters,
    pub registry: Registry,
    pub issuing: Issuing,
    pub flow: Flow,
    pub limits: Limits,
    pub exports: Exports,
    pub webhooks: Webhooks,
    pub panel: Panel,
    pub accounts: Accounts,
    pub payments: Payments,
    pub log: Log,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub listen: String,
    pub base_url: String,
    pub trusted_proxies: Vec<String>,
    pub drain_s: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    pub data_dir: PathBuf,
    pub account_bytes: i64,
    pub s3_bucket: String,
    pub s3_endpoint: String,
    pub s3_region: String,
    pub s3_key: String,
    pub s3_secret: Hidden,
    pub s3_secret_file: PathBuf,
}

/// A text that is not shown.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Hidden(String);

impl Hidden {
    /// The text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Hidden {
    fn from(text: &str) -> Hidden {
        Hidden(text.to_owned())
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    pub url: String,
    pub pool_size: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuthoritiesMode {
    Official,
    Simulator,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authorities {
    pub mode: AuthoritiesMode,
    pub simulator: String,
    pub simulator_ca: PathBuf,
    pub timeout_ms: u64,
    pub connect_timeout_ms: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vault {
    pub require_icp_brasil: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapters {
    pub folder: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    pub file: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issuing {
    pub wait_ms: u64,
    pub idempotency_hours: u32,
    pub poll_ms: u64,
    pub distribution_pages: u32,
}

impl Issuing {
    /// How long an `Idempotency-Key` stands for its request, in ms.
    pub fn idempotency_window_ms(&self) -> i64 {
        i64::from(self.idempotency_hours) * 3_600_000
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    pub step_ms: u64,
    pub memory_bytes: usize,
    pub instances: usize,
    pub memories: usize,
    pub state_bytes: usize,
    pub request_bytes: usize,
    pub response_bytes: usize,
    pub steps: u32,
    pub pause_ms: u64,
    pub signatures: u32,
    pub log_lines: u32,
    pub log_chars: usize,
    pub transfer_bytes: usize,
    pub component_bytes: usize,
    pub pool: u32,
    pub computing: usize,
    pub computing_each: usize,
    pub wait_divisor: u64,
    pub lease_ms: i64,
}

impl Flow {
    /// The sandbox's share of these settings.
    pub fn limits(&self) -> flow::Limits {
        flow::Limits {
            step_ms: self.step_ms,
            memory_bytes: self.memory_bytes,
            instances: self.instances,
            memories: self.memories,
            state_bytes: self.state_bytes,
            request_bytes: self.request_bytes,
            response_bytes: self.response_bytes,
            steps: self.steps,
            pause_ms: self.pause_ms,
            signatures: self.signatures,
            log_lines: self.log_lines,
            log_chars: self.log_chars,
            transfer_bytes: self.transfer_bytes,
            component_bytes: self.component_bytes,
            pool: self.pool,
            computing: self.computing,
            computing_each: self.computing_each,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub json_bytes: usize,
    pub certificate_bytes: usize,
    pub file_bytes: usize,
    pub object_bytes: u64,
    pub objects_at_once: usize,
}

impl Limits {
    /// A file in base64 inside JSON, with lines broken or not.
    pub fn file_in_json(&self) -> usize {
        self.file_bytes / 3 * 4 + self.file_bytes / 19 + 4_096
    }

    /// The largest body of an operation.
    pub fn body(&self, family: &str, takes_file: bool) -> usize {
        match family {
            _ if takes_file => self.file_in_json(),
            "emitters" => self.certificate_bytes,
            _ => self.json_bytes,
        }
    }

    /// The largest body any operation takes.
    pub fn largest_body(&self) -> usize {
        self.certificate_bytes.max(self.file_in_json())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exports {
    pub documents: i64,
    pub link_hours: i64,
    pub kept: i64,
    pub at_once: usize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    pub allow_http: bool,
    pub allow_nets: Vec<String>,
    pub ca: PathBuf,
    pub connect_timeout_ms: u64,
    pub timeout_ms: u64,
    pub schedule_s: Vec<i64>,
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

    /// The pause after an attempt, `made` counted from 1; None after the last.
    pub fn schedule_ms(&self, made: usize) -> Option<i64> {
        let pause = self.schedule_s.get(made.checked_sub(1)?)?;
        Some(pause.saturating_mul(1_000))
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    pub registration: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accounts {
    pub requests_per_minute: i64,
    pub gift_credits: i64,
    pub keys: i64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payments {
    pub adapter: String,
    pub base_url: String,
    pub token: Segredo,
    pub token_file: PathBuf,
    pub callback_secret: Segredo,
    pub callback_secret_file: PathBuf,
    pub pix_minutes: i64,
    pub card_minutes: i64,
    pub boleto_days: i64,
    pub open_purchases: i64,
}

/// A setting that is not shown.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Segredo(pub String);

impl std::fmt::Debug for Segredo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_empty() { "none" } else { "…" })
    }
}

impl Payments {
    /// The shortest secret of callbacks.
    pub const SECRET_CHARS: usize = 16;

    /// Reads the files that hold secrets.
    fn read_files(&mut self) -> Result<(), ConfigError> {
        for (key, file, secret) in [
            ("payments.token_file", &self.token_file, &mut self.token),
            (
                "payments.callback_secret_file",
                &self.callback_secret_file,
                &mut self.callback_secret,
            ),
        ] {
            if file.as_os_str().is_empty() {
                continue;
            }
            let text = std::fs::read_to_string(file)
                .map_err(|error| ConfigError(format!("{key} = {}: {error}", file.display())))?;
            secret.0 = text.trim().to_owned();
        }
        Ok(())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub level: String,
    pub format: String,
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl Config {
    /// Reads all layers. `overrides` are flags, as `("server.listen", value)`.
    ///
    /// # Errors
    /// One line: key, value, what is accepted.
    pub fn load(
        file: Option<&Path>,
        environment: impl Fn(&str) -> Option<String>,
        overrides: &[(&str, String)],
    ) -> Result<Config, ConfigError> {
        let mut table: Table = parse(DEFAULT, "built-in defaults")?;
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .map_err(|error| ConfigError(format!("--config {}: {error}", path.display())))?;
            merge(&mut table, parse(&text, &path.display().to_string())?)?;
        }
        let keys: Vec<(String, String)> = table
            .iter()
            .flat_map(|(section, keys)| {
                let names = keys.as_table().into_iter().flat_map(|keys| keys.keys());
                names
                    .map(|key| (section.clone(), key.clone()))
                    .collect::<Vec<_>>()
            })
            .collect();
        for (section, key) in &keys {
            let name = format!("HUB_{}_{}", section.to_uppercase(), key.to_uppercase());
            if let Some(text) = environment(&name) {
                set(&mut table, section, key, &text, &name)?;
            }
        }
        for (path, text) in overrides {
            let (section, key) = path.split_once('.').unwrap_or((path, ""));
            set(&mut table, section, key, text, path)?;
        }
        let mut config: Config = table
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError(one_line(&error)))?;
        config.payments.read_files()?;
        config.check()?;
        let listen = &config.server.listen;
        if config.server.base_url.is_empty() && !listen.ends_with(":0") {
            config.server.base_url = format!("http://{listen}");
        }
        let base_url = config.server.base_url.trim_end_matches('/');
        config.server.base_url = base_url.to_owned();
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let bad = |key: &str, value: &dyn std::fmt::Display, accepted: &str| {
            Err(ConfigError(format!(
                "{key} = {value}: accepted are {accepted}"
            )))
        };
        if self.server.listen.parse::<std::net::SocketAddr>().is_err() {
            return bad(
                "server.listen",
                &self.server.listen,
                "an address and port, as 127.0.0.1:8080",
            );
        }
        for proxies in &self.server.trusted_proxies {
            if proxies.parse::<Net>().is_err() {
                return bad(
                    "server.trusted_proxies",
                    proxies,
                    "ranges of addresses, as 10.0.0.0/8",
                );
            }
        }
        let url = &self.database.url;
        if !(url.is_empty()
            || url.starts_with("sqlite:")
            || url.starts_with("postgres:")
            || url.starts_with("postgresql:"))
        {
            // The value may hold a password: it is not shown.
            return bad(
                "database.url",
                &"…",
                "sqlite:/path/hub.db and postgres://user@host/db",
            );
        }
        self.check_storage(bad)?;
        if !(1..=1_000).contains(&self.database.pool_size) {
            return bad("database.pool_size", &self.database.pool_size, "1 to 1000");
        }
        if !(1..=30_000).contains(&self.exports.documents) {
            return bad("exports.documents", &self.exports.documents, "1 to 30000");
        }
        if !(1..=168).contains(&self.exports.link_hours) {
            return bad("exports.link_hours", &self.exports.link_hours, "1 to 168");
        }
        if !(1..=100).contains(&self.exports.kept) {
            return bad("exports.kept", &self.exports.kept, "1 to 100");
        }
        if !(1..=16).contains(&self.exports.at_once) {
            return bad("exports.at_once", &self.exports.at_once, "1 to 16");
        }
        self.check_webhooks()?;
        if self.accounts.requests_per_minute < 1 {
            return bad(
                "accounts.requests_per_minute",
                &self.accounts.requests_per_minute,
                "1 and more",
            );
        }
        if !(0..=1_000_000).contains(&self.accounts.gift_credits) {
            return bad(
                "accounts.gift_credits",
                &self.accounts.gift_credits,
                "0 to 1000000",
            );
        }
        if !(2..=10_000).contains(&self.accounts.keys) {
            return bad("accounts.keys", &self.accounts.keys, "2 to 10000");
        }
        if self.flow.wait_divisor == 0 {
            return bad("flow.wait_divisor", &0, "1 and more");
        }
        if self.flow.steps == 0 || self.flow.pool == 0 || self.flow.step_ms == 0 {
            return bad("flow.steps, flow.pool, flow.step_ms", &0, "1 and more");
        }
        if self.flow.computing == 0 || self.flow.computing_each == 0 {
            return bad("flow.computing, flow.computing_each", &0, "1 and more");
        }
        if u32::try_from(self.flow.computing).is_ok_and(|computing| computing > self.flow.pool)
            || self.flow.computing > 256
        {
            return bad(
                "flow.computing",
                &self.flow.computing,
                "at most flow.pool, and at most 256",
            );
        }
        if self.issuing.poll_ms < 10 {
            return bad("issuing.poll_ms", &self.issuing.poll_ms, "10 and more");
        }
        if !(1..=1_000).contains(&self.issuing.distribution_pages) {
            return bad(
                "issuing.distribution_pages",
                &self.issuing.distribution_pages,
                "1 to 1000",
            );
        }
        if self.flow.lease_ms < 1_000 {
            return bad("flow.lease_ms", &self.flow.lease_ms, "1000 and more");
        }
        self.check_payments()?;
        if !matches!(
            self.log.level.as_str(),
            "error" | "warn" | "info" | "debug" | "trace"
        ) {
            return bad(
                "log.level",
                &self.log.level,
                "error, warn, info, debug and trace",
            );
        }
        if !matches!(self.log.format.as_str(), "text" | "json") {
            return bad("log.format", &self.log.format, "text and json");
        }
        Ok(())
    }

    fn check_webhooks(&self) -> Result<(), ConfigError> {
        let webhooks = &self.webhooks;
        let bad = |key: &str, value: &dyn std::fmt::Display, accepted: &str| {
            Err(ConfigError(format!(
                "webhooks.{key} = {value}: accepted are {accepted}"
            )))
        };
        if let Some(net) = webhooks
            .allow_nets
            .iter()
            .find(|net| net.parse::<Net>().is_err())
        {
            return bad("allow_nets", net, "networks, as 10.0.0.0/8 or fd00::/8");
        }
        let longest = 30 * 24 * 3_600;
        if let Some(pause) = webhooks
            .schedule_s
            .iter()
            .find(|pause| !(1..=longest).contains(*pause))
        {
            return bad("schedule_s", pause, "pauses of 1 to 2592000 seconds");
        }
        for (key, value, most) in [
            ("connect_timeout_ms", webhooks.connect_timeout_ms, 15_000),
            // A lease of 45 s must outlive two attempts.
            ("timeout_ms", webhooks.timeout_ms, 20_000),
        ] {
            if !(100..=most).contains(&value) {
                return bad(key, &value, &format!("100 to {most}"));
            }
        }
        for (key, value, most) in [
            ("in_flight", webhooks.in_flight, 64),
            ("at_once", webhooks.at_once, 4_096),
        ] {
            if !(1..=most).contains(&value) {
                return bad(key, &value, &format!("1 to {most}"));
            }
        }
        if webhooks.answer_bytes > 1_048_576 {
            return bad("answer_bytes", &webhooks.answer_bytes, "0 to 1048576");
        }
        if !(1..=3_650).contains(&webhooks.keep_days) {
            return bad("keep_days", &webhooks.keep_days, "1 to 3650");
        }
        if !(1..=1_000).contains(&webhooks.per_account) {
            return bad("per_account", &webhooks.per_account, "1 to 1000");
        }
        Ok(())
    }

    fn check_payments(&self) -> Result<(), ConfigError> {
        let payments = &self.payments;
        let bad = |key: &str, value: &dyn std::fmt::Display, accepted: &str| {
            Err(ConfigError(format!(
                "payments.{key} = {value}: accepted are {accepted}"
            )))
        };
        let https = payments.base_url.starts_with("https://");
        if !payments.adapter.is_empty() && !https {
            return bad(
                "base_url",
                &payments.base_url,
                "addresses that begin with https://, where payments.adapter is set",
            );
        }
        let secret = payments.callback_secret.0.len();
        if secret > 0 && secret < Payments::SECRET_CHARS {
            // The value is a secret: it is not shown.
            return bad("callback_secret", &"…", "16 characters and more");
        }
        for (key, value, most) in [
            ("pix_minutes", payments.pix_minutes, 1_440),
            ("card_minutes", payments.card_minutes, 10_080),
            ("boleto_days", payments.boleto_days, 30),
            ("open_purchases", payments.open_purchases, 1_000),
        ] {
            if !(1..=most).contains(&value) {
                return bad(key, &value, &format!("1 to {most}"));
            }
        }
        Ok(())
    }

    fn check_storage(
        &self,
        bad: impl Fn(&str, &dyn std::fmt::Display, &str) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        let Storage {
            account_bytes,
            s3_bucket,
            s3_endpoint,
            s3_region,
            s3_key,
            s3_secret,
            s3_secret_file,
            ..
        } = &self.storage;
        if *account_bytes < 0 {
            return bad("storage.account_bytes", account_bytes, "0 and more");
        }
        // The largest object of S3 in parts of 8 MiB is 80 GiB; a link is
        // served by this process, which is not made for that.
        if !(1..=5 << 30).contains(&self.limits.object_bytes) {
            return bad(
                "limits.object_bytes",
                &self.limits.object_bytes,
                "1 to 5368709120",
            );
        }
        if !(1..=1_000).contains(&self.limits.objects_at_once) {
            return bad(
                "limits.objects_at_once",
                &self.limits.objects_at_once,
                "1 to 1000",
            );
        }
        if s3_bucket.is_empty() {
            return Ok(());
        }
        if !(s3_endpoint.is_empty()
            || s3_endpoint.starts_with("http://")
            || s3_endpoint.starts_with("https://"))
        {
            return bad(
                "storage.s3_endpoint",
                s3_endpoint,
                "an address with http:// or https://",
            );
        }
        if s3_region.is_empty() {
            return bad("storage.s3_region", s3_region, "the region of the bucket");
        }
        if s3_key.is_empty() {
            return bad(
                "storage.s3_key",
                s3_key,
                "the access key of storage.s3_bucket",
            );
        }
        let file = !s3_secret_file.as_os_str().is_empty();
        if s3_secret.expose().is_empty() != file {
            // The value is a secret: it is not shown.
            return bad(
                "storage.s3_secret, storage.s3_secret_file",
                &"…",
                "one of the two, with storage.s3_bucket",
            );
        }
        Ok(())
    }

    pub fn database_url(&self) -> String {
        if self.database.url.is_empty() {
            format!("sqlite:{}", self.storage.data_dir.join("hub.db").display())
        } else {
            self.database.url.clone()
        }
    }

    pub fn adapters_folder(&self) -> PathBuf {
        if self.adapters.folder.as_os_str().is_empty() {
            self.storage.data_dir.join("adapters")
        } else {
            self.adapters.folder.clone()
        }
    }
}

fn parse(text: &str, name: &str) -> Result<Table, ConfigError> {
    text.parse()
        .map_err(|error: toml::de::Error| ConfigError(format!("{name}: {}", one_line(&error))))
}

fn one_line(error: &toml::de::Error) -> String {
    error
        .to_string()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn merge(base: &mut Table, over: Table) -> Result<(), ConfigError> {
    for (section, value) in over {
        let Value::Table(keys) = value else {
            return Err(ConfigError(format!("{section}: expected a [section]")));
        };
        for (key, value) in keys {
            slot(base, &section, &key, &format!("{section}.{key}"))?.clone_from(&value);
        }
    }
    Ok(())
}

fn set(
    table: &mut Table,
    section: &str,
    key: &str,
    text: &str,
    name: &str,
) -> Result<(), ConfigError> {
    let slot = slot(table, section, key, name)?;
    *slot =
        match slot {
            Value::Integer(_) => Value::Integer(text.parse().map_err(|_| {
                ConfigError(format!("{name} = {text}: accepted are whole numbers"))
            })?),
            Value::Boolean(_) => Value::Boolean(text.parse().map_err(|_| {
                ConfigError(format!("{name} = {text}: accepted are true and false"))
            })?),
            Value::Array(items) => {
                let whole = items.first().is_some_and(Value::is_integer);
                let parts = text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty());
                let parts = parts.map(|part| match part.parse() {
                    Ok(number) if whole => Ok(Value::Integer(number)),
                    Err(_) if whole => Err(ConfigError(format!(
                        "{name} = {text}: accepted are whole numbers between commas"
                    ))),
                    _ => Ok(Value::String(part.to_owned())),
                });
                Value::Array(parts.collect::<Result<_, _>>()?)
            }
            _ => Value::String(text.to_owned()),
        };
    Ok(())
}

fn slot<'a>(
    table: &'a mut Table,
    section: &str,
    key: &str,
    name: &str,
) -> Result<&'a mut Value, ConfigError> {
    let known: Vec<String> = match table.get(section) {
        Some(Value::Table(keys)) => keys.keys().cloned().collect(),
        _ => {
            let sections: Vec<&str> = table.keys().map(String::as_str).collect();
            return Err(ConfigError(format!(
                "{name}: unknown section {section}; accepted are {}",
                sections.join(", ")
            )));
        }
    };
    table
        .get_mut(section)
        .and_then(Value::as_table_mut)
        .and_then(|keys| keys.get_mut(key))
        .ok_or_else(|| {
            ConfigError(format!(
                "{name}: unknown key; accepted in [{section}] are {}",
                known.join(", ")
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(environment: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let owned: Vec<(String, String)> = environment
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        Config::load(
            None,
            |name| {
                owned
                    .iter()
                    .find(|(key, _)| key == name)
                    .map(|(_, value)| value.clone())
            },
            &[],
        )
    }

    #[test]
    fn defaults_load_and_variables_win() {
        let config = load(&[
            ("HUB_FLOW_STEPS", "7"),
            ("HUB_AUTHORITIES_MODE", "simulator"),
            ("HUB_VAULT_REQUIRE_ICP_BRASIL", "true"),
            ("HUB_SERVER_TRUSTED_PROXIES", "10.0.0.0/8, ::1/128,"),
        ])
        .expect("config");
        assert_eq!(config.flow.steps, 7);
        assert_eq!(config.authorities.mode, AuthoritiesMode::Simulator);
        assert!(config.vault.require_icp_brasil);
        assert_eq!(config.server.trusted_proxies, ["10.0.0.0/8", "::1/128"]);
        assert_eq!(config.limits.json_bytes, 1 << 20);
        // The largest product note, signed and in its envelope, can be sent.
        assert!(config.flow.request_bytes >= fiscal::nfe::montagem::MAX_DOCUMENTO + (16 << 10));
    }

    #[test]
    fn payments_keep_their_secrets() {
        let folder = tempfile();
        let (token, secret) = (folder.join("token"), folder.join("segredo"));
        std::fs::write(&token, "tok-do-psp\n").expect("written");
        std::fs::write(&secret, "segredo-dos-avisos\n").expect("written");
        let config = load(&[
            ("HUB_PAYMENTS_ADAPTER", "psp"),
            ("HUB_PAYMENTS_BASE_URL", "https://psp.example/api"),
            ("HUB_PAYMENTS_TOKEN_FILE", &token.display().to_string()),
            (
                "HUB_PAYMENTS_CALLBACK_SECRET_FILE",
                &secret.display().to_string(),
            ),
        ])
        .expect("config");
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(config.payments.token.0, "tok-do-psp");
        assert_eq!(config.payments.callback_secret.0, "segredo-dos-avisos");
        let shown = format!("{config:?}");
        assert!(
            !shown.contains("tok-do") && !shown.contains("segredo-dos"),
            "{shown}"
        );
        for (name, value, words) in [
            (
                "HUB_PAYMENTS_ADAPTER",
                "psp",
                ["payments.base_url", "https://"],
            ),
            (
                "HUB_PAYMENTS_CALLBACK_SECRET",
                "curto",
                ["payments.callback_secret", "16"],
            ),
            (
                "HUB_PAYMENTS_TOKEN_FILE",
                "/nao/ha",
                ["payments.token_file", "/nao/ha"],
            ),
            (
                "HUB_PAYMENTS_PIX_MINUTES",
                "0",
                ["payments.pix_minutes", "1 to 1440"],
            ),
            (
                "HUB_PAYMENTS_OPEN_PURCHASES",
                "1001",
                ["payments.open_purchases", "1 to 1000"],
            ),
        ] {
            let error = load(&[(name, value)]).expect_err(name).to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
            assert!(!error.contains("curto"), "{error}");
        }
    }

    fn tempfile() -> PathBuf {
        let name = format!("hub-config-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn a_bad_value_is_one_line_with_key_and_accepted_values() {
        for (name, value, words) in [
            ("HUB_FLOW_STEPS", "many", ["HUB_FLOW_STEPS", "many"]),
            ("HUB_SERVER_LISTEN", "here", ["server.listen", "here"]),
            (
                "HUB_SERVER_TRUSTED_PROXIES",
                "10.0.0.0/99",
                ["server.trusted_proxies", "10.0.0.0/99"],
            ),
            ("HUB_VAULT_REQUIRE_ICP_BRASIL", "1", ["= 1", "true"]),
            ("HUB_AUTHORITIES_MODE", "fake", ["mode", "official"]),
            (
                "HUB_DATABASE_URL",
                "mysql://u:secret@h/d",
                ["database.url", "sqlite:"],
            ),
            (
                "HUB_LIMITS_OBJECT_BYTES",
                "0",
                ["limits.object_bytes", "= 0"],
            ),
            ("HUB_STORAGE_ACCOUNT_BYTES", "-1", ["account_bytes", "= -1"]),
            (
                "HUB_STORAGE_S3_BUCKET",
                "notas",
                ["storage.s3_key", "s3_bucket"],
            ),
        ] {
            let error = load(&[(name, value)]).expect_err(name).to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
            assert!(
                !error.contains('\n') && !error.contains("secret"),
                "{error}"
            );
        }
    }
}
