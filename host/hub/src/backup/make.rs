//! `hub backup`, also while hubs run and issue.

use super::manifest::{self, Content, Manifest};
use super::target::{Target, named};
use super::{DATABASE, FILES, MANIFEST, OBJECTS, REMADE, is_empty, remove_database, sqlite_file};
use anyhow::Context as _;
use base::config::Config;
use base::files;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::Conn;
use store::copy;
use store::copy::frozen::Frozen;
use store::tables::objetos::{self, ArquivoRow};

/// Where the database of a server passes through that is cut into pieces.
const PASSING: &str = "passing.db";
/// Rows of objects read at a time.
const PAGE: i64 = 1_000;

/// A backup that was made.
pub struct Made {
    pub manifest: Manifest,
    /// What is not in it, and must be kept otherwise.
    pub absent: Vec<String>,
    /// Of SQLite: what it took to hold one moment of the database.
    pub held: Option<Held>,
}

/// What it took to hold one moment of a SQLite database while its pages were read.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub time: Duration,
    /// Bytes of the `-wal` file at the end: what was written meanwhile is in it.
    pub wal_bytes: u64,
}

/// What was taken of a hub, and where it is.
pub struct Taken {
    pub target: Target,
    pub made: Made,
}

/// Makes a backup in a folder that is empty or not there.
///
/// # Errors
/// The folder has no manifest then, so that nobody takes it for a backup.
pub async fn make(config: &Config, folder: &Path, now_ms: i64) -> anyhow::Result<Made> {
    fit(config, folder)?;
    anyhow::ensure!(
        is_empty(folder).with_context(|| folder.display().to_string())?,
        "{} is not empty: each backup has a folder of its own",
        folder.display()
    );
    files::folder(folder)?;
    files::folder(&folder.join(FILES))?;
    let target = Target::Folder(folder.to_owned());
    let taken = take(config, folder, target, now_ms).await?;
    let text = serde_json::to_vec_pretty(&taken.made.manifest)?;
    files::replace(&folder.join(MANIFEST), &text)?;
    files::durable(&folder.join(MANIFEST))?;
    Ok(taken.made)
}

/// Refuses what would make no backup.
///
/// # Errors
/// The data folder has no keys, or the backup would stand in it.
pub fn fit(config: &Config, folder: &Path) -> anyhow::Result<()> {
    let data_dir = &config.storage.data_dir;
    for key in ["vault.keys", "api-keys.pepper"] {
        let path = data_dir.join(key);
        anyhow::ensure!(
            path.exists(),
            "{} does not exist: is storage.data_dir right? Without it a backup is useless. On a folder that no hub has used, `hub serve` makes it; on any other it is lost: bring it back from a backup",
            path.display()
        );
    }
    anyhow::ensure!(
        !std::path::absolute(folder)?.starts_with(std::path::absolute(data_dir)?),
        "{} is inside the data folder: a backup stands elsewhere, best on another disk",
        folder.display()
    );
    Ok(())
}

/// Takes everything that a backup has. `folder` is where a database passes through that
/// is no file.
///
/// # Errors
/// Something could not be read or kept.
pub async fn take(
    config: &Config,
    folder: &Path,
    target: Target,
    now_ms: i64,
) -> anyhow::Result<Taken> {
    let data_dir = &config.storage.data_dir;
    let url = config.database_url();
    let sqlite = url.starts_with("sqlite:");
    let local = config.storage.s3_bucket.is_empty();
    // From here on no hub removes the file of an object or of a record that moved.
    let kept = files::lock(&data_dir.join(files::BACKUP))
        .context("is another backup of this data folder being made?")?;
    let (target, seen) = if sqlite {
        held(&url, target, config.storage.free_space_floor).await?
    } else {
        unloaded(&url, target, folder).await?
    };
    let mut copied = Files {
        from: data_dir.clone(),
        target,
        database: sqlite_file(&url).map(std::path::absolute).transpose()?,
        found: BTreeMap::new(),
        absent: absent(config),
    };
    if local {
        copied.objects(seen.objects)?;
    }
    // After the database: a key that a rotation added meanwhile is there.
    copied.folder(Path::new(""))?;
    drop(kept);
    let mut files = copied.found;
    files.insert(DATABASE.to_owned(), seen.content);
    let manifest = Manifest {
        format: manifest::FORMAT,
        hub: env!("CARGO_PKG_VERSION").to_owned(),
        made_at_ms: now_ms,
        engine: if sqlite { "sqlite" } else { "postgres" }.to_owned(),
        migrations: seen.migrations,
        s3_bucket: config.storage.s3_bucket.clone(),
        files,
        tables: seen.tables,
    };
    Ok(Taken {
        target: copied.target,
        made: Made {
            manifest,
            absent: copied.absent,
            held: seen.held,
        },
    })
}

/// What a database has, at the moment it was copied.
struct Seen {
    content: Content,
    tables: BTreeMap<String, u64>,
    migrations: Vec<i64>,
    objects: Vec<ArquivoRow>,
    held: Option<Held>,
}

/// Copies a SQLite database page by page, as it is now; what it holds is read beside
/// that, so that the moment is held as briefly as can be.
async fn held(url: &str, mut target: Target, floor: u64) -> anyhow::Result<(Target, Seen)> {
    let url = url.to_owned();
    let frozen = tokio::task::spawn_blocking(move || Frozen::take(&url));
    let mut frozen = frozen.await??;
    let begun = Instant::now();
    let pages = frozen.pages.clone();
    let copying = tokio::task::spawn_blocking(move || {
        let content = target.database(&pages, floor);
        (target, content)
    });
    let seen = seen(&mut frozen.conn).await;
    let (target, content) = copying.await?;
    let held = Held {
        time: begun.elapsed(),
        wal_bytes: frozen.pages.wal_bytes()?,
    };
    drop(frozen);
    let seen = Seen {
        content: content.context(DATABASE)?,
        held: Some(held),
        ..seen?
    };
    Ok((target, seen))
}

/// Copies any other database, row by row.
async fn unloaded(url: &str, mut target: Target, folder: &Path) -> anyhow::Result<(Target, Seen)> {
    let file = match &target {
        Target::Folder(folder) => folder.join(DATABASE),
        Target::Pieces(_) => folder.join(PASSING),
    };
    // What an earlier one left that was killed.
    remove_database(&file)?;
    copy::unload(url, &file).await?;
    let mut conn = copy::reading(&file)?;
    let seen = seen(&mut conn).await?;
    drop(conn);
    let content = match &mut target {
        Target::Folder(_) => manifest::content(&file)?,
        Target::Pieces(_) => {
            let content = target.file(DATABASE, &file)?;
            remove_database(&file)?;
            content
        }
    };
    Ok((target, Seen { content, ..seen }))
}

/// All but the content of a database.
async fn seen(conn: &mut Conn) -> anyhow::Result<Seen> {
    let tables = Manifest::tables_of(&copy::counts(conn).await?);
    let migrations = copy::versions(conn).await?;
    let (mut objects, mut after) = (Vec::new(), String::new());
    loop {
        let page = objetos::arquivos(conn, &after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after.clone_from(&last.arquivo);
        objects.extend(page);
    }
    Ok(Seen {
        content: manifest::content_of(b""),
        tables,
        migrations,
        objects,
        held: None,
    })
}

fn absent(config: &Config) -> Vec<String> {
    let mut absent = Vec::new();
    let bucket = &config.storage.s3_bucket;
    if !bucket.is_empty() {
        absent.push(format!(
            "objects of customers, and records that moved: they are in the bucket {bucket}, keep it by its own means"
        ));
    }
    let outside =
        |path: &Path| !path.as_os_str().is_empty() && !path.starts_with(&config.storage.data_dir);
    for (key, path) in [
        ("adapters.folder", &config.adapters.folder),
        ("registry.file", &config.registry.file),
    ] {
        if outside(path) {
            absent.push(format!(
                "{key}: {} is outside of the data folder",
                path.display()
            ));
        }
    }
    absent.push("settings: the file given by --config and the HUB_ variables".to_owned());
    absent
}

/// Whether a file is what simulated authorities know, or a companion of it: they write it
/// meanwhile, so a copy would contradict itself, and it may be deleted any day.
fn is_simulated(inside: &Path, name: &str) -> bool {
    let ends = [".sqlite", ".sqlite-wal", ".sqlite-shm"];
    inside.starts_with("simulator") && ends.iter().any(|end| name.ends_with(end))
}

struct Files {
    from: PathBuf,
    target: Target,
    /// Path of the database in use, which is copied otherwise.
    database: Option<PathBuf>,
    /// By path inside the backup.
    found: BTreeMap<String, Content>,
    /// As [`Made::absent`].
    absent: Vec<String>,
}

impl Files {
    /// Copies the files of the objects a snapshot names. A file that is missing
    /// or damaged does not end the backup: it is listed in the report.
    fn objects(&mut self, objects: Vec<ArquivoRow>) -> anyhow::Result<()> {
        for object in objects {
            let inside = format!("{OBJECTS}/{}", object.arquivo);
            if !self.file(&inside)? {
                let told = format!("{inside}: the file of an object is not there");
                self.absent.push(told);
            } else if self.found[&named(&inside)].sha256 != object.sha256 {
                let told = format!("{inside}: the file of an object is damaged");
                self.absent.push(told);
            }
        }
        Ok(())
    }

    /// Copies a folder of the data folder and those below it.
    fn folder(&mut self, inside: &Path) -> anyhow::Result<()> {
        let from = self.from.join(inside);
        for entry in std::fs::read_dir(&from).with_context(|| from.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let path = inside.join(&name);
                let told = format!("{}: its name is not UTF-8", path.display());
                self.absent.push(told);
                continue;
            };
            let top = inside.as_os_str().is_empty();
            let skipped = top && (name == OBJECTS || REMADE.contains(&name));
            let skipped =
                skipped || self.is_database(&from.join(name)) || is_simulated(inside, name);
            // What a process is just writing.
            if skipped || name.ends_with(".tmp") || name.ends_with(".lock") {
                continue;
            }
            let path = inside.join(name);
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.folder(&path)?;
            } else if kind.is_file() || from.join(name).is_file() {
                // What a link leads to counts: keys are mounted that way.
                let path = path.to_str().unwrap_or_default();
                // One that went meanwhile was not meant to stay.
                self.file(path)?;
            } else {
                let told = format!("{}: a link or a device, no file", path.display());
                self.absent.push(told);
            }
        }
        Ok(())
    }

    /// The file of a SQLite database, or one of its companions.
    fn is_database(&self, path: &Path) -> bool {
        let (Some(database), Ok(path)) = (&self.database, std::path::absolute(path)) else {
            return false;
        };
        let path = path.to_string_lossy();
        let own = path.strip_prefix(&*database.to_string_lossy());
        own.is_some_and(|end| matches!(end, "" | "-wal" | "-shm"))
    }

    /// Copies a file; false when it is not there.
    fn file(&mut self, inside: &str) -> anyhow::Result<bool> {
        let name = named(inside);
        match self.target.file(&name, &self.from.join(inside)) {
            Ok(content) => {
                self.found.insert(name, content);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).with_context(|| inside.to_owned()),
        }
    }
}
