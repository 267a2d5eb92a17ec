//! `[payments]`: who sells credits.

use super::{ConfigError, Hidden, refused, within};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payments {
    pub adapter: String,
    pub base_url: String,
    pub token: Hidden,
    pub token_file: PathBuf,
    pub callback_secret: Hidden,
    pub callback_secret_file: PathBuf,
    pub pix_minutes: i64,
    pub card_minutes: i64,
    pub boleto_days: i64,
    pub open_purchases: i64,
}

impl Payments {
    /// The shortest secret of callbacks.
    pub const SECRET_CHARS: usize = 16;

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !self.adapter.is_empty() && !self.base_url.starts_with("https://") {
            return refused(
                "payments.base_url",
                &self.base_url,
                "addresses that begin with https://, where payments.adapter is set",
            );
        }
        let secret = self.callback_secret.expose().len();
        if secret > 0 && secret < Payments::SECRET_CHARS {
            // The value is a secret: it is not shown.
            return refused("payments.callback_secret", "…", "16 characters and more");
        }
        within("payments.pix_minutes", self.pix_minutes, 1..=1_440)?;
        within("payments.card_minutes", self.card_minutes, 1..=10_080)?;
        within("payments.boleto_days", self.boleto_days, 1..=30)?;
        within("payments.open_purchases", self.open_purchases, 1..=1_000)
    }
}
