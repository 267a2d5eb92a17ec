//! `hub adapter pack`: an adapter as files that others install.

use super::install;
use super::oci::{self, Artifact, Place};
use super::source::Offered;
use crate::adapter::source::Source;
use anyhow::Context as _;
use base::config::Config;
use flow::contract::{PACKAGE, VERSION};
use flow::registry::Registry;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::process::Command;

/// The program that signs (package `minisign` of Debian).
const SIGNS: &str = "minisign";

/// What was written.
pub struct Packed {
    pub component: PathBuf,
    /// `NAME-VERSION.json`: what the component is.
    pub about: PathBuf,
    /// `NAME-VERSION.wasm.minisig`, where a key was given.
    pub signature: Option<PathBuf>,
    pub version: String,
}

/// Compiles an adapter, plays its cases and what every adapter must handle, and writes
/// it to a folder, signed by a secret key of minisign where one is given. The program
/// asks for the key's password.
///
/// # Errors
/// What the compiler or a judge says, or `minisign` cannot sign.
pub async fn pack(
    config: &Config,
    registry: Arc<Registry>,
    source: Source,
    out: &Path,
    key: Option<&Path>,
) -> anyhow::Result<Packed> {
    let mut settings = config.clone();
    // It gets its signature here, once it was judged.
    settings.adapters.require_signature = false;
    let judging = tokio::task::spawn_blocking(move || {
        let file = source.build(&source.scratch())?;
        let offered = Offered {
            label: source.name.clone(),
            bytes: std::fs::read(&file)?,
            signature: None,
        };
        install::judged(&settings, &registry, offered, Some(&source.folder), 0)
    });
    let install::Judged {
        component,
        cases,
        may,
    } = judging.await??;
    let stem = format!("{}-{}", component.name, component.version);
    let about = json!({
        "name": component.name,
        "version": component.version,
        "digest": component.digest,
        "contract": format!("{PACKAGE}@{VERSION}"),
        "cases": cases,
        "may": may,
        "size": component.component.len(),
    });
    std::fs::create_dir_all(out)?;
    let packed = Packed {
        component: out.join(format!("{stem}.wasm")),
        about: out.join(format!("{stem}.json")),
        signature: key.map(|_| out.join(format!("{stem}.wasm.minisig"))),
        version: component.version,
    };
    std::fs::write(&packed.component, &component.component)?;
    std::fs::write(&packed.about, format!("{about:#}\n"))?;
    if let Some(key) = key {
        let comment = format!("{stem} sha256:{}", component.digest);
        sign(&packed.component, key, &comment).await?;
    }
    Ok(packed)
}

/// Refuses an upload that cannot succeed, before the release is made.
///
/// # Errors
/// The address is none of an artifact, names no tag, or names a digest; or there is no
/// signature where one is asked for.
pub fn may_push(config: &Config, address: &str, signed: bool) -> anyhow::Result<()> {
    let place = Place::parse(address).with_context(|| address.to_owned())?;
    place.upload_tag().with_context(|| address.to_owned())?;
    anyhow::ensure!(
        signed || !config.adapters.require_signature,
        "{address}: nobody could install a release without a signature: sign it with --key"
    );
    Ok(())
}

/// Uploads what was packed to an OCI registry, under the tag of the address
/// (`oci://HOST/REPOSITORY:TAG`); the address by the digest of what was uploaded.
///
/// # Errors
/// As [`may_push`], a file cannot be read, or a sentence about the registry.
pub async fn push(config: &Config, packed: &Packed, address: &str) -> anyhow::Result<String> {
    may_push(config, address, packed.signature.is_some())?;
    let signature = packed.signature.as_deref().map(file).transpose()?;
    let artifact = Artifact {
        version: packed.version.clone(),
        component: file(&packed.component)?,
        signature,
        about: file(&packed.about)?,
    };
    let pushed = oci::push(address, config, &artifact).await;
    pushed.with_context(|| address.to_owned())
}

/// The name of a file, and what is in it.
fn file(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let name = path.file_name().unwrap_or_default();
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok((name.to_string_lossy().into_owned(), bytes))
}

async fn sign(file: &Path, key: &Path, comment: &str) -> anyhow::Result<()> {
    let signing = Command::new(SIGNS)
        .arg("-S")
        .arg("-s")
        .arg(key)
        .arg("-m")
        .arg(file)
        .args(["-t", comment])
        .status();
    let status = signing
        .await
        .with_context(|| format!("{SIGNS} cannot be started: install it to sign"))?;
    anyhow::ensure!(status.success(), "{SIGNS} did not sign {}", file.display());
    Ok(())
}
