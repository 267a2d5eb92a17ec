//! `hub adapter pack`: an adapter of the checkout as files that others install.

use super::install;
use super::source::Offered;
use crate::adapter::build;
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
    /// Whether `NAME-VERSION.wasm.minisig` is there.
    pub signed: bool,
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
    workspace: PathBuf,
    name: &str,
    out: &Path,
    key: Option<&Path>,
) -> anyhow::Result<Packed> {
    let mut settings = config.clone();
    // It gets its signature here, once it was judged.
    settings.adapters.require_signature = false;
    let (name, built) = (
        name.to_owned(),
        workspace.join("target/adapters/components"),
    );
    let judging = tokio::task::spawn_blocking(move || {
        let file = build::build(&workspace, &name, &built)?;
        let offered = Offered {
            label: name.clone(),
            bytes: std::fs::read(&file)?,
            signature: None,
        };
        let cases = workspace.join("plugins").join(&name);
        install::judged(&settings, &registry, offered, Some(&cases), 0)
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
        signed: key.is_some(),
    };
    std::fs::write(&packed.component, &component.component)?;
    std::fs::write(&packed.about, format!("{about:#}\n"))?;
    if let Some(key) = key {
        let comment = format!("{stem} sha256:{}", component.digest);
        sign(&packed.component, key, &comment).await?;
    }
    Ok(packed)
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
