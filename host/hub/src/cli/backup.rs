//! `hub backup`, `hub restore` and `hub move-store`.

use crate::backup::generations::{self, Swept};
use crate::backup::{self, Held, Made, Manifest, Source};
use anyhow::Context as _;
use base::config::Config;
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::checks::Finding;

/// What is copied where.
#[derive(Args)]
pub struct Backup {
    /// Folder that is empty or not there; with --incremental, one that has generations.
    dir: PathBuf,
    /// Adds a generation to the folder, which keeps what generations have in common once.
    #[arg(long)]
    incremental: bool,
    /// Generations that stay; the oldest beyond them are dropped.
    #[arg(long, value_name = "N", requires = "incremental", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
}

/// What is brought back.
#[derive(Args)]
pub struct Restore {
    /// Folder `hub backup` wrote.
    dir: PathBuf,
    /// Which of its generations; the newest, if none is named.
    #[arg(long, value_name = "N")]
    generation: Option<u64>,
    /// Only reads the backup, or all its generations, and says whether they are whole.
    #[arg(long)]
    check: bool,
}

/// `hub backup`.
pub async fn run(command: &Backup, config: &Config) -> anyhow::Result<ExitCode> {
    if command.incremental {
        let keep = command.keep.map(|keep| keep as usize);
        add(config, &command.dir, keep).await
    } else {
        make(config, &command.dir).await
    }
}

/// `hub backup DIR`.
async fn make(config: &Config, folder: &Path) -> anyhow::Result<ExitCode> {
    let made = backup::make(config, folder, base::when::system_clock()()).await?;
    say!("backup:  {}", folder.display());
    say!("{}", summary(&made.manifest));
    told(config, made);
    Ok(ExitCode::SUCCESS)
}

/// `hub backup --incremental DIR`.
async fn add(config: &Config, folder: &Path, keep: Option<usize>) -> anyhow::Result<ExitCode> {
    let now_ms = base::when::system_clock()();
    let added = generations::add(config, folder, keep, now_ms).await?;
    say!(
        "backup:  generation {} of {}",
        added.number,
        folder.display()
    );
    say!("{}", summary(&added.made.manifest));
    say!(
        "added:   {} bytes that no generation had before",
        added.bytes
    );
    if !added.dropped.is_empty() {
        say!("dropped: generations {:?}", added.dropped);
    }
    if added.swept.pieces > 0 {
        let Swept { pieces, bytes } = added.swept;
        say!("removed: {pieces} pieces, {bytes} bytes, that no generation needs");
    }
    told(config, added.made);
    Ok(ExitCode::SUCCESS)
}

/// What everybody should know who made a backup.
fn told(config: &Config, made: Made) {
    say!(
        "keys:    vault.keys and api-keys.pepper of {} are in the backup. Who has them reads every\n         \
         certificate; without them nobody does, and the backup is useless. Keep the folder as you keep the keys.",
        config.storage.data_dir.display()
    );
    if let Some(Held { time, wal_bytes }) = made.held {
        say!(
            "held:    one moment of the database for {} ms, while others wrote; its -wal file has {wal_bytes} bytes",
            time.as_millis()
        );
    }
    for absent in made.absent {
        say!("not in:  {absent}");
    }
}

/// `hub restore --check DIR`: reads it and writes nothing.
fn check(folder: &Path, generation: Option<u64>) -> anyhow::Result<ExitCode> {
    let checked = if generations::are_in(folder) {
        generations::check(folder, generation)?
    } else {
        Source::open(folder, generation)?.check()?
    };
    if checked.generations.is_empty() {
        say!("whole:   {} files, {} bytes", checked.pieces, checked.bytes);
    } else {
        say!(
            "whole:   generations {:?}: {} pieces, {} bytes",
            checked.generations,
            checked.pieces,
            checked.bytes
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// `hub restore`.
pub async fn restore(command: &Restore, config: &Config) -> anyhow::Result<ExitCode> {
    let (folder, generation) = (&command.dir, command.generation);
    if command.check {
        return check(folder, generation);
    }
    let now_ms = base::when::system_clock()();
    let restored = backup::restore(config, folder, generation, now_ms).await?;
    let data_dir = &config.storage.data_dir;
    let which = restored.generation;
    let which = which.map(|number| format!("generation {number} of "));
    say!(
        "restored: {}{} into {}",
        which.unwrap_or_default(),
        folder.display(),
        data_dir.display()
    );
    say!("database: {}", restored.database);
    say!("{}", summary(&restored.manifest));
    if !restored.manifest.s3_bucket.is_empty() {
        say!(
            "objects:  they are in the bucket {}, not in the backup; what was replaced or deleted there since is gone",
            restored.manifest.s3_bucket
        );
    }
    say!(
        "vault:    {} certificates and secrets can be opened",
        restored.readable
    );
    for one in &restored.unreadable {
        say!("vault:    cannot be opened: {one}");
    }
    say!("{}", doctor(&restored.findings));
    say!(
        "next:     what was issued after the backup is at the authorities and not here: a number that is\n          \
         taken there is skipped when it comes up again. `hub serve` starts the hub."
    );
    Ok(
        if restored.findings.is_empty() && restored.unreadable.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        },
    )
}

/// The database to move to, as given or as a file holds it.
pub fn target(to: Option<String>, file: Option<&Path>) -> anyhow::Result<String> {
    match (to, file) {
        (Some(to), _) => Ok(to),
        (None, Some(file)) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("--to-file {}", file.display()))?;
            Ok(text.trim().to_owned())
        }
        (None, None) => anyhow::bail!("--to or --to-file"),
    }
}

pub async fn move_store(config: &Config, to: &str) -> anyhow::Result<ExitCode> {
    let copied = backup::move_store(config, to).await?;
    let mut text = String::new();
    let mut rows = 0;
    for table in &copied.tables {
        writeln!(text, "{:>10}  {}", table.rows, table.table)?;
        rows += table.rows;
    }
    print!("{text}");
    say!(
        "{rows} rows of {} tables copied, read again and found the same",
        copied.tables.len()
    );
    say!("{}", doctor(&copied.findings));
    say!(
        "next: set database.url to the new database (HUB_DATABASE_URL, or a file named by HUB_DATABASE_URL_FILE) on every\n      \
         node and start. The data folder {} stays: it has the keys and the files. The old database\n      \
         is as it was; start no hub on it again.",
        config.storage.data_dir.display()
    );
    Ok(if copied.findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn summary(manifest: &Manifest) -> String {
    let rows: u64 = manifest.tables.values().sum();
    let bytes: u64 = manifest.files.values().map(|file| file.bytes).sum();
    let of = |table: &str| manifest.tables.get(table).copied().unwrap_or_default();
    format!(
        "content: {} files, {bytes} bytes; {rows} rows of {} tables ({} accounts, {} notes, {} objects), from {}",
        manifest.files.len(),
        manifest.tables.len(),
        of("accounts"),
        of("notas"),
        of("objetos"),
        manifest.engine
    )
}

fn doctor(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        text += &format!("doctor: {}: {}\n", finding.rule, finding.row);
    }
    text + &match findings.len() {
        0 => "doctor: clean".to_owned(),
        n => format!("doctor: {n} findings"),
    }
}
