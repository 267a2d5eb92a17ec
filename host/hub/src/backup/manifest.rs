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
        manifest.fit(&path)?;
        Ok(manifest)
    }

    /// # Errors
    /// A name in it leads elsewhere, or there is no database. `path` says where it was read.
    pub fn fit(&self, path: &Path) -> anyhow::Result<()> {
        for name in self.files.keys() {
            let inside = Path::new(name)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            anyhow::ensure!(inside, "{}: {name} leads out of the backup", path.display());
        }
        anyhow::ensure!(
            self.files.contains_key(super::DATABASE),
            "{}: no database",
            path.display()
        );
        Ok(())
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

/// What some bytes are.
pub fn content_of(bytes: &[u8]) -> Content {
    let mut sum = Sum::default();
    sum.add(bytes);
    sum.content()
}

/// What a file holds that passes by.
#[derive(Default)]
pub struct Sum {
    sha: Sha256,
    bytes: u64,
}

impl Sum {
    pub fn add(&mut self, bytes: &[u8]) {
        self.sha.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    pub fn content(self) -> Content {
        Content {
            bytes: self.bytes,
            sha256: flow::hex(&self.sha.finalize()),
        }
    }
}

fn read(
    file: &mut File,
    mut each: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<Content> {
    let (mut sum, mut chunk) = (Sum::default(), vec![0; CHUNK]);
    loop {
        let taken = file.read(&mut chunk)?;
        if taken == 0 {
            return Ok(sum.content());
        }
        sum.add(&chunk[..taken]);
        each(&chunk[..taken])?;
    }
}
