//! What a restore reads: a backup of its own, or one of the generations of a folder.

use super::generations::{self, Checked, Generation};
use super::manifest::{self, Content, Manifest};
use anyhow::Context as _;
use std::path::{Path, PathBuf};

/// Where a backup is.
pub enum Source {
    /// A folder with a file for each.
    Folder { folder: PathBuf, manifest: Manifest },
    Generation {
        folder: PathBuf,
        generation: Generation,
    },
}

impl Source {
    /// The backup of a folder, or one of its generations: the newest, if none is named.
    ///
    /// # Errors
    /// There is none, or this program cannot read it.
    pub fn open(folder: &Path, number: Option<u64>) -> anyhow::Result<Source> {
        let at = folder.to_owned();
        if generations::are_in(folder) {
            let generation = Generation::open(folder, number)?;
            return Ok(Source::Generation {
                folder: at,
                generation,
            });
        }
        anyhow::ensure!(
            number.is_none(),
            "{} is one backup and has no generations: leave --generation out",
            folder.display()
        );
        let manifest = Manifest::read(folder)?;
        Ok(Source::Folder {
            folder: at,
            manifest,
        })
    }

    pub fn manifest(&self) -> &Manifest {
        match self {
            Source::Folder { manifest, .. } => manifest,
            Source::Generation { generation, .. } => &generation.manifest,
        }
    }

    pub fn into_manifest(self) -> Manifest {
        match self {
            Source::Folder { manifest, .. } => manifest,
            Source::Generation { generation, .. } => generation.manifest,
        }
    }

    /// Number of the generation; None: the folder is one backup.
    pub fn generation(&self) -> Option<u64> {
        match self {
            Source::Folder { .. } => None,
            Source::Generation { generation, .. } => Some(generation.number),
        }
    }

    /// Reads all of it and compares it with its digests.
    ///
    /// # Errors
    /// The first file or piece that is missing or damaged.
    pub fn check(&self) -> anyhow::Result<Checked> {
        match self {
            Source::Folder { folder, manifest } => files(folder, manifest),
            Source::Generation { folder, generation } => {
                generations::check(folder, Some(generation.number))
            }
        }
    }

    /// Copies a file and checks that its SHA-256 is the one of the manifest.
    ///
    /// # Errors
    /// It is another, or cannot be written.
    pub fn put(&self, name: &str, to: &Path, expected: &Content) -> anyhow::Result<()> {
        let found = match self {
            Source::Folder { folder, .. } => {
                manifest::copy(&folder.join(name), to).with_context(|| to.display().to_string())?
            }
            Source::Generation { generation, .. } => generation.put(name, to)?,
        };
        anyhow::ensure!(found == *expected, "{name} changed while it was copied");
        Ok(())
    }
}

fn files(folder: &Path, manifest: &Manifest) -> anyhow::Result<Checked> {
    let mut checked = Checked {
        generations: Vec::new(),
        pieces: 0,
        bytes: 0,
    };
    for (name, expected) in &manifest.files {
        let path = folder.join(name);
        let found = manifest::content(&path).with_context(|| path.display().to_string())?;
        anyhow::ensure!(
            found == *expected,
            "{} is not what it was: {} bytes instead of {}, or other ones",
            path.display(),
            found.bytes,
            expected.bytes
        );
        checked.pieces += 1;
        checked.bytes += found.bytes;
    }
    Ok(checked)
}
