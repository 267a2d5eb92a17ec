//! Documents into records, some at a time.

use super::{BATCH, Prepared, write};
use base::{faultpoint, ids};
use futures::future::join_all;
use std::collections::BTreeSet;
use store::tables::packs::{self, Pack};
use store::{Conn, Db, DbResult};

/// Where packing stands among the documents.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The last flow that was looked at: when it ended, and its id.
    flow: (i64, String),
    /// The last document with an artifact; None: flows come first.
    document: Option<String>,
    /// The last note whose record was looked at; None: flows and artifacts come first.
    note: Option<String>,
    /// Records of earlier versions are made anew at the end.
    renews: bool,
}

impl Place {
    /// The beginning, of who makes the records of earlier versions anew, too.
    pub fn everything() -> Place {
        Place {
            renews: true,
            ..Place::default()
        }
    }
}

/// What became of some documents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Batch {
    /// Documents whose texts are in their records now.
    pub records: u64,
    /// Bytes of those texts, and of the records.
    pub texts: u64,
    pub bytes: u64,
    /// Documents that changed while they were packed: another time.
    pub lost: u64,
    /// Documents that cannot be packed, which is logged.
    pub failed: u64,
    /// There is no document more; the place is at the beginning again.
    pub is_last: bool,
}

impl Batch {
    /// Adds another one.
    pub fn add(&mut self, other: &Batch) {
        self.records += other.records;
        self.texts += other.texts;
        self.bytes += other.bytes;
        self.lost += other.lost;
        self.failed += other.failed;
    }
}

/// Packs the next documents that did not change after `until_ms`, each in a transaction of
/// its own.
///
/// # Errors
/// The database failed; documents before that are packed.
pub async fn batch(db: &Db, place: &mut Place, until_ms: i64) -> anyhow::Result<Batch> {
    let (subjects, is_last) = next(db, place, until_ms).await?;
    let mut done = Batch {
        is_last,
        ..Batch::default()
    };
    let mut packs = Vec::new();
    for subject in &subjects {
        faultpoint::hit("pack, read");
        let mut conn = db.read().await?;
        match packs::prepare(&mut conn, subject, until_ms).await {
            Ok(Some(pack)) => packs.push(pack),
            Ok(None) => {}
            Err(error) => {
                done.failed += 1;
                tracing::error!(subject, %error, "a document cannot be packed");
            }
        }
        drop(conn);
        tokio::task::yield_now().await;
    }
    let sizes = packs.iter().map(|pack| (pack.texts, pack.packed()));
    let sizes: Vec<(usize, usize)> = sizes.collect();
    let written = join_all(packs.into_iter().map(|pack| write(db, pack))).await;
    for (written, (texts, bytes)) in written.into_iter().zip(sizes) {
        if written? {
            done.records += 1;
            done.texts += texts as u64;
            done.bytes += bytes as u64;
        } else {
            done.lost += 1;
        }
    }
    Ok(done)
}

/// The next documents, and whether they are the last.
async fn next(
    db: &Db,
    place: &mut Place,
    until_ms: i64,
) -> anyhow::Result<(BTreeSet<String>, bool)> {
    let mut conn = db.read().await?;
    if place.note.is_some() {
        return renewed(&mut conn, place).await;
    }
    if place.document.is_none() {
        let after = (place.flow.0, place.flow.1.as_str());
        let flows = packs::settled(&mut conn, until_ms, after, BATCH).await?;
        if let Some(last) = flows.last() {
            place.flow = (last.updated_at_ms, last.id.to_string());
            return Ok((
                flows.into_iter().map(|flow| flow.subject_id).collect(),
                false,
            ));
        }
    }
    let after = place.document.clone().unwrap_or_default();
    let kept = packs::kept(&mut conn, &after, BATCH).await?;
    match kept.last() {
        Some(last) => place.document = Some(last.subject_id.clone()),
        None if place.renews => place.note = Some(String::new()),
        None => *place = Place::default(),
    }
    let is_last = kept.is_empty() && !place.renews;
    let old = kept.into_iter().filter(|one| {
        // Ids tell when a document began; whether it is settled is looked at next.
        let kind = one.subject_id.split('_').next().unwrap_or_default();
        ids::moment(kind, &one.subject_id).is_none_or(|begun_ms| begun_ms <= until_ms)
    });
    Ok((old.map(|one| one.subject_id).collect(), is_last))
}

/// The next notes whose records are of earlier versions, and whether there is none more.
async fn renewed(conn: &mut Conn, place: &mut Place) -> anyhow::Result<(BTreeSet<String>, bool)> {
    let after = place.note.clone().unwrap_or_default();
    let most = usize::try_from(BATCH)?;
    let (found, last) = packs::first_form(conn, &after, most).await?;
    let is_last = last.is_none();
    if is_last {
        *place = Place::everything();
    } else {
        place.note = last;
    }
    Ok((found.into_iter().collect(), is_last))
}

impl Prepared for Pack {
    const POINTS: [&'static str; 3] = [
        "pack, before writing",
        "pack, before commit",
        "pack, committed",
    ];

    async fn replace(&self, conn: &mut Conn) -> DbResult<bool> {
        packs::write(conn, self).await
    }
}
