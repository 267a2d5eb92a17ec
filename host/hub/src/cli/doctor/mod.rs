//! `hub doctor`: whether a hub with these settings can work, and whether what it keeps is
//! right. The checks run side by side, each with a time of its own. They change what a
//! start of the hub changes: the data folder is made, the schema migrated, rows that
//! imports which died left behind are deleted, and compiled adapters are kept. The store
//! of objects gets a file, which is deleted again.

mod adapters;
mod authorities;
mod books;
pub mod certificates;
pub mod clock;
pub mod disk;
mod finding;
mod mail;
mod objects;
mod records;
mod settings;

pub use finding::{Finding, State};
pub use settings::contradictions;

use base::config::Config;
use finding::late;
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;
use store::Db;
use tokio::time::timeout;

/// Time of a check that asks one server or reads a few files.
const SHORT: Duration = Duration::from_secs(20);
/// Time of a check that asks many servers.
const MANY: Duration = Duration::from_secs(90);
/// Time of a check that reads all tables, or compiles components.
const LONG: Duration = Duration::from_secs(600);
/// Time of one that reads every document.
const HOURS: Duration = Duration::from_secs(24 * 3_600);

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    errors: usize,
    warnings: usize,
    checks: Vec<Finding>,
}

/// Runs every check and prints what it found; exit code 1 if there is an error.
///
/// # Errors
/// The report cannot be written.
pub async fn doctor(config: &Config, json: bool, all_records: bool) -> anyhow::Result<ExitCode> {
    let findings = findings(config, all_records).await;
    let count = |state| {
        let of_state = findings.iter().filter(|finding| finding.state == state);
        of_state.count()
    };
    let (errors, warnings) = (count(State::Error), count(State::Warning));
    if json {
        let report = Report {
            errors,
            warnings,
            checks: findings,
        };
        say!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        for finding in &findings {
            say!("{finding}");
        }
        say!("{}", summary(errors, warnings));
    }
    Ok(if errors == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn summary(errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => "clean".to_owned(),
        (0, warnings) => format!("clean, warnings: {warnings}"),
        (errors, warnings) => format!("errors: {errors}, warnings: {warnings}"),
    }
}

/// What all checks find, in the order in which they are told.
async fn findings(config: &Config, all_records: bool) -> Vec<Finding> {
    let opened = timeout(SHORT, books::open(config)).await;
    let (db, database) = match opened {
        Ok(Ok(db)) => (Some(db), None),
        Ok(Err(error)) => (None, Some(books::closed(&error))),
        Err(_) => (None, Some(late("database", SHORT))),
    };
    let db = db.as_ref();
    let (books, certificates, clock, disk, mail, objects, records, adapters, authorities) = tokio::join!(
        bounded("books", LONG, with(db, books::check)),
        bounded("certificates", SHORT, certificates::check(config, db)),
        bounded("clock", SHORT, clock::check(db)),
        bounded("disk", SHORT, disk::check(config, db)),
        bounded("mail", SHORT, mail::check(config)),
        bounded("objects", SHORT, objects::check(config)),
        bounded(
            "records",
            if all_records { HOURS } else { LONG },
            with(db, async |db| records::check(config, db, all_records).await)
        ),
        bounded("adapters", LONG, adapters::check(config, db)),
        bounded("authorities", MANY, authorities::check(config, db)),
    );
    let settings = settings::check(config);
    let first = database.into_iter().chain(settings);
    let rest = [
        books,
        certificates,
        clock,
        disk,
        mail,
        objects,
        records,
        adapters,
        authorities,
    ];
    first.chain(rest.into_iter().flatten()).collect()
}

/// What a check finds in its time.
async fn bounded(
    check: &'static str,
    time: Duration,
    checking: impl Future<Output = Vec<Finding>>,
) -> Vec<Finding> {
    let found = timeout(time, checking).await;
    found.unwrap_or_else(|_| vec![late(check, time)])
}

/// A check of the database; nothing where there is none, which is told already.
async fn with<'d>(
    db: Option<&'d Db>,
    check: impl AsyncFnOnce(&'d Db) -> Vec<Finding>,
) -> Vec<Finding> {
    match db {
        Some(db) => check(db).await,
        None => Vec::new(),
    }
}
