//! `hub restore`: a backup becomes the hub of an empty data folder.

use super::manifest::Manifest;
use super::source::Source;
use super::{DATABASE, FILES, UNFINISHED, is_empty, remove_database, sqlite_file};
use crate::custody;
use anyhow::Context as _;
use base::config::Config;
use base::files;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use store::checks::{self, Finding};
use store::tables::exportacoes;
use store::{Db, TxError, copy};
use vault::envelope::Keyring;

/// The database of a backup on its way into PostgreSQL.
const PASSING: &str = "restore.db";

/// What came back.
pub struct Restored {
    pub manifest: Manifest,
    /// Which of the folder's generations; None: the folder is one backup.
    pub generation: Option<u64>,
    /// Where it is now, without a password.
    pub database: String,
    /// What `hub doctor` says of it.
    pub findings: Vec<Finding>,
    /// How many certificates and secrets the restored keys open, and which ones
    /// they do not.
    pub readable: u64,
    pub unreadable: Vec<String>,
}

/// Restores a backup into the data folder and database of the settings, which
/// must be empty.
///
/// # Errors
/// The backup is damaged, or there is something in its place; nothing of it
/// is left then.
pub async fn restore(
    config: &Config,
    folder: &Path,
    generation: Option<u64>,
    now_ms: i64,
) -> anyhow::Result<Restored> {
    let source = Source::open(folder, generation)?;
    let data_dir = &config.storage.data_dir;
    let named = || format!("data folder {}", data_dir.display());
    anyhow::ensure!(
        is_empty(data_dir).with_context(named)?,
        "data folder {} is not empty: a backup is restored only into an empty folder; name another with --data-dir",
        data_dir.display()
    );
    let place = Place::of(config)?;
    if let Place::File(file) = &place {
        anyhow::ensure!(
            !file.exists(),
            "{} exists: a backup is restored only where there is no database yet; move this file, or name another address in the settings",
            file.display()
        );
    }
    // All of it first: half a hub helps nobody.
    source.check()?;
    let was_there = data_dir.exists();
    files::folder(data_dir).with_context(named)?;
    // A hub that finds it does not start: who is killed here undoes nothing.
    let mark = data_dir.join(UNFINISHED);
    std::fs::write(&mark, b"hub restore\n")?;
    let brought = bring(config, &source, &place).await;
    if brought.is_err() {
        undo(data_dir, was_there, &place);
    }
    brought?;
    // All of it is there: what is found out from here on takes nothing away.
    std::fs::remove_file(&mark)?;
    let looked = look(config, now_ms).await;
    let (findings, report) =
        looked.context("everything came back, but could not be looked at; `hub doctor` can")?;
    Ok(Restored {
        database: place.to_string(),
        findings,
        readable: report.readable(),
        unreadable: report.unreadable,
        generation: source.generation(),
        manifest: source.into_manifest(),
    })
}

/// Puts files and rows where they belong.
async fn bring(config: &Config, source: &Source, place: &Place) -> anyhow::Result<()> {
    let manifest = source.manifest();
    let data_dir = &config.storage.data_dir;
    let url = &config.database_url();
    // No hub begins in a folder that is half there.
    let _lock = files::lock(&data_dir.join(files::HUB))?;
    for (name, expected) in &manifest.files {
        let Some(inside) = name.strip_prefix(&format!("{FILES}/")) else {
            continue;
        };
        let to = data_dir.join(inside);
        if let Some(folder) = to.parent() {
            files::folder(folder)?;
        }
        source.put(name, &to, expected)?;
    }
    let file = match place {
        Place::File(file) => file.clone(),
        Place::Server => data_dir.join(PASSING),
    };
    source.put(DATABASE, &file, &manifest.files[DATABASE])?;
    let mut conn = copy::reading(&file)?;
    let tables = Manifest::tables_of(&copy::counts(&mut conn).await?);
    drop(conn);
    anyhow::ensure!(
        tables == manifest.tables,
        "the tables do not have the rows the manifest says"
    );
    if matches!(place, Place::Server) {
        let mut from = copy::migrated(&copy::sqlite_url(&file)).await?;
        let mut to = copy::migrated(url).await?;
        anyhow::ensure!(
            copy::hubs(&mut to).await? == 0,
            "a hub is running on the database: stop it first"
        );
        copy::copy(&mut from, &mut to).await?;
        drop(from);
        // The rows are there for good now: a file that stays is in the way of
        // nothing but the disk.
        if let Err(error) = remove_database(&file) {
            tracing::warn!(%error, file = %file.display(), "a copy of the database is left: remove it");
        }
    }
    Ok(())
}

/// What came back, as `hub doctor` and `hub vault verify` see it.
async fn look(config: &Config, now_ms: i64) -> anyhow::Result<(Vec<Finding>, custody::Report)> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    // Their files were left out.
    let expired = db.write(now_ms, |now_ms, conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(exportacoes::expire_all(conn, *now_ms).await?)
        })
    });
    expired.await?;
    let mut conn = db.read().await?;
    let findings = checks::run(&mut conn).await?;
    drop(conn);
    let keys = config.storage.data_dir.join("vault.keys");
    let keyring = Keyring::load_or_create(&keys).context("keyring")?;
    let report = custody::verify(&db, &keyring).await?;
    Ok((findings, report))
}

/// Where the database goes.
enum Place {
    File(PathBuf),
    Server,
}

impl Place {
    fn of(config: &Config) -> anyhow::Result<Place> {
        let url = config.database_url();
        anyhow::ensure!(
            !url.starts_with("sqlite:") || !url.contains('?'),
            "database.url: a backup is restored to a plain sqlite:/path/hub.db"
        );
        Ok(sqlite_file(&url).map_or(Place::Server, Place::File))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::File(file) => write!(f, "{}", file.display()),
            Place::Server => f.write_str("PostgreSQL (database.url)"),
        }
    }
}

/// Removes what a failed restore wrote: the folder was empty before, so
/// everything in it.
fn undo(data_dir: &Path, was_there: bool, place: &Place) {
    let mut undone = Ok(());
    if let Place::File(file) = place {
        undone = remove_database(file);
    }
    for entry in std::fs::read_dir(data_dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let removed = if path.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        undone = undone.and(removed);
    }
    if !was_there {
        undone = undone.and(std::fs::remove_dir(data_dir));
    }
    if let Err(error) = undone {
        tracing::error!(%error, folder = %data_dir.display(), "half a restored hub is left: remove it");
    }
}
