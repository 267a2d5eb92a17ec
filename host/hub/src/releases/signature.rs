//! Who vouches for a component: a minisign signature (`minisign -S -m FILE`) by a
//! key the operator trusts.

use anyhow::Context as _;
use minisign_verify::{PublicKey, Signature};
use std::path::{Path, PathBuf};

/// Largest signature file.
pub const SIGNATURE_BYTES: u64 = 4 << 10;

/// Where `minisign` writes the signature of a file.
#[must_use]
fn file_of(component: &Path) -> PathBuf {
    let mut name = component.as_os_str().to_owned();
    name.push(".minisig");
    PathBuf::from(name)
}

/// The signature beside a component file.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn beside(component: &Path) -> anyhow::Result<String> {
    let signature = file_of(component);
    let text = flow::component::bounded::read(&signature, SIGNATURE_BYTES).with_context(|| {
        format!(
            "{}: the component has no signature that can be read (adapters.require_signature)",
            signature.display()
        )
    })?;
    text_of(text)
}

/// What a signature file says.
///
/// # Errors
/// It is too large, or no text.
pub fn text_of(bytes: Vec<u8>) -> anyhow::Result<String> {
    let short = u64::try_from(bytes.len()).is_ok_and(|length| length <= SIGNATURE_BYTES);
    anyhow::ensure!(short, "the signature has more than {SIGNATURE_BYTES} bytes");
    String::from_utf8(bytes).context("the signature is none of minisign")
}

/// The trusted key that signed these bytes.
///
/// # Errors
/// A sentence that says what is wrong: not a signature, or by nobody trusted.
pub fn signer(bytes: &[u8], signature: &str, trusted: &[String]) -> anyhow::Result<String> {
    let signature = Signature::decode(signature)
        .map_err(|error| anyhow::anyhow!("the signature is none of minisign: {error}"))?;
    for key in trusted {
        let public = PublicKey::from_base64(key).map_err(|error| {
            anyhow::anyhow!("adapters.trusted_keys: {key:?} is no minisign public key: {error}")
        })?;
        if public.verify(bytes, &signature, false).is_ok() {
            return Ok(key.clone());
        }
    }
    anyhow::bail!("the signature is of no key of adapters.trusted_keys over this component")
}
