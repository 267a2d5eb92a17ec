//! What is sealed of a webhook: its secrets, and the headers it adds.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::ids::{AccountId, WebhookId};
use store::tables::webhooks::WebhookRow;
use vault::envelope::{Aad, EnvelopeError, Keyring};

/// What is sealed of a webhook.
#[derive(Serialize, Deserialize)]
pub struct Sealed {
    pub segredo: String,
    /// The secret before the last rotation.
    pub anterior: Option<String>,
    pub cabecalhos: BTreeMap<String, String>,
}

/// Where a webhook's secrets belong.
pub fn aad<'a>(account: &'a AccountId, webhook: &'a WebhookId) -> Aad<'a> {
    Aad {
        account,
        owner: webhook,
        purpose: "webhook",
        version: 1,
    }
}

/// Opens what is sealed of a webhook.
///
/// # Errors
/// The blob was changed or its key is not in the keyring.
pub fn open(keyring: &Keyring, row: &WebhookRow) -> anyhow::Result<Sealed> {
    let plain = keyring.open(&row.sealed, &aad(&row.account_id, &row.id))?;
    Ok(serde_json::from_slice(&plain)?)
}

/// Seals it.
///
/// # Errors
/// No key of the keyring works.
pub fn seal(
    keyring: &Keyring,
    row: &WebhookRow,
    sealed: &Sealed,
) -> Result<Vec<u8>, EnvelopeError> {
    let plain = zeroize::Zeroizing::new(serde_json::to_vec(sealed).unwrap_or_default());
    keyring.seal(&plain, &aad(&row.account_id, &row.id))
}
