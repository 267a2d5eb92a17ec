//! The database: whether it opens, and the invariants of ledger and issuance.

use super::finding::Finding;
use base::config::Config;
use store::ids::AccountId;
use store::{Db, checks};

const CHECK: &str = "books";

/// Opens the database, and brings its schema up to date as every command does.
///
/// # Errors
/// A sentence with the reason, without a password.
pub async fn open(config: &Config) -> anyhow::Result<Db> {
    crate::boot::data_folder(config)?;
    Ok(Db::open(&config.database_url(), config.database.pool_size).await?)
}

/// The database does not open.
pub fn closed(error: &anyhow::Error) -> Finding {
    Finding::error(
        "database",
        format!("{error:#}"),
        "check database.url, and that the server or the disk of the file works; the checks that need it were left out",
    )
}

/// Deletes what imports that died left, and holds every rule against the tables.
pub async fn check(db: &Db) -> Vec<Finding> {
    match broken(db).await {
        Ok(found) if found.is_empty() => {
            vec![Finding::ok(CHECK, "ledger and issuance keep every rule")]
        }
        Ok(found) => found.iter().map(of_rule).collect(),
        Err(error) => vec![Finding::error(
            CHECK,
            format!("the database failed: {error:#}"),
            "look at the database's own log",
        )],
    }
}

fn of_rule(broken: &checks::Finding) -> Finding {
    Finding::error(
        CHECK,
        format!("{}: {}", broken.rule, broken.row),
        "a defect of the hub or a change by hand: keep a backup and report the rule with the version; do not correct rows by hand",
    )
}

async fn broken(db: &Db) -> anyhow::Result<Vec<checks::Finding>> {
    datasets::sweep::sweep(db, base::when::system_clock()()).await?;
    // For reports: on SQLite it runs beside the other checks.
    let mut conn = db.walk(&AccountId::default()).await?;
    Ok(checks::run(&mut conn).await?)
}
