//! Settings: the commented default file, then the operator's file, then
//! `HUB_*` variables, then flags. A wrong one is one line that names the key,
//! the value and what is accepted.

mod authorities;
mod checks;
mod cte;
mod dns;
mod layers;
mod lookups;
mod mail;
mod messaging;
mod moving;
mod packing;
mod payments;
mod probes;
mod schedule;
mod shown;
mod storage;
mod webhooks;

pub use authorities::Authorities;
pub use cte::{Cte, Transmission};
pub use dns::Dns;
pub use layers::Layers;
pub use lookups::Lookups;
pub use mail::{Mail, Security};
pub use messaging::Messaging;
pub use moving::Moving;
pub use packing::Packing;
pub use payments::Payments;
pub use probes::Probes;
pub use schedule::Schedule;

use crate::net::{Net, Outside};
use serde::Deserialize;
pub use shown::{Effective, effective, unknown};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
pub use storage::{Least, Storage};
pub use webhooks::Webhooks;

/// The defaults, also printed by `hub config`.
pub const DEFAULT: &str = include_str!("../../config.default.toml");

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
    pub cte: Cte,
    pub flow: Flow,
    pub limits: Limits,
    pub exports: Exports,
    pub packing: Packing,
    pub webhooks: Webhooks,
    pub panel: Panel,
    pub accounts: Accounts,
    pub payments: Payments,
    pub metrics: Metrics,
    pub admin: Admin,
    pub traces: Traces,
    pub mail: Mail,
    pub messaging: Messaging,
    pub lookups: Lookups,
    pub dns: Dns,
    pub probes: Probes,
    pub moving: Moving,
    pub log: Log,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub listen: String,
    pub base_url: String,
    pub trusted_proxies: Vec<String>,
    pub notice_s: u64,
    pub drain_s: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    pub url: String,
    pub url_file: PathBuf,
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
pub struct Vault {
    pub require_icp_brasil: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapters {
    pub folder: PathBuf,
    /// minisign public keys whose components may be installed.
    pub trusted_keys: Vec<String>,
    pub require_signature: bool,
    /// Days that rows of `adapter_uses` are kept.
    pub audit_days: u32,
    pub allow_nets: Vec<String>,
    pub ca: PathBuf,
    /// Host, and port where it is not 443, that the login is for.
    pub oci_host: String,
    pub oci_user: String,
    pub oci_password: Hidden,
    pub oci_password_file: PathBuf,
}

impl Adapters {
    /// Where components may be fetched from; the settings were checked when they
    /// were read.
    pub fn outside(&self) -> Outside {
        outside(&self.allow_nets)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    pub file: PathBuf,
    pub allow_nets: Vec<String>,
}

impl Registry {
    /// Where addresses of the registry may be; the settings were checked when they
    /// were read.
    pub fn outside(&self) -> Outside {
        outside(&self.allow_nets)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issuing {
    pub wait_ms: u64,
    pub idempotency_hours: u32,
    pub poll_ms: u64,
    pub distribution_pages: u32,
    pub gap_hours: u32,
}

impl Issuing {
    /// How long an `Idempotency-Key` stands for its request, in ms.
    pub fn idempotency_window_ms(&self) -> i64 {
        i64::from(self.idempotency_hours) * 3_600_000
    }

    /// How long it is kept, in ms: several windows, though it stands for one alone. A wall
    /// clock that jumps ahead for a while must not drop keys that still stand.
    pub fn idempotency_kept_ms(&self) -> i64 {
        8 * self.idempotency_window_ms()
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    pub step_ms: u64,
    pub describe_ms: u64,
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
            describe_ms: self.describe_ms,
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
pub struct Metrics {
    pub listen: String,
    pub collect_s: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admin {
    pub listen: String,
    pub token_file: PathBuf,
    /// Empty: no second factor is asked for.
    pub totp_file: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traces {
    pub endpoint: String,
    pub endpoint_file: PathBuf,
    pub queue: usize,
    pub batch: usize,
    pub gather_ms: u64,
    pub timeout_ms: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub level: String,
    pub format: String,
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

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

/// The line that tells a value which is not taken.
fn refused<T>(key: &str, value: impl Display, accepted: &str) -> Result<T, ConfigError> {
    Err(ConfigError(format!(
        "{key} = {value}: accepted are {accepted}"
    )))
}

fn within<T: PartialOrd + Display>(
    key: &str,
    value: T,
    accepted: RangeInclusive<T>,
) -> Result<(), ConfigError> {
    if accepted.contains(&value) {
        return Ok(());
    }
    let (least, most) = accepted.into_inner();
    refused(key, value, &format!("{least} to {most}"))
}

/// Each of the texts is a network.
fn networks(key: &str, texts: &[String]) -> Result<(), ConfigError> {
    match texts.iter().find(|text| text.parse::<Net>().is_err()) {
        Some(wrong) => refused(key, wrong, "networks, as 10.0.0.0/8 or fd00::/8"),
        None => Ok(()),
    }
}

/// The public internet, and networks that were checked when they were read.
fn outside(nets: &[String]) -> Outside {
    Outside::new(nets.iter().filter_map(|net| net.parse().ok()).collect())
}

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
        let layers = Layers::gather(file, environment, overrides)?;
        let mut config: Config = layers
            .table
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError(layers::one_line(&error)))?;
        config.check()?;
        let listen = &config.server.listen;
        if config.server.base_url.is_empty() && !listen.ends_with(":0") {
            config.server.base_url = format!("http://{listen}");
        }
        let base_url = config.server.base_url.trim_end_matches('/');
        config.server.base_url = base_url.to_owned();
        Ok(config)
    }

    pub fn database_url(&self) -> String {
        if self.database.url.is_empty() {
            format!("sqlite:{}", self.storage.data_dir.join("hub.db").display())
        } else {
            self.database.url.clone()
        }
    }

    /// Folders that a hub fills, with a word for each: the data folder (`data`), and that
    /// of the SQLite file where it is another one (`database`).
    pub fn folders(&self) -> Vec<(&'static str, PathBuf)> {
        let data_dir = &self.storage.data_dir;
        let mut folders = vec![("data", data_dir.clone())];
        let url = self.database_url();
        let file = url.strip_prefix("sqlite:");
        let file = file.map(|file| file.strip_prefix("//").unwrap_or(file));
        let file = file.and_then(|file| file.split('?').next());
        if let Some(folder) = file.and_then(|file| Path::new(file).parent())
            && folder != data_dir
        {
            let here = folder.as_os_str().is_empty();
            let folder = if here { Path::new(".") } else { folder };
            folders.push(("database", folder.to_owned()));
        }
        folders
    }

    pub fn adapters_folder(&self) -> PathBuf {
        if self.adapters.folder.as_os_str().is_empty() {
            self.storage.data_dir.join("adapters")
        } else {
            self.adapters.folder.clone()
        }
    }
}
