//! `[moving]`: doors for customers of other services.

use super::{ConfigError, within};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moving {
    /// Whether the shapes of Focus NFe's API are answered below `/v2`.
    pub focus: bool,
    /// Hours for which the paths of files in those answers open without a key.
    pub link_hours: u32,
}

impl Moving {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        within("moving.link_hours", self.link_hours, 0..=8_784)
    }
}
