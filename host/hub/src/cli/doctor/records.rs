//! Packed records: whether they can be read, and are what was written.

use super::finding::Finding;
use crate::boot;
use base::config::Config;
use store::Db;
use store::ids::AccountId;
use store::tables::adapter_uses::UseRow;
use store::tables::packed::{self, PackedRow};
use store::tables::pages::{self, PageKind};

const CHECK: &str = "records";
/// Records read at a time.
const PAGE: i64 = 100;
/// Of a sample: the newest, besides a page of the oldest.
const SAMPLE: i64 = 400;
/// Damaged records that are told apart.
const TOLD: usize = 20;

/// Reads a sample of the packed records, or all of them, those too that moved.
pub async fn check(config: &Config, db: &Db, all: bool) -> Vec<Finding> {
    match read(config, db, all).await {
        Ok((read, damaged)) if damaged.is_empty() => {
            let moved = read.moved;
            let mut seen = format!("{} packed records were read", read.records);
            if moved > 0 {
                seen += &format!(", {moved} of them where they moved");
            }
            vec![Finding::ok(CHECK, seen)]
        }
        Ok((_, damaged)) => damaged.into_iter().map(of_record).collect(),
        Err(error) => vec![Finding::error(
            CHECK,
            format!("packed records cannot be read: {error:#}"),
            "look at the database's own log",
        )],
    }
}

fn of_record((subject, error): (String, String)) -> Finding {
    Finding::error(
        CHECK,
        format!("{subject}: {error}"),
        "bring this record back from a backup; documents whose record is damaged answer 500",
    )
}

#[derive(Default)]
struct Read {
    records: u64,
    moved: u64,
}

type Damaged = Vec<(String, String)>;

async fn read(config: &Config, db: &Db, all: bool) -> anyhow::Result<(Read, Damaged)> {
    // A folder without it is of no hub yet: nothing has moved.
    if boot::is_used(config) {
        boot::records(db, config)?;
    }
    let mut read = Read::default();
    let mut damaged = Vec::new();
    let mut after = String::new();
    loop {
        let mut conn = db.read().await?;
        let mut page = packed::after(&mut conn, &after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after.clone_from(&last.subject_id);
        if !all {
            // The oldest and the newest.
            let newest = packed::newest(&mut conn, SAMPLE).await?;
            page.extend(newest.into_iter().filter(|row| row.subject_id > after));
        }
        for row in page {
            read.records += 1;
            read.moved += u64::from(!row.place.is_empty());
            if let Err(error) = whole(&mut conn, &row).await
                && damaged.len() < TOLD
            {
                damaged.push((row.subject_id, error.to_string()));
            }
        }
        drop(conn);
        tokio::task::yield_now().await;
        if !all {
            break;
        }
    }
    if all {
        uses(db, &mut damaged).await?;
    }
    Ok((read, damaged))
}

/// Reads the pages of uses of keys; those of calls are read with the books.
async fn uses(db: &Db, damaged: &mut Damaged) -> anyhow::Result<()> {
    let everybody = AccountId::default();
    let mut after = String::new();
    loop {
        let mut conn = db.read().await?;
        let page = pages::after(&mut conn, PageKind::AdapterUses, &everybody, &after).await?;
        let Some(page) = page else { return Ok(()) };
        drop(conn);
        if let Err(error) = page.read::<UseRow>()
            && damaged.len() < TOLD
        {
            damaged.push((
                format!("uses of keys until {}", page.last_id),
                error.to_string(),
            ));
        }
        after = page.last_id;
        tokio::task::yield_now().await;
    }
}

async fn whole(conn: &mut store::Conn, row: &PackedRow) -> store::DbResult<()> {
    row.whole(conn).await.map(drop)
}
