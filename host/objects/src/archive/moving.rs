//! Records that are old: their journal is dropped, their texts move out of the database.

use crate::storage::Store;
use base::{faultpoint, ids};
use packing::{Certificate, Dictionaries, Layout, Record};
use std::convert::Infallible;
use std::time::Instant;
use store::tables::packed::{self, HeadRow, PackedRow};
use store::tables::packed_certificates;
use store::tables::texts;
use store::{Db, TxError};

/// Records of a round that may fail before it ends.
const FAILURES: u32 = 16;

/// Records that are looked at together.
const TOGETHER: i64 = 256;

/// A walk past the records of documents that began at a moment or before, in the order of
/// their ids.
struct Walk {
    until_ms: i64,
    /// The last one.
    after: String,
}

impl Walk {
    fn new(until_ms: i64) -> Walk {
        Walk {
            until_ms,
            after: String::new(),
        }
    }

    /// The next ones that were settled at the moment or before and fit: perhaps none of those
    /// that were looked at. None: there are no more. Rests as long as it took.
    async fn next(
        &mut self,
        db: &Db,
        fits: impl Fn(&HeadRow) -> bool,
    ) -> anyhow::Result<Option<Vec<String>>> {
        let begun = Instant::now();
        let mut conn = db.read().await?;
        let heads = packed::heads(&mut conn, &self.after, TOGETHER).await?;
        drop(conn);
        tokio::time::sleep(begun.elapsed()).await;
        if heads.is_empty() {
            return Ok(None);
        }
        let mut found = Vec::new();
        for head in heads {
            if let Some(last) = last_of_kind(&head.subject_id, self.until_ms) {
                self.after = last;
                break;
            }
            self.after.clone_from(&head.subject_id);
            if head.settled_at_ms <= self.until_ms && fits(&head) {
                found.push(head.subject_id);
            }
        }
        Ok(Some(found))
    }
}

/// For a document that began after a moment, an id behind all of its kind: those behind it
/// began later still, and no document is settled before it begins.
fn last_of_kind(subject: &str, until_ms: i64) -> Option<String> {
    let (kind, _) = subject.split_once('_')?;
    let begun_ms = ids::moment(kind, subject)?;
    (begun_ms > until_ms).then(|| format!("{kind}_{}", "Z".repeat(26)))
}

/// What moved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved {
    pub records: u64,
    /// Bytes that left the database.
    pub bytes: u64,
}

/// Moves journal and XML of the records that were made at this moment or before. A file is
/// durable, was read back and gives the same texts before its record loses them.
///
/// # Errors
/// The database or the store failed; what moved before stays there.
pub async fn move_records(db: &Db, records: &Store, until_ms: i64) -> anyhow::Result<Moved> {
    let (mut moved, mut failed) = (Moved::default(), Failed::default());
    let mut walk = Walk::new(until_ms);
    while let Some(subjects) = walk.next(db, |head| head.place.is_empty()).await? {
        for subject in subjects {
            match one_moved(db, records, &subject).await {
                Ok(Some(left)) => {
                    moved.records += 1;
                    moved.bytes += left;
                }
                Ok(None) => {}
                Err(error) => failed.another(&subject, error)?,
            }
        }
    }
    Ok(moved)
}

/// Records that could not be read or written. One must not hold up the others; where all
/// fail it is the database or the store.
#[derive(Default)]
struct Failed(u32);

impl Failed {
    /// Tells of one more.
    ///
    /// # Errors
    /// They are too many.
    fn another(&mut self, subject: &str, error: anyhow::Error) -> anyhow::Result<()> {
        self.0 += 1;
        if self.0 > FAILURES {
            return Err(error);
        }
        tracing::error!(subject, error = %format!("{error:#}"), "an old record stays as it is");
        Ok(())
    }
}

/// Bytes that left the database; None where nothing moved.
async fn one_moved(db: &Db, records: &Store, subject: &str) -> anyhow::Result<Option<u64>> {
    let Some(row) = read(db, subject).await? else {
        return Ok(None);
    };
    if !row.place.is_empty() {
        return Ok(None);
    }
    let bytes = row.bytes.len();
    let mut conn = db.read().await?;
    let mut near = row.here(&mut conn).await?;
    drop(conn);
    let far = near.split(texts::stays);
    if far.is_empty() {
        return Ok(None);
    }
    let (near, named) = divided(&row, &near, &far, records).await?;
    let left = bytes.saturating_sub(near.bytes.len());
    let replaced = replaced(db, row, near, named).await?;
    Ok(replaced.then_some(left as u64))
}

async fn read(db: &Db, subject: &str) -> anyhow::Result<Option<PackedRow>> {
    let mut conn = db.read().await?;
    Ok(packed::get(&mut conn, subject).await?)
}

/// Puts what moves into the store; the row as it is without it, and the certificates that
/// what moved names.
async fn divided(
    row: &PackedRow,
    near: &Record,
    far: &Record,
    records: &Store,
) -> anyhow::Result<(PackedRow, Vec<Certificate>)> {
    let layout = layout_of(row);
    let far = packed::pack_proven(far, layout, &row.subject_id)?;
    let sha256 = packed::hex(&far.bytes);
    faultpoint::hit("move, before the file");
    // Named by its content: who died after this writes the same file again.
    let name = format!("{}-{}", row.subject_id, &sha256[..16]);
    let place = records.put(&row.account_id, &name, &far.bytes).await?;
    faultpoint::hit("move, file written");
    let near = packed::pack_proven(near, layout, &row.subject_id)?;
    let row = PackedRow {
        dictionary: i64::from(near.dictionary),
        bytes: near.bytes,
        place,
        sha256,
        ..row.clone()
    };
    Ok((row, far.certificates))
}

/// The layout whose dictionary the record was written with.
fn layout_of(row: &PackedRow) -> Layout {
    let all = Dictionaries::shipped().all().iter();
    let mut own = all.filter(|one| i64::from(one.id) == row.dictionary);
    own.next().map_or(Layout::Generic, |one| one.layout)
}

async fn replaced(
    db: &Db,
    before: PackedRow,
    after: PackedRow,
    named: Vec<Certificate>,
) -> anyhow::Result<bool> {
    let written = db.write((before, after, named), |(before, after, named), conn| {
        Box::pin(async move {
            packed_certificates::keep(conn, named).await?;
            let replaced = packed::replace(conn, before, after).await?;
            faultpoint::hit("move, before commit");
            Ok::<_, TxError<Infallible>>(replaced)
        })
    });
    let written = written.await?;
    faultpoint::hit("move, committed");
    Ok(written)
}

/// Drops the journals of records that were made at this moment or before; how many.
///
/// # Errors
/// The database or the store failed.
pub async fn drop_journals(db: &Db, records: &Store, until_ms: i64) -> anyhow::Result<u64> {
    let (mut dropped, mut failed) = (0, Failed::default());
    let mut walk = Walk::new(until_ms);
    while let Some(subjects) = walk.next(db, |head| head.journal == 1).await? {
        for subject in subjects {
            match one_dropped(db, records, &subject).await {
                Ok(done) => dropped += u64::from(done),
                Err(error) => failed.another(&subject, error)?,
            }
        }
    }
    Ok(dropped)
}

/// Drops the journal of a record, in the file too that it moved to; false where the record is
/// another meanwhile.
async fn one_dropped(db: &Db, records: &Store, subject: &str) -> anyhow::Result<bool> {
    let Some(row) = read(db, subject).await? else {
        return Ok(false);
    };
    if row.journal == 0 {
        return Ok(false);
    }
    let mut conn = db.read().await?;
    let mut record = row.whole(&mut conn).await?;
    drop(conn);
    record.split(|name| !texts::is_journal(name));
    let (after, named) = if row.place.is_empty() {
        let packed = packed::pack_proven(&record, layout_of(&row), subject)?;
        let after = PackedRow {
            dictionary: i64::from(packed.dictionary),
            bytes: packed.bytes,
            ..row.clone()
        };
        (after, packed.certificates)
    } else {
        let far = record.split(texts::stays);
        divided(&row, &record, &far, records).await?
    };
    let after = PackedRow {
        journal: 0,
        ..after
    };
    let old = (row.place != after.place).then(|| row.place.clone());
    let done = replaced(db, row, after, named).await?;
    // A backup has the files of a folder, and not those of a bucket: there an older database
    // that is restored finds its own.
    if let Some(old) = old.filter(|_| done && records.is_folder()) {
        records.remove(&old).await;
    }
    Ok(done)
}
