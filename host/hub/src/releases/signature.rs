//! Who vouches for a component: a minisign signature (`minisign -S -m FILE`) by a
//! key the operator trusts.

use anyhow::Context as _;
use minisign_verify::{PublicKey, Signature};
use std::path::{Path, PathBuf};

/// Largest signature file.
const SIGNATURE_BYTES: u64 = 4 << 10;

/// Where `minisign` writes the signature of a file.
#[must_use]
pub fn file_of(component: &Path) -> PathBuf {
    let mut name = component.as_os_str().to_owned();
    name.push(".minisig");
    PathBuf::from(name)
}

/// The trusted key that signed these bytes.
///
/// # Errors
/// A sentence that says what is wrong: no signature, not one, or by nobody trusted.
pub fn signer(bytes: &[u8], signature: &Path, trusted: &[String]) -> anyhow::Result<String> {
    let text = flow::component::bounded::read(signature, SIGNATURE_BYTES).with_context(|| {
        format!(
            "{}: the component has no signature that can be read (adapters.require_signature)",
            signature.display()
        )
    })?;
    let text = String::from_utf8(text)
        .with_context(|| format!("{}: not a minisign signature", signature.display()))?;
    let signature_of = Signature::decode(&text)
        .map_err(|error| anyhow::anyhow!("{}: {error}", signature.display()))?;
    for key in trusted {
        let public = PublicKey::from_base64(key).map_err(|error| {
            anyhow::anyhow!("adapters.trusted_keys: {key:?} is no minisign public key: {error}")
        })?;
        if public.verify(bytes, &signature_of, false).is_ok() {
            return Ok(key.clone());
        }
    }
    anyhow::bail!(
        "{}: the signature is of no key of adapters.trusted_keys over this component",
        signature.display()
    )
}
