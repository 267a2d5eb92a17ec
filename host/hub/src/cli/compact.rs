//! `hub compact`: texts of settled documents into compressed records, old rows into pages and
//! documents of past days into their sums, at once and while hubs run. It may end at any moment, and goes on where it was.

use super::vacuum;
use crate::boot;
use base::config::Config;
use clap::Args;
use objects::archive::{self, Added, Batch, DaysPlace, Paged, Place, RowsPlace};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use store::Db;

/// Hours after which documents are packed where the settings pack none.
const HOURS: u32 = 24;
const DAY_MS: i64 = 86_400_000;
/// How often it says how far it is.
const SAYS: Duration = Duration::from_secs(10);
/// A hub that writes has the database first: so often is a busy one asked again.
const ATTEMPTS: u32 = 30;
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Args)]
pub struct Compact {
    /// Packs documents that did not change for so many hours; absent: `packing.after_hours`.
    #[arg(long, value_name = "N")]
    older_than_hours: Option<u32>,
    /// Packs rows of calls and of what adapters had signed that are older than so many days;
    /// absent: `packing.rows_after_days`, and none where it is 0.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3_650))]
    rows_older_than_days: Option<u32>,
    /// Moves records of documents that did not change for so many days out of the database;
    /// absent: `packing.move_after_days`, and none where it is 0.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=36_500))]
    move_older_than_days: Option<u32>,
    /// Instead: makes dictionaries of the documents of this store and writes them into a
    /// folder. For who builds the program: they hold pieces of documents.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["older_than_hours", "rows_older_than_days", "move_older_than_days"])]
    train: Option<PathBuf>,
    /// Instead: gives room back that deleted rows left. On PostgreSQL, and on a SQLite file
    /// with auto_vacuum = incremental, while hubs run; on other SQLite files the hub must be
    /// stopped.
    #[arg(long, conflicts_with_all = ["older_than_hours", "rows_older_than_days", "move_older_than_days", "train"])]
    vacuum: bool,
}

pub async fn run(command: Compact, config: &Config) -> anyhow::Result<ExitCode> {
    if command.vacuum {
        vacuum::run(config).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let data_dir = &config.storage.data_dir;
    anyhow::ensure!(
        boot::is_used(config),
        "no hub has used {}: is storage.data_dir right? What moves out of the database would be where no hub looks for it",
        data_dir.display()
    );
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let records = boot::records(&db, config)?;
    if let Some(folder) = command.train {
        return train(&db, &folder).await;
    }
    let settings = &config.packing;
    let hours = match (command.older_than_hours, settings.after_hours) {
        (Some(hours), _) => hours,
        (None, 0) => HOURS,
        (None, hours) => hours,
    };
    let now_ms = base::when::system_clock()();
    let until_ms = now_ms - i64::from(hours) * 3_600_000;
    let packed = all(Place::everything(), async |place: &mut Place| {
        archive::batch(&db, place, until_ms).await
    });
    let packed = packed.await?;
    let mut failed = packed.failed;
    if let Some(age_ms) = settings.journal_ms() {
        let dropped = archive::drop_journals(&db, &records, now_ms - age_ms).await?;
        say!("journals dropped: {dropped}");
    }
    let move_ms = match command.move_older_than_days {
        Some(days) => Some(i64::from(days) * DAY_MS),
        None => settings.move_after_ms(),
    };
    if let Some(age_ms) = move_ms {
        let moved = archive::move_records(&db, &records, now_ms - age_ms).await?;
        say!(
            "moved: {} records, {} kB",
            moved.records,
            moved.bytes / 1_000
        );
    }
    let rows_ms = match command.rows_older_than_days {
        Some(days) => Some(i64::from(days) * DAY_MS),
        None => settings.rows_after_ms(),
    };
    if let Some(age_ms) = rows_ms {
        let paged = all(RowsPlace::default(), async |place: &mut RowsPlace| {
            archive::rows(&db, place, now_ms - age_ms).await
        });
        let paged = paged.await?;
        failed += paged.failed;
        say!("{}", paged.told());
    }
    let added = all(DaysPlace::default(), async |place: &mut DaysPlace| {
        archive::days(&db, place, now_ms).await
    });
    say!("{}", added.await?.told());
    say!("{}", packed.told());
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What became of a part of a store, and of all parts together.
trait Part: Default {
    /// Adds another one.
    fn add(&mut self, other: &Self);
    /// There is no part more.
    fn is_last(&self) -> bool;
    /// What is said of it.
    fn told(&self) -> String;
}

/// Goes through a store, part by part, from a place to the end.
async fn all<P: Clone, D: Part>(
    mut place: P,
    next: impl AsyncFn(&mut P) -> anyhow::Result<D>,
) -> anyhow::Result<D> {
    let mut all = D::default();
    let mut said = Instant::now();
    let mut failures = 0;
    loop {
        let begun = Instant::now();
        let before = place.clone();
        match next(&mut place).await {
            Ok(part) => {
                failures = 0;
                all.add(&part);
                if part.is_last() {
                    return Ok(all);
                }
            }
            Err(error) if failures < ATTEMPTS => {
                failures += 1;
                tracing::warn!(error = %format!("{error:#}"), "the database is busy");
                place = before;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
        if said.elapsed() > SAYS {
            said = Instant::now();
            say!("{}", all.told());
        }
        // A hub may wait for its turn to write.
        tokio::time::sleep(begun.elapsed() / 4).await;
    }
}

impl Part for Paged {
    fn add(&mut self, other: &Paged) {
        Paged::add(self, other);
    }

    fn is_last(&self) -> bool {
        self.is_last
    }

    fn told(&self) -> String {
        let mut text = format!(
            "rows packed: {} into {} pages of {} kB",
            self.rows,
            self.pages,
            self.bytes / 1_000
        );
        if self.lost > 0 {
            text += &format!(", {} were packed elsewhere meanwhile", self.lost);
        }
        if self.failed > 0 {
            text += &format!(", {} cannot be packed (the log says which)", self.failed);
        }
        text
    }
}

impl Part for Added {
    fn add(&mut self, other: &Added) {
        Added::add(self, other);
    }

    fn is_last(&self) -> bool {
        self.is_last
    }

    fn told(&self) -> String {
        let mut text = format!("days added up: {}", self.days);
        if self.lost > 0 {
            text += ", the rest is left to the hubs, as others write";
        }
        text
    }
}

impl Part for Batch {
    fn add(&mut self, other: &Batch) {
        Batch::add(self, other);
    }

    fn is_last(&self) -> bool {
        self.is_last
    }

    fn told(&self) -> String {
        let mut text = format!(
            "packed: {} documents, {} kB into {} kB",
            self.records,
            self.texts / 1_000,
            self.bytes / 1_000
        );
        if self.lost > 0 {
            text += &format!(", {} changed meanwhile", self.lost);
        }
        if self.failed > 0 {
            text += &format!(", {} cannot be packed (the log says why)", self.failed);
        }
        text
    }
}

async fn train(db: &Db, folder: &Path) -> anyhow::Result<ExitCode> {
    let trained = archive::train(db).await?;
    anyhow::ensure!(
        !trained.is_empty(),
        "the store has too few settled documents to learn from"
    );
    base::files::folder(folder)?;
    for one in trained {
        let name = format!("{:04}-{}.dict", one.id, one.layout.name());
        let file = folder.join(&name);
        std::fs::write(&file, &one.bytes)?;
        say!(
            "{}: {} bytes of {} documents, SHA-256 {}",
            file.display(),
            one.bytes.len(),
            one.samples,
            store::tables::packed::hex(&one.bytes)
        );
    }
    Ok(ExitCode::SUCCESS)
}
