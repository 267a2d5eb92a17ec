//! `[messaging]`: by whom messages of an app go.

use super::{ConfigError, Hidden, refused};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messaging {
    pub adapter: String,
    pub base_url: String,
    pub token: Hidden,
    pub token_file: PathBuf,
}

impl Messaging {
    /// `simulated`: the simulated provider is spoken to, wherever it is.
    pub(super) fn check(&self, simulated: bool) -> Result<(), ConfigError> {
        if !self.adapter.is_empty() && !simulated && !self.base_url.starts_with("https://") {
            return refused(
                "messaging.base_url",
                &self.base_url,
                "addresses that begin with https://, where messaging.adapter is set",
            );
        }
        Ok(())
    }
}
