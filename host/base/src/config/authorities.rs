//! The settings of `[authorities]`.

use super::{AuthoritiesMode, ConfigError, refused};
use serde::Deserialize;
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

    /// Whether an address is one of http that nothing may be sent to: its host is not
    /// in `plain_http`.
    pub fn refuses_plain(&self, url: &str) -> bool {
        let Some(rest) = url.strip_prefix("http://") else {
            return false;
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // What stands before an @ is no host: such an address is never accepted.
        let host = authority.split(':').next().unwrap_or_default();
        let host = host.to_ascii_lowercase();
        authority.contains('@')
            || !self.plain_http.iter().any(|entry| {
                let entry = entry.to_ascii_lowercase();
                entry == "*" || entry == host || entry.starts_with('.') && host.ends_with(&entry)
            })
    }
}

/// A name, an ending of names, or all.
fn is_entry(entry: &str) -> bool {
    let name = entry.strip_prefix('.').unwrap_or(entry);
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    entry == "*" || !name.is_empty() && !name.ends_with('.') && name.bytes().all(letter)
}
