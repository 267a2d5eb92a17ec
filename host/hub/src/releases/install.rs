//! Installing a component: everything that can refuse it does so before anything
//! is kept.

use super::change::{self, Actor};
use super::signature;
use super::source::Offered;
use crate::adapter::{conformance, inspect, player};
use anyhow::Context as _;
use base::config::Config;
use base::faultpoint;
use flow::contract::permissions;
use flow::registry::Registry;
use flow::{LoadError, Loaded, Runtime};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::tables::releases::{self, NewComponent};
use store::{Db, TxError};

/// What was installed.
pub struct Installed {
    pub name: String,
    pub version: String,
    pub digest: String,
    /// False: it had been installed before.
    pub new: bool,
    /// Cases that were played.
    pub cases: usize,
    /// What it may do, one line each.
    pub may: Vec<String>,
}

/// Judges a component and keeps it as a staged release. `cases` is a folder with
/// recorded cases of the adapter, which are played too.
///
/// # Errors
/// One sentence: the signature, the sandbox, a case, a finding of conformance, or
/// the database.
pub async fn install(
    config: &Config,
    db: &Db,
    registry: Arc<Registry>,
    offered: Offered,
    cases: Option<PathBuf>,
    actor: &Actor,
) -> anyhow::Result<Installed> {
    let (settings, now_ms) = (config.clone(), actor.now_ms);
    // Compiling and playing take seconds of a processor.
    let judging = tokio::task::spawn_blocking(move || {
        judged(&settings, &registry, offered, cases.as_deref(), now_ms)
    });
    let Judged {
        component,
        cases,
        may,
    } = judging.await??;
    let (name, version) = (component.name.clone(), component.version.clone());
    let digest = component.digest.clone();
    let new = keep(db, component, actor).await?;
    Ok(Installed {
        name,
        version,
        digest,
        new,
        cases,
        may,
    })
}

/// A component that nothing refused, as it is kept.
pub(super) struct Judged {
    pub component: NewComponent,
    /// Cases that it passed.
    pub cases: usize,
    /// What it may do, one line each.
    pub may: Vec<String>,
}

/// Everything that can refuse a component.
pub(super) fn judged(
    config: &Config,
    registry: &Registry,
    offered: Offered,
    cases: Option<&Path>,
    now_ms: i64,
) -> anyhow::Result<Judged> {
    let Offered {
        label,
        bytes,
        signature,
    } = offered;
    let runtime = Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let signed_by = match signature {
        Some(offered) => signature::signer(&bytes, &offered.text, &config.adapters.trusted_keys)
            .context(offered.label)?,
        None if config.adapters.require_signature => {
            anyhow::bail!("{label}: the component has no signature (adapters.require_signature)")
        }
        None => String::new(),
    };
    let loaded = runtime
        .load(&bytes, Some(&config.storage.data_dir.join("cache")))
        .and_then(declared)
        .map_err(|error| anyhow::anyhow!("{label}: {}", line(&error.to_string())))?;
    let permissions = loaded.permissions.as_deref();
    let declared = permissions.map(serde_json::to_string).transpose()?;
    let may = permissions.map(permissions::lines).unwrap_or_default();
    let cases = played(&runtime, &loaded, cases)?;
    let findings = inspect::disagreements(&loaded, registry);
    anyhow::ensure!(
        findings.is_empty(),
        "{label}: the registry disagrees with the component: {}",
        findings.join("; ")
    );
    let component = NewComponent {
        name: loaded.description.name,
        digest: loaded.digest,
        version: loaded.description.version,
        signed_by,
        permissions: declared.unwrap_or_default(),
        component: bytes,
        now_ms,
    };
    Ok(Judged {
        component,
        cases,
        may,
    })
}

fn declared(loaded: Loaded) -> Result<Loaded, LoadError> {
    loaded.declared()?;
    Ok(loaded)
}

/// One line of what the engine says in several.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plays the cases and the inputs every adapter must handle.
fn played(runtime: &Runtime, loaded: &Loaded, folder: Option<&Path>) -> anyhow::Result<usize> {
    let cases = folder.map_or_else(|| Ok(Vec::new()), player::cases)?;
    for case in &cases {
        if let Err(error) = player::play(runtime, loaded, case) {
            anyhow::bail!("case {}: {error}", case.display());
        }
    }
    let findings = conformance::check(runtime, loaded, &cases);
    match findings.first() {
        None => Ok(cases.len()),
        Some(first) => anyhow::bail!(
            "the component does not conform ({} findings): {first}",
            findings.len()
        ),
    }
}

async fn keep(db: &Db, component: NewComponent, actor: &Actor) -> anyhow::Result<bool> {
    faultpoint::hit("install");
    let input = (component, actor.clone());
    let written = db.write(input, |(component, actor), conn| {
        Box::pin(async move {
            let new = releases::install(conn, component).await?;
            if new {
                let action = change::action(
                    actor,
                    "install",
                    &component.name,
                    &component.digest,
                    &component.version,
                );
                releases::record(conn, &action).await?;
            }
            faultpoint::hit("install, before commit");
            Ok::<_, TxError<Infallible>>(new)
        })
    });
    Ok(written.await?)
}
