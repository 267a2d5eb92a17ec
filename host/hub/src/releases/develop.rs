//! `hub adapter dev`: a contributor's adapter is compiled, judged and put into use in
//! a running hub each time that one of its files is saved.

use super::change::{self, Actor, Change, Consent};
use super::install;
use super::source::Offered;
use crate::adapter::source::Source;
use anyhow::Context as _;
use base::config::Config;
use base::files;
use flow::registry::Registry;
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use store::tables::releases::{self, ReleaseStatus};
use store::{Db, TxError};

/// How often the files are looked at.
const EVERY: Duration = Duration::from_millis(300);
/// Folders that tools write.
const SKIPPED: [&str; 2] = ["node_modules", "build"];

/// An adapter that is being written.
pub struct Bench {
    pub config: Config,
    pub db: Db,
    pub registry: Arc<Registry>,
    pub source: Source,
    /// Digests of releases that this command put into use, the oldest first.
    pub made: Vec<String>,
}

impl Bench {
    /// Compiles the adapter, plays its cases and what every adapter must handle, and
    /// makes it the active release; what it did, in a sentence.
    ///
    /// # Errors
    /// What the compiler or a judge says; the release of before stays in use.
    pub async fn round(&mut self, now_ms: i64) -> anyhow::Result<String> {
        let source = self.source.clone();
        let built = tokio::task::spawn_blocking(move || source.build(&source.scratch()));
        let bytes = std::fs::read(built.await??)?;
        if self.in_use(&bytes).await? {
            return Ok(format!("{}: in use already", self.source.name));
        }
        let offered = Offered {
            label: self.source.name.clone(),
            bytes,
            signature: None,
        };
        let actor = Actor {
            name: "dev".to_owned(),
            now_ms,
        };
        let cases = Some(self.source.folder.clone());
        let registry = self.registry.clone();
        let installed =
            install::install(&self.config, &self.db, registry, offered, cases, &actor).await?;
        let (name, digest) = (installed.name, installed.digest);
        let activate = Change::Activate(digest.clone());
        // What a contributor is writing may ask for whatever the hub lets an adapter do.
        let consent = Consent {
            allow_more: true,
            ..Consent::default()
        };
        change::make(&self.db, &name, activate, &consent, &actor).await?;
        if installed.new {
            self.made.push(digest.clone());
            self.forget(&name).await?;
        }
        Ok(format!(
            "{name} {} {}: {} cases passed; active, in use where a hub runs as soon as it has compiled it",
            installed.version,
            &digest[..12],
            installed.cases
        ))
    }

    /// A comment that changed changes no component.
    async fn in_use(&self, bytes: &[u8]) -> anyhow::Result<bool> {
        let digest = flow::hex(&Sha256::digest(bytes));
        let mut conn = self.db.read().await?;
        let all = releases::followed(&mut conn).await?;
        let release = all.iter().find(|release| release.digest == digest);
        Ok(release.is_some_and(|release| release.status == ReleaseStatus::Active))
    }

    /// Deletes what this command made and nothing falls back to: each save would leave
    /// a component in the database. Hubs keep what their flows began with.
    ///
    /// # Errors
    /// The database failed.
    pub async fn forget(&mut self, name: &str) -> anyhow::Result<()> {
        // The newest is active, the one before it is what a rollback uses.
        while self.made.len() > 2 {
            let input = (name.to_owned(), self.made.remove(0));
            let forgotten = self.db.write(input, |(name, digest), conn| {
                Box::pin(async move {
                    releases::forget(conn, name, digest).await?;
                    Ok::<_, TxError<Infallible>>(())
                })
            });
            forgotten.await?;
        }
        Ok(())
    }

    /// Rounds until the program is ended, one for each change of the files; `say` is
    /// told what came of each.
    ///
    /// # Errors
    /// The folder of the adapter cannot be read.
    pub async fn watch(
        mut self,
        clock: base::when::Clock,
        say: impl Fn(&str),
    ) -> anyhow::Result<Infallible> {
        say(&format!(
            "{}: made and judged at each save, until Ctrl-C",
            self.source.folder.display()
        ));
        let mut before = None;
        loop {
            let newest = self.newest()?;
            if before != Some(newest) {
                before = Some(newest);
                match self.round(clock()).await {
                    Ok(done) => say(&format!("{done}{}", waits(&self.config)?)),
                    Err(error) => say(&format!(
                        "{error:#}\n{name}: not taken up; if the cases have to change: \
                         hub adapter test {folder} --record",
                        name = self.source.name,
                        folder = self.source.folder.display(),
                    )),
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// The moment of the newest change, and how many files there are.
    fn newest(&self) -> anyhow::Result<(SystemTime, usize)> {
        let mut found = (SystemTime::UNIX_EPOCH, 0);
        for folder in self.source.parts() {
            visit(&folder, &mut found)?;
        }
        Ok(found)
    }
}

/// What must happen before anything uses an active release; empty: nothing. On PostgreSQL
/// nobody knows which hubs run.
///
/// # Errors
/// The lock of the data folder cannot be read.
pub fn waits(config: &Config) -> anyhow::Result<String> {
    let folder = &config.storage.data_dir;
    let alone = config.database_url().starts_with("sqlite:");
    if !alone || files::held(&folder.join(files::HUB))? {
        return Ok(String::new());
    }
    Ok(format!(
        "; no hub runs with the data folder {}: the next one that starts uses it",
        folder.display()
    ))
}

fn visit(folder: &Path, found: &mut (SystemTime, usize)) -> anyhow::Result<()> {
    let about = || folder.display().to_string();
    for entry in std::fs::read_dir(folder).with_context(about)? {
        let entry = entry.with_context(about)?;
        // An editor's temporary file may be gone by now.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let name = entry.file_name();
        if metadata.is_dir() && SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        if metadata.is_dir() {
            visit(&entry.path(), found)?;
            continue;
        }
        found.0 = found.0.max(metadata.modified()?);
        found.1 += 1;
    }
    Ok(())
}
