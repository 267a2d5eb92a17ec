//! Pieces of files, each kept once under the SHA-256 of what it holds.

use super::manifest::{Content, Sum};
use anyhow::Context as _;
use base::files;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Bytes of a piece; the last one of a file has less. It is a multiple of every page
/// size of SQLite: a note that is written changes some pages here and there, and with
/// larger pieces each of them would cost more, with smaller ones there would be more
/// files.
pub const PIECE: usize = 256 << 10;

/// SHA-256 of a piece.
pub type Digest = [u8; 32];

/// The pieces of a folder.
pub struct Chunks {
    folder: PathBuf,
}

/// A file that was cut into pieces.
pub struct Cut {
    pub content: Content,
    pub pieces: Vec<Digest>,
    /// Bytes of the pieces that were not there yet.
    pub added: u64,
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub pieces: u64,
    pub bytes: u64,
}

impl Chunks {
    pub fn new(folder: PathBuf) -> Chunks {
        Chunks { folder }
    }

    /// Keeps what `read` gives, from the place it is asked for, until it gives less than
    /// it was asked for.
    ///
    /// # Errors
    /// The source or the disk fails.
    pub fn cut(
        &self,
        mut read: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
    ) -> io::Result<Cut> {
        let (mut whole, mut piece) = (Sum::default(), vec![0; PIECE]);
        let (mut pieces, mut at, mut added) = (Vec::new(), 0, 0);
        loop {
            let taken = read(at, &mut piece)?;
            let found = &piece[..taken];
            if taken > 0 {
                whole.add(found);
                let digest = digest(found);
                if self.keep(&digest, found)? {
                    added += taken as u64;
                }
                pieces.push(digest);
                at += taken as u64;
            }
            if taken < PIECE {
                return Ok(Cut {
                    content: whole.content(),
                    pieces,
                    added,
                });
            }
        }
    }

    /// False: it is there already. On the disk before anything names it.
    fn keep(&self, digest: &Digest, bytes: &[u8]) -> io::Result<bool> {
        let path = self.path(digest);
        let there = std::fs::metadata(&path).is_ok_and(|found| found.len() == bytes.len() as u64);
        if there {
            return Ok(false);
        }
        let folder = path.parent().unwrap_or(&self.folder);
        files::folder(folder)?;
        let passing = folder.join("new.tmp");
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&passing)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        std::fs::rename(&passing, &path)?;
        Ok(true)
    }

    /// Brings the names of all pieces down to the disk.
    ///
    /// # Errors
    /// The disk fails.
    pub fn durable(&self) -> io::Result<()> {
        for folder in folders(&self.folder)? {
            File::open(folder)?.sync_all()?;
        }
        File::open(&self.folder)?.sync_all()
    }

    /// A piece, if it is what it was.
    ///
    /// # Errors
    /// It is not there, or damaged.
    pub fn read(&self, wanted: &Digest) -> anyhow::Result<Vec<u8>> {
        let path = self.path(wanted);
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        anyhow::ensure!(
            digest(&bytes) == *wanted,
            "{} is damaged: it is not what its name says",
            path.display()
        );
        Ok(bytes)
    }

    /// Removes the pieces that nobody uses.
    ///
    /// # Errors
    /// The disk fails.
    pub fn sweep(&self, used: &HashSet<Digest>) -> io::Result<Swept> {
        let used: HashSet<String> = used.iter().map(|digest| flow::hex(digest)).collect();
        let mut swept = Swept::default();
        for folder in folders(&self.folder)? {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                if name.to_str().is_some_and(|name| used.contains(name)) {
                    continue;
                }
                swept.bytes += entry.metadata()?.len();
                swept.pieces += 1;
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(swept)
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        let name = flow::hex(digest);
        // Few files in each folder: some file systems grow slow otherwise.
        self.folder.join(&name[..2]).join(&name)
    }
}

fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// The folders below one; none where it is not there.
fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}
