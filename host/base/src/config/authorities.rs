//! The settings of `[authorities]`.

use super::{AuthoritiesMode, ConfigError, refused};
use reqwest::Url;
use serde::Deserialize;
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authorities {
    pub mode: AuthoritiesMode,
    pub simulator: String,
    pub simulator_ca: PathBuf,
    pub simulator_cases: PathBuf,
    pub timeout_ms: u64,
    pub connect_timeout_ms: u64,
    /// Hosts that requests go to without TLS where the registry's address is http.
    pub plain_http: Vec<String>,
}

impl Authorities {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let wrong = self.plain_http.iter().find(|entry| !is_entry(entry));
        match wrong {
            Some(wrong) => refused(
                "authorities.plain_http",
                wrong,
                "names of hosts, as ws.cidade.sp.gov.br; endings that begin with a dot, as .sp.gov.br; or * for all",
            ),
            None => Ok(()),
        }
    }

    /// Whether no note of this hub is ever sent to an address.
    pub fn never_sends(&self, url: &str) -> bool {
        self.mode == AuthoritiesMode::Official && self.refuses_plain(url)
    }

    /// Whether an address is one of http that nothing may be sent to: its host is not
    /// in `plain_http`.
    pub fn refuses_plain(&self, url: &str) -> bool {
        self.refused_host(url).is_some()
    }

    /// The host of an address of http that nothing may be sent to.
    pub fn refused_host<'u>(&self, url: &'u str) -> Option<&'u str> {
        let rest = url.strip_prefix("http://")?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.split(':').next().unwrap_or_default();
        let normal = normal(host);
        let is_address = normal.parse::<IpAddr>().is_ok();
        let named = self.plain_http.iter().any(|entry| {
            let entry = entry.to_ascii_lowercase();
            if entry.starts_with('.') {
                return !is_address && normal.ends_with(&entry);
            }
            entry == "*" || self::normal(&entry) == normal
        });
        // What stands before an @ is no host: such an address is never accepted.
        (authority.contains('@') || !named).then_some(host)
    }
}

/// A host in the one form that requests have: small letters, and addresses as 127.0.0.1
/// however they were written (127.1). What is no host stays as it is.
fn normal(host: &str) -> String {
    let url = Url::parse(&format!("http://{host}/")).ok();
    let normal = url.as_ref().and_then(Url::host_str);
    normal.unwrap_or(host).to_ascii_lowercase()
}

/// A name, an ending of names, or all.
fn is_entry(entry: &str) -> bool {
    let name = entry.strip_prefix('.').unwrap_or(entry);
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    entry == "*" || !name.is_empty() && !name.ends_with('.') && name.bytes().all(letter)
}
