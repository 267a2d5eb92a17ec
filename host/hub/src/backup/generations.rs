//! A folder of backups, each whole, that share what they have in common.
//!
//! `generations/000001.json` says what a generation is, `generations/000001.pieces` which
//! pieces its files are made of, in the order of their names, and `pieces/` has each
//! piece once. The first of these files is written last: a generation without it is none,
//! so one that is killed on the way takes nothing from those before it.

pub use super::chunks::Swept;
use super::chunks::{Chunks, Digest, PIECE};
use super::make::{self, Made, Taken};
use super::manifest::{self, Content, Manifest};
use super::target::{Pieces, Target};
use anyhow::Context as _;
use base::config::Config;
use base::files;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Grows with each change that an older program cannot read.
const FORMAT: u32 = 1;
/// What a folder of generations has in it.
const ALL: &str = "generations";
const PIECES: &str = "pieces";
/// Held by the process that changes it.
const LOCK: &str = "generations.lock";

/// What `generations/000001.json` says.
#[derive(Serialize, Deserialize)]
struct Described {
    format: u32,
    number: u64,
    /// Bytes of a piece.
    piece: usize,
    /// The list of pieces.
    pieces: Content,
    /// What any backup says of itself.
    backup: Manifest,
}

/// A generation that can be read.
pub struct Generation {
    pub number: u64,
    pub manifest: Manifest,
    chunks: Chunks,
    /// Of each file, by its path inside the backup.
    cut: BTreeMap<String, Vec<Digest>>,
}

/// A generation that was made.
pub struct Added {
    pub made: Made,
    pub number: u64,
    /// Bytes that no generation had before.
    pub bytes: u64,
    /// Generations that were dropped.
    pub dropped: Vec<u64>,
    pub swept: Swept,
}

/// What was looked at and found whole.
pub struct Checked {
    pub generations: Vec<u64>,
    pub pieces: u64,
    pub bytes: u64,
}

/// Whether a folder has generations in it.
pub fn are_in(folder: &Path) -> bool {
    folder.join(ALL).is_dir()
}

/// Adds a generation to a folder, which may be empty or not there, and drops the oldest
/// beyond `keep`.
///
/// # Errors
/// The generations that were there are still there, each whole.
pub async fn add(
    config: &Config,
    folder: &Path,
    keep: Option<usize>,
    now_ms: i64,
) -> anyhow::Result<Added> {
    make::fit(config, folder)?;
    anyhow::ensure!(
        are_in(folder) || super::is_empty(folder).with_context(|| folder.display().to_string())?,
        "{} has no generations and is not empty: give a folder of its own",
        folder.display()
    );
    let (all, pieces) = (folder.join(ALL), folder.join(PIECES));
    for folder in [folder, &all, &pieces] {
        files::folder(folder)?;
    }
    let _lock = files::lock(&folder.join(LOCK))
        .context("is another generation being made in this folder?")?;
    let target = Target::Pieces(Pieces {
        chunks: Chunks::new(pieces),
        cut: BTreeMap::new(),
        added: 0,
    });
    let taken = make::take(config, folder, target, now_ms).await?;
    let Taken { target, made } = taken;
    let Target::Pieces(found) = target else {
        anyhow::bail!("a generation is made of pieces");
    };
    let number = numbers(folder)?.last().copied().unwrap_or(0) + 1;
    let bytes = found.added;
    described(folder, number, &found, &made.manifest)?;
    let dropped = drop_old(folder, keep)?;
    let swept = sweep(folder)?;
    Ok(Added {
        made,
        number,
        bytes,
        dropped,
        swept,
    })
}

/// Writes down what a generation is; from here on it is one.
fn described(
    folder: &Path,
    number: u64,
    found: &Pieces,
    manifest: &Manifest,
) -> anyhow::Result<()> {
    found.chunks.durable()?;
    let list = list(folder, number);
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&list)?;
    for name in manifest.files.keys() {
        let pieces = found.cut.get(name);
        let pieces = pieces.with_context(|| format!("{name} was not cut"))?;
        file.write_all(pieces.as_flattened())?;
    }
    file.sync_all()?;
    let described = serde_json::json!({
        "format": FORMAT,
        "number": number,
        "piece": PIECE,
        "pieces": manifest::content(&list)?,
        "backup": manifest,
    });
    let path = description(folder, number);
    files::replace(&path, &serde_json::to_vec_pretty(&described)?)?;
    files::durable(&path)?;
    Ok(())
}

/// Removes the oldest generations beyond `keep`: the description first, so that one that
/// is half removed is none.
fn drop_old(folder: &Path, keep: Option<usize>) -> anyhow::Result<Vec<u64>> {
    let Some(keep) = keep else {
        return Ok(Vec::new());
    };
    let numbers: Vec<u64> = numbers(folder)?.into_iter().collect();
    let dropped = &numbers[..numbers.len().saturating_sub(keep.max(1))];
    for number in dropped {
        std::fs::remove_file(description(folder, *number))?;
    }
    File::open(folder.join(ALL))?.sync_all()?;
    Ok(dropped.to_owned())
}

/// Removes what no generation needs: lists without a description, pieces without a list.
fn sweep(folder: &Path) -> anyhow::Result<Swept> {
    let numbers = numbers(folder)?;
    let mut used = HashSet::new();
    for number in &numbers {
        let generation = Generation::open(folder, Some(*number))?;
        used.extend(generation.cut.into_values().flatten());
    }
    let swept = Chunks::new(folder.join(PIECES)).sweep(&used)?;
    for entry in std::fs::read_dir(folder.join(ALL))? {
        let path = entry?.path();
        let number = path.file_stem().and_then(|name| name.to_str());
        let number = number.and_then(|name| name.parse::<u64>().ok());
        if number.is_none_or(|number| !numbers.contains(&number)) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(swept)
}

/// Reads every piece of a generation, or of all of them, and compares it with its digest.
/// It writes nothing.
///
/// # Errors
/// The first that is missing or damaged.
pub fn check(folder: &Path, number: Option<u64>) -> anyhow::Result<Checked> {
    let wanted = match number {
        Some(number) => BTreeSet::from([number]),
        None => numbers(folder)?,
    };
    anyhow::ensure!(
        !wanted.is_empty(),
        "{}: no generation was ever finished",
        folder.display()
    );
    let mut seen = HashSet::new();
    let mut checked = Checked {
        generations: Vec::new(),
        pieces: 0,
        bytes: 0,
    };
    for number in wanted {
        let generation = Generation::open(folder, Some(number))?;
        for (name, pieces) in &generation.cut {
            for digest in pieces {
                if !seen.insert(*digest) {
                    continue;
                }
                let read = generation.chunks.read(digest);
                let read = read.with_context(|| format!("generation {number}: {name}"))?;
                checked.pieces += 1;
                checked.bytes += read.len() as u64;
            }
        }
        checked.generations.push(number);
    }
    Ok(checked)
}

impl Generation {
    /// A generation by its number, or the newest.
    ///
    /// # Errors
    /// There is none, or this program cannot read it.
    pub fn open(folder: &Path, number: Option<u64>) -> anyhow::Result<Generation> {
        let numbers = numbers(folder)?;
        let number = match number {
            Some(number) => number,
            None => *numbers.last().with_context(|| {
                format!("{}: no generation was ever finished", folder.display())
            })?,
        };
        anyhow::ensure!(
            numbers.contains(&number),
            "{}: there is no generation {number}; there are {numbers:?}",
            folder.display()
        );
        let path = description(folder, number);
        let named = || path.display().to_string();
        let text = std::fs::read(&path).with_context(named)?;
        let described: Described = serde_json::from_slice(&text).with_context(named)?;
        anyhow::ensure!(
            described.format == FORMAT && described.piece == PIECE,
            "{}: generation of format {}, this program reads {FORMAT}: use the hub {} that made it, or a newer one",
            path.display(),
            described.format,
            described.backup.hub
        );
        described.backup.fit(&path)?;
        let list = list(folder, number);
        let bytes = std::fs::read(&list).with_context(|| list.display().to_string())?;
        anyhow::ensure!(
            manifest::content_of(&bytes) == described.pieces,
            "{} is damaged",
            list.display()
        );
        let (all, rest) = bytes.as_chunks::<32>();
        let mut all = all.iter().copied();
        let mut cut = BTreeMap::new();
        for (name, content) in &described.backup.files {
            let count = usize::try_from(content.bytes.div_ceil(PIECE as u64))?;
            let pieces: Vec<Digest> = all.by_ref().take(count).collect();
            anyhow::ensure!(
                pieces.len() == count,
                "{}: {name} has no end",
                list.display()
            );
            cut.insert(name.clone(), pieces);
        }
        anyhow::ensure!(
            rest.is_empty() && all.next().is_none(),
            "{} is too long",
            list.display()
        );
        Ok(Generation {
            number,
            manifest: described.backup,
            chunks: Chunks::new(folder.join(PIECES)),
            cut,
        })
    }

    /// Puts a file together, for its owner only, down to the disk; what it holds.
    ///
    /// # Errors
    /// A piece is missing or damaged, or the disk fails; `to` must not be there.
    pub fn put(&self, name: &str, to: &Path) -> anyhow::Result<Content> {
        let pieces = self.cut.get(name);
        let pieces = pieces.with_context(|| format!("{name} is not in the generation"))?;
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(to)?;
        let mut sum = manifest::Sum::default();
        for digest in pieces {
            let bytes = self.chunks.read(digest)?;
            sum.add(&bytes);
            file.write_all(&bytes)?;
        }
        file.sync_all()?;
        Ok(sum.content())
    }
}

/// Numbers of the generations that are whole.
fn numbers(folder: &Path) -> anyhow::Result<BTreeSet<u64>> {
    let all = folder.join(ALL);
    let entries = match std::fs::read_dir(&all) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        entries => entries.with_context(|| all.display().to_string())?,
    };
    let mut numbers = BTreeSet::new();
    for entry in entries {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".json"));
        numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    Ok(numbers)
}

fn description(folder: &Path, number: u64) -> PathBuf {
    folder.join(ALL).join(format!("{number:06}.json"))
}

fn list(folder: &Path, number: u64) -> PathBuf {
    folder.join(ALL).join(format!("{number:06}.pieces"))
}
