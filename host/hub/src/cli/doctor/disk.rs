//! Room on the disks that a hub fills, and what fills them.

use super::finding::Finding;
use base::config::Config;
use base::files::{self, Space};
use std::time::Duration;
use store::Db;
use store::ids::AccountId;
use store::tables::sizes::{self, TableSize};
use tokio::time::timeout;

const CHECK: &str = "disk";
/// Share of a disk, in hundredths, and bytes, below which somebody should look.
const FEW: (u64, u64) = (10, 2 << 30);
/// The same, below which a hub soon cannot write.
const LAST: (u64, u64) = (3, 256 << 20);
/// Tables that are named.
const NAMED: usize = 5;
/// Time the database has to tell the size of each table: SQLite reads the whole file.
const TABLES: Duration = Duration::from_secs(12);

pub async fn check(config: &Config, db: Option<&Db>) -> Vec<Finding> {
    let mut found: Vec<Finding> = config
        .folders()
        .iter()
        .map(|(word, folder)| {
            let place = format!("{word} folder {}", folder.display());
            match files::space(folder) {
                Ok(space) => judged(&place, space),
                Err(error) => Finding::error(
                    CHECK,
                    format!("{place}: {error}"),
                    "check storage.data_dir and database.url, and that the disk is mounted",
                ),
            }
        })
        .collect();
    if let Some(db) = db {
        found.push(match sizes(db).await {
            Ok(seen) => Finding::ok(CHECK, seen),
            Err(error) => Finding::warning(
                CHECK,
                format!("the database does not say its size: {error}"),
                "look at the database's own log",
            ),
        });
    }
    found
}

/// What is to be said of the room on a disk.
pub fn judged(place: &str, space: Space) -> Finding {
    let seen = format!(
        "{place}: {} of {} free",
        bytes(space.free),
        bytes(space.total)
    );
    let below = |(share, bytes): (u64, u64)| {
        // A small disk is judged by its share alone, a large one by what is left.
        space.free < bytes && space.free < space.total / 100 * share
    };
    let advice = "free room, or give the folder a larger disk: a hub that cannot write issues nothing; `hub doctor` names the largest tables";
    if below(LAST) {
        Finding::error(CHECK, seen, advice)
    } else if below(FEW) {
        Finding::warning(CHECK, seen, advice)
    } else {
        Finding::ok(CHECK, seen)
    }
}

async fn sizes(db: &Db) -> store::DbResult<String> {
    let mut conn = db.walk(&AccountId::default()).await?;
    let whole = sizes::whole(&mut conn).await?;
    let objects = sizes::objects(&mut conn).await?;
    // Last: a question that is given up leaves the connection busy.
    let named = match timeout(TABLES, sizes::tables(&mut conn)).await {
        Ok(tables) => match tables? {
            Some(tables) => largest(&tables),
            None => "too large to be asked for its tables".to_owned(),
        },
        Err(_) => "too slow to be asked for its tables".to_owned(),
    };
    let (whole, objects) = (as_bytes(whole), as_bytes(objects));
    Ok(format!(
        "database: {whole} ({named}); objects of customers: {objects}"
    ))
}

fn largest(tables: &[TableSize]) -> String {
    let named = tables.iter().take(NAMED);
    let named = named.map(|table| format!("{} {}", table.name, as_bytes(table.bytes)));
    named.collect::<Vec<_>>().join(", ")
}

fn as_bytes(count: i64) -> String {
    bytes(u64::try_from(count).unwrap_or(0))
}

/// An amount of bytes with one decimal, as `1.5 GiB`.
pub fn bytes(count: u64) -> String {
    const KIB: u64 = 1_024;
    let units = [(KIB * KIB * KIB, "GiB"), (KIB * KIB, "MiB"), (KIB, "KiB")];
    match units.into_iter().find(|(unit, _)| count >= *unit) {
        Some((unit, word)) => {
            let tenths = u128::from(count) * 10 / u128::from(unit);
            format!("{}.{} {word}", tenths / 10, tenths % 10)
        }
        None => format!("{count} bytes"),
    }
}
