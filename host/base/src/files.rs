//! Small private files: written whole or not at all, readable by their owner
//! only.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Held, in a data folder, by the one process that has it for itself: a hub on
/// SQLite, or who makes or moves its database.
pub const HUB: &str = "hub.lock";

/// Held, in a data folder, while a backup of it is made: the files of objects
/// stay.
pub const BACKUP: &str = "backup.lock";

/// Names that are tried for a file beside another: each that is taken is of another
/// process that writes, or of one that died while it wrote.
const BESIDE: u32 = 1_000;

/// How long a process waits for another one to let go of a folder.
const LOCK_WAIT: Duration = Duration::from_secs(3);

/// Replaces a file.
///
/// # Errors
/// The folder cannot be written; the old file is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = write_beside(path, bytes)?;
    std::fs::rename(&temporary, path)
}

/// Makes a file that must not be there yet; false when it is.
///
/// # Errors
/// The folder cannot be written.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let temporary = write_beside(path, bytes)?;
    let linked = std::fs::hard_link(&temporary, path);
    std::fs::remove_file(&temporary)?;
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let (mut file, temporary) = beside(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // The first failure is the one that is told.
        let _left = std::fs::remove_file(&temporary);
        return Err(error);
    }
    Ok(temporary)
}

/// A new file beside another, which nobody else writes: processes of several containers
/// that share a folder may have one number.
fn beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let process = std::process::id();
    let mut taken = None;
    for attempt in 0..BESIDE {
        let temporary = path.with_extension(format!("{process}-{attempt}.tmp"));
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary);
        match made {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(taken.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into()))
}

/// Leaves a file that others write (a database) to its owner only, and makes
/// an empty one where there is none.
///
/// # Errors
/// It cannot be made, or belongs to somebody else.
pub fn private(path: &Path) -> io::Result<()> {
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::set_permissions(path, Permissions::from_mode(0o600))
        }
        Err(error) => Err(error),
    }
}

/// Flushes a file that other code wrote, and its name in its folder, to the
/// disk.
///
/// # Errors
/// The file is not there, or the disk fails.
pub fn durable(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Makes a folder and those above it, for their owner only; one that is there
/// keeps its permissions.
///
/// # Errors
/// It is not there and cannot be made.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Room on a disk, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// What this user may still write.
    pub free: u64,
    pub total: u64,
}

/// The room on the disk that a file or folder is on.
///
/// # Errors
/// It is not there, or the system does not say.
pub fn space(path: &Path) -> io::Result<Space> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(Space {
        free: disk.f_bavail.saturating_mul(disk.f_frsize),
        total: disk.f_blocks.saturating_mul(disk.f_frsize),
    })
}

/// Takes a folder for this process alone, for as long as the file lives.
///
/// # Errors
/// Another process has it, or the file cannot be made.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    wait(&file)?;
    Ok(file)
}

/// Locks an open file or folder, for as long as it is open.
///
/// # Errors
/// Another process still holds it after a few seconds, or it cannot be locked.
pub fn wait(file: &File) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begun.elapsed() > LOCK_WAIT => {
                return Err(io::Error::new(
                    io::ErrorKind::AddrInUse,
                    "another process holds it",
                ));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Whether some process holds a lock. It does not wait.
///
/// # Errors
/// The file cannot be opened.
pub fn held(path: &Path) -> io::Result<bool> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
