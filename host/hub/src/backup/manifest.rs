//! What a backup says of itself.

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path};
use store::copy::Counted;

/// Grows with each change that an older program cannot read.
pub const FORMAT: u32 = 1;
/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// Version of the program that made it.
    pub hub: String,
    /// Epoch milliseconds.
    pub made_at_ms: i64,
    /// What the hub ran on: `sqlite` or `postgres`.
    pub engine: String,
    /// Migrations the database has had.
    pub migrations: Vec<i64>,
    /// Bucket of the objects, which are not here; empty: they are.
    pub s3_bucket: String,
    /// By path inside the backup.
    pub files: BTreeMap<String, Content>,
    /// Rows by table.
    pub tables: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub bytes: u64,
    pub sha256: String,
}

impl Manifest {
    /// # Errors
    /// There is none, or this program cannot read it.
    pub fn read(folder: &Path) -> anyhow::Result<Manifest> {
        let path = folder.join(super::MANIFEST);
        let text = std::fs::read(&path).with_context(|| {
            format!(
                "{} is no finished backup: {}",
                folder.display(),
                path.display()
            )
        })?;
        let manifest: Manifest =
            serde_json::from_slice(&text).with_context(|| path.display().to_string())?;
        anyhow::ensure!(
            manifest.format == FORMAT,
            "the backup has format {}, this program reads {FORMAT}: use the hub {} that made it, or a newer one",
            manifest.format,
            manifest.hub
        );
        for name in manifest.files.keys() {
            let inside = Path::new(name)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            anyhow::ensure!(inside, "{}: {name} leads out of the backup", path.display());
        }
        anyhow::ensure!(
            manifest.files.contains_key(super::DATABASE),
            "{}: no database",
            path.display()
        );
        Ok(manifest)
    }

    pub fn tables_of(counted: &[Counted]) -> BTreeMap<String, u64> {
        let pairs = counted.iter();
        pairs.map(|one| (one.table.clone(), one.rows)).collect()
    }
}

/// Copies a file, for its owner only, down to the disk; what it holds.
///
/// # Errors
/// `NotFound` when the source is not there; `to` must not be.
pub fn copy(from: &Path, to: &Path) -> std::io::Result<Content> {
    let mut source = File::open(from)?;
    let mut target = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)?;
    let content = read(&mut source, |chunk| target.write_all(chunk))?;
    target.sync_all()?;
    Ok(content)
}

/// What a file holds.
///
/// # Errors
/// It cannot be read.
pub fn content(path: &Path) -> std::io::Result<Content> {
    read(&mut File::open(path)?, |_| Ok(()))
}

fn read(
    file: &mut File,
    mut each: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<Content> {
    let (mut sha, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
    loop {
        let taken = file.read(&mut chunk)?;
        if taken == 0 {
            let sha256 = flow::hex(&sha.finalize());
            return Ok(Content { bytes, sha256 });
        }
        sha.update(&chunk[..taken]);
        each(&chunk[..taken])?;
        bytes += taken as u64;
    }
}
