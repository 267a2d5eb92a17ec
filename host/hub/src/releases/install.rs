//! Installing a component: everything that can refuse it does so before anything
//! is kept.

use super::change::{self, Actor};
use super::signature;
use crate::adapter::{conformance, inspect, player};
use anyhow::Context as _;
use base::config::Config;
use flow::registry::Registry;
use flow::{Loaded, Runtime};
use std::convert::Infallible;
use std::path::Path;
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
}

/// Judges a component file and keeps it as a staged release. `cases` is a folder
/// with recorded cases of the adapter, which are played too.
///
/// # Errors
/// One sentence: the signature, the sandbox, a case, a finding of conformance, or
/// the database.
pub async fn install(
    config: &Config,
    db: &Db,
    registry: &Registry,
    file: &Path,
    cases: Option<&Path>,
    actor: &Actor,
) -> anyhow::Result<Installed> {
    let runtime = Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let limit = u64::try_from(runtime.limits().component_bytes).unwrap_or(u64::MAX);
    let bytes = flow::component::bounded::read(file, limit).with_context(|| {
        format!(
            "{}: cannot be read, or has more than {limit} bytes",
            file.display()
        )
    })?;
    let signed_by = if config.adapters.require_signature {
        let signature = signature::file_of(file);
        signature::signer(&bytes, &signature, &config.adapters.trusted_keys)?
    } else {
        String::new()
    };
    let loaded = runtime
        .load(&bytes, Some(&config.storage.data_dir.join("cache")))
        .map_err(|error| anyhow::anyhow!("{}: {}", file.display(), line(&error.to_string())))?;
    let played = judged(&runtime, &loaded, cases)?;
    let findings = inspect::disagreements(&loaded, registry);
    anyhow::ensure!(
        findings.is_empty(),
        "{}: the registry disagrees with the component: {}",
        file.display(),
        findings.join("; ")
    );
    let component = NewComponent {
        name: loaded.description.name.clone(),
        digest: loaded.digest.clone(),
        version: loaded.description.version.clone(),
        signed_by,
        component: bytes,
        now_ms: actor.now_ms,
    };
    let new = keep(db, component, actor).await?;
    Ok(Installed {
        name: loaded.description.name,
        version: loaded.description.version,
        digest: loaded.digest,
        new,
        cases: played,
    })
}

/// One line of what the engine says in several.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plays the cases and the inputs every adapter must handle.
fn judged(runtime: &Runtime, loaded: &Loaded, folder: Option<&Path>) -> anyhow::Result<usize> {
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
            Ok::<_, TxError<Infallible>>(new)
        })
    });
    Ok(written.await?)
}
