//! Room on the disks that a hub fills.
//!
//! A hub warns before a disk is full. Where the disk of its database is nearly full it
//! issues nothing more: what is left is for what was sent already, which must be settled.

use base::config::{Config, Least};
use base::errors::{Refusal, full};
use base::files::Space;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Says how much room there is on the disk of a folder.
pub type Reader = Arc<dyn Fn(&Path) -> io::Result<Space> + Send + Sync>;

/// Part of a threshold by which the room must be above it before the state ends that it
/// began: otherwise the state changes with every file.
const ABOVE: u64 = 10;

/// How much room is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Left {
    #[default]
    Enough,
    /// Somebody should free room.
    Low,
    /// Nothing is issued.
    Spent,
}

impl Left {
    /// As the answers of the API say it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Left::Enough => "suficiente",
            Left::Low => "baixo",
            Left::Spent => "esgotado",
        }
    }

    fn of(value: u8) -> Left {
        match value {
            0 => Left::Enough,
            1 => Left::Low,
            _ => Left::Spent,
        }
    }
}

/// A disk that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `data`, or `database` where SQLite is elsewhere.
    pub folder: &'static str,
    pub space: Space,
    pub left: Left,
}

/// What one look found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    pub now: Left,
    pub disks: Vec<Seen>,
}

/// The disks of a hub, and how they were when they were last looked at.
pub struct Room {
    reader: Reader,
    disks: Vec<Disk>,
    warning: Least,
    floor: u64,
    /// What operators were last told.
    told: AtomicU8,
}

struct Disk {
    folder: &'static str,
    path: PathBuf,
    /// The database is on it.
    database: bool,
    left: AtomicU8,
}

impl Room {
    /// The disks that the settings name, looked at for the first time.
    pub fn new(config: &Config, reader: Reader) -> Room {
        let sqlite = config.database_url().starts_with("sqlite:");
        let folders = config.folders();
        // The last one has the SQLite file; what PostgreSQL fills is not seen from here.
        let last = folders.len().saturating_sub(1);
        let disks = folders.into_iter().enumerate();
        let disks = disks.map(|(place, (folder, path))| Disk {
            folder,
            path,
            database: sqlite && place == last,
            left: AtomicU8::default(),
        });
        let room = Room {
            reader,
            disks: disks.collect(),
            warning: config.storage.warning(),
            floor: config.storage.free_space_floor,
            told: AtomicU8::default(),
        };
        room.look();
        room
    }

    /// Looks at the disks; one that cannot be asked stays as it was.
    pub fn look(&self) -> Look {
        let mut disks = Vec::new();
        for disk in &self.disks {
            match (self.reader)(&disk.path) {
                Ok(space) => {
                    let left = self.judged(disk, space);
                    disk.left.store(left as u8, Ordering::Relaxed);
                    disks.push(Seen {
                        folder: disk.folder,
                        space,
                        left,
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, folder = disk.folder, "the room on a disk is not known");
                }
            }
        }
        Look {
            now: self.left(),
            disks,
        }
    }

    /// What operators were told before, if that is something else than `now`; from here
    /// on they were told.
    pub fn news(&self, now: Left) -> Option<Left> {
        let before = Left::of(self.told.swap(now as u8, Ordering::Relaxed));
        (before != now).then_some(before)
    }

    fn judged(&self, disk: &Disk, space: Space) -> Left {
        let was = disk.left();
        let below = |least: u64, state: Left| {
            let above = if was >= state { least / ABOVE } else { 0 };
            space.free < least.saturating_add(above)
        };
        if disk.database && below(self.floor, Left::Spent) {
            Left::Spent
        } else if below(self.warning.bytes(space.total), Left::Low) {
            Left::Low
        } else {
            Left::Enough
        }
    }

    /// The worst of the disks when they were last looked at.
    pub fn left(&self) -> Left {
        let each = self.disks.iter().map(Disk::left);
        each.max().unwrap_or_default()
    }

    /// Each disk when it was last looked at.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, Left)> + '_ {
        self.disks.iter().map(|disk| (disk.folder, disk.left()))
    }

    /// The room on the disks now; those that cannot be asked are left out.
    pub fn spaces(&self) -> impl Iterator<Item = (&'static str, Space)> + '_ {
        let disks = self.disks.iter();
        disks.filter_map(|disk| Some((disk.folder, (self.reader)(&disk.path).ok()?)))
    }

    /// Refuses what begins something that must be finished later.
    ///
    /// # Errors
    /// 503 `espaco_esgotado`: the disk of the database is nearly full.
    pub fn enough(&self) -> Result<(), Box<Refusal>> {
        match self.left() {
            Left::Spent => Err(Box::new(full())),
            Left::Enough | Left::Low => Ok(()),
        }
    }
}

impl Disk {
    fn left(&self) -> Left {
        Left::of(self.left.load(Ordering::Relaxed))
    }
}
