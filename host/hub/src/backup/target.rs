//! Where a backup puts what it keeps: into files of its own, or in pieces.

use super::chunks::{Chunks, Digest, PIECE};
use super::manifest::{self, Content};
use super::{DATABASE, FILES};
use base::files;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use store::copy::frozen::Pages;

/// How many pieces of a database are read between two looks at the room that is left.
const LOOK: u64 = 256;

/// Where a backup goes.
pub enum Target {
    /// A folder with a file for each.
    Folder(PathBuf),
    Pieces(Pieces),
}

/// A generation that is being made.
pub struct Pieces {
    pub chunks: Chunks,
    /// Of each file, by its path inside the backup.
    pub cut: BTreeMap<String, Vec<Digest>>,
    /// Bytes that no generation had before.
    pub added: u64,
}

impl Target {
    /// Keeps a file of the data folder, by its path inside the backup.
    ///
    /// # Errors
    /// `NotFound`: the file is not there.
    pub fn file(&mut self, name: &str, from: &Path) -> io::Result<Content> {
        match self {
            Target::Folder(folder) => {
                let to = folder.join(name);
                if let Some(folder) = to.parent() {
                    files::folder(folder)?;
                }
                manifest::copy(from, &to)
            }
            Target::Pieces(pieces) => {
                let file = File::open(from)?;
                pieces.keep(name, |at, into| full(&file, at, into))
            }
        }
    }

    /// Keeps the pages of a database. While they are read, what is written to the
    /// database takes room of its disk that is given back only afterwards: it ends when
    /// less than `floor` bytes are left there.
    ///
    /// # Errors
    /// A disk fails, or is nearly full.
    pub fn database(&mut self, pages: &Pages, floor: u64) -> io::Result<Content> {
        let mut read = 0;
        let each = |at, into: &mut [u8]| {
            if read % LOOK == 0 {
                room(pages, floor)?;
            }
            read += 1;
            pages.read(at, into)
        };
        match self {
            Target::Folder(folder) => {
                let path = folder.join(DATABASE);
                written(&path, each)?;
                files::durable(&path)?;
                manifest::content(&path)
            }
            Target::Pieces(pieces) => pieces.keep(DATABASE, each),
        }
    }
}

impl Pieces {
    fn keep(
        &mut self,
        name: &str,
        read: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
    ) -> io::Result<Content> {
        let cut = self.chunks.cut(read)?;
        self.added += cut.added;
        self.cut.insert(name.to_owned(), cut.pieces);
        Ok(cut.content)
    }
}

/// Path in the backup of a path in the data folder.
pub fn named(inside: &str) -> String {
    format!("{FILES}/{inside}")
}

fn room(pages: &Pages, floor: u64) -> io::Result<()> {
    match files::space(pages.folder()) {
        Ok(space) if space.free < floor => Err(io::Error::new(
            ErrorKind::StorageFull,
            format!(
                "only {} bytes are left on the disk of {}, less than storage.free_space_floor: the copy let go of the database, whose -wal file grows meanwhile",
                space.free,
                pages.folder().display()
            ),
        )),
        _ => Ok(()),
    }
}

/// As many bytes as there are, up to the length of `into`.
fn full(file: &File, at: u64, into: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < into.len() {
        match file.read_at(&mut into[length..], at + length as u64) {
            Ok(0) => break,
            Ok(taken) => length += taken,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

fn written(
    path: &Path,
    mut read: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    let (mut at, mut piece) = (0, vec![0; PIECE]);
    loop {
        let taken = read(at, &mut piece)?;
        file.write_all(&piece[..taken])?;
        at += taken as u64;
        if taken < PIECE {
            return Ok(());
        }
    }
}
