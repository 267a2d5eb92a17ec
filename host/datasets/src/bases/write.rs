//! The second pass over a base: rows in order, in small transactions.

use super::{At, Row, Take};
use crate::ImportError;
use crate::load::plain;
use base::faultpoint;
use base::when::Clock;
use std::collections::HashSet;
use std::mem;
use store::tables::companies::{self, EstablishmentRow, RecordRow};
use store::tables::editions::{self, CodeRow};
use store::tables::streets::{self, StreetRow};
use store::{Conn, Db, DbError, DbResult, TxError};
use tokio::sync::mpsc;

/// Rows that are put in order before they are written, some 300 bytes each:
/// neighbours stand on the same pages of the database.
const CHUNK: usize = 100_000;
/// Rows of a transaction.
const BATCH: usize = 2_500;
/// Batches that are read before they are written.
pub(crate) const AHEAD: usize = 4;
/// Repeated rows that are told; the others are only counted.
const SHOWN: usize = crate::report::SHOWN;

/// Rows of one table.
enum Rows {
    Codes(Vec<CodeRow>),
    Establishments(Vec<EstablishmentRow>),
    Records(Vec<RecordRow>),
    Streets(Vec<StreetRow>),
}

/// Rows of one transaction.
pub(crate) struct Batch {
    rows: Rows,
    /// Where each of them is from.
    places: Vec<At>,
    /// Rows that stood in the same chunk twice.
    repeated: Vec<(At, String)>,
}

/// Puts rows in order and hands them on.
pub(crate) struct Writer {
    chunk: Vec<(At, Row)>,
    batches: mpsc::Sender<Batch>,
}

impl Writer {
    pub(crate) fn new(batches: mpsc::Sender<Batch>) -> Writer {
        Writer {
            chunk: Vec::new(),
            batches,
        }
    }
}

impl Take for Writer {
    fn take(&mut self, at: At, row: Row) -> Result<(), ImportError> {
        let other = self
            .chunk
            .last()
            .is_some_and(|(_, last)| mem::discriminant(last) != mem::discriminant(&row));
        if other || self.chunk.len() >= CHUNK {
            self.settle()?;
        }
        self.chunk.push((at, row));
        Ok(())
    }

    fn settle(&mut self) -> Result<(), ImportError> {
        let mut chunk = mem::take(&mut self.chunk);
        // Stable: of rows with one key the first stays the first.
        chunk.sort_by(|(_, a), (_, b)| key(a).cmp(&key(b)));
        let mut rows = chunk.into_iter().peekable();
        while rows.peek().is_some() {
            let batch = batch(&mut rows);
            let stopped = || ImportError::Refused("writing stopped".to_owned());
            self.batches.blocking_send(batch).map_err(|_| stopped())?;
        }
        Ok(())
    }
}

/// The key of a row in its table.
fn key(row: &Row) -> (&str, &str, i64, i64) {
    match row {
        Row::Code(row) => (&row.code, "", 0, 0),
        Row::Establishment(row) => (&row.base, &row.branch, 0, 0),
        Row::Record(row) => (&row.base, &row.part, 0, 0),
        Row::Street(row) => ("", "", row.cep, row.place),
    }
}

/// What customers of the file know a row by.
fn shown(row: &Row) -> String {
    match row {
        Row::Code(row) => row.code.clone(),
        Row::Establishment(row) => format!("{}{}", row.base, row.branch),
        Row::Record(row) => format!("{}/{}", row.base, row.part),
        Row::Street(row) => format!("{:08}", row.cep),
    }
}

/// The next rows, each key once.
fn batch(rows: &mut impl Iterator<Item = (At, Row)>) -> Batch {
    let mut taken: Vec<(At, Row)> = Vec::with_capacity(BATCH);
    let mut repeated = Vec::new();
    for (at, row) in rows {
        let same = taken.last().is_some_and(|(_, last)| key(last) == key(&row));
        if same {
            repeated.push((at, shown(&row)));
            continue;
        }
        taken.push((at, row));
        if taken.len() >= BATCH {
            break;
        }
    }
    let places = taken.iter().map(|(at, _)| *at).collect();
    let (mut codes, mut establishments) = (Vec::new(), Vec::new());
    let (mut records, mut all) = (Vec::new(), Vec::new());
    for (_, row) in taken {
        match row {
            Row::Code(row) => codes.push(row),
            Row::Establishment(row) => establishments.push(row),
            Row::Record(row) => records.push(row),
            Row::Street(row) => all.push(row),
        }
    }
    // A chunk has rows of one table.
    let rows = if !establishments.is_empty() {
        Rows::Establishments(establishments)
    } else if !records.is_empty() {
        Rows::Records(records)
    } else if !all.is_empty() {
        Rows::Streets(all)
    } else {
        Rows::Codes(codes)
    };
    Batch {
        rows,
        places,
        repeated,
    }
}

/// What became of the rows.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Rows whose key was there already: how many, and the first of them.
    pub repeated: u64,
    pub shown: Vec<(At, String)>,
    /// Establishments, or streets.
    pub rows: u64,
    /// What was said of companies none of whose establishments is kept.
    pub left_out: u64,
}

/// What became of the rows of a transaction.
#[derive(Default)]
struct Done {
    /// Their places in the batch.
    there: Vec<usize>,
    left_out: u64,
    rows: u64,
}

impl Written {
    fn note(&mut self, batch: &Batch, done: &Done) {
        self.rows += done.rows;
        self.left_out += done.left_out;
        self.repeated += (batch.repeated.len() + done.there.len()) as u64;
        let there = done.there.iter().filter_map(|place| {
            let key = batch.rows.shown(*place)?;
            Some((*batch.places.get(*place)?, key))
        });
        let found = batch.repeated.iter().cloned().chain(there);
        let room = SHOWN.saturating_sub(self.shown.len());
        self.shown.extend(found.take(room));
    }
}

impl Rows {
    fn shown(&self, place: usize) -> Option<String> {
        Some(match self {
            Rows::Codes(rows) => shown(&Row::Code(rows.get(place)?.clone())),
            Rows::Establishments(rows) => shown(&Row::Establishment(rows.get(place)?.clone())),
            Rows::Records(rows) => shown(&Row::Record(rows.get(place)?.clone())),
            Rows::Streets(rows) => shown(&Row::Street(rows.get(place)?.clone())),
        })
    }
}

/// Writes batches until there are no more.
///
/// # Errors
/// The database fails, or another process gave the import up.
pub(crate) async fn write(
    db: &Db,
    clock: &Clock,
    edition: i64,
    batches: &mut mpsc::Receiver<Batch>,
) -> Result<Written, ImportError> {
    let mut written = Written::default();
    while let Some(batch) = batches.recv().await {
        let input = (edition, clock(), std::sync::Arc::new(batch));
        let batch = input.2.clone();
        let done = db.write(input, |(edition, now_ms, batch), conn| {
            Box::pin(async move {
                let done = insert(conn, *edition, &batch.rows).await?;
                let alive = editions::touch(conn, *edition, *now_ms).await?;
                Ok::<_, TxError<DbError>>(alive.then_some(done))
            })
        });
        let done = done.await.map_err(plain)?;
        faultpoint::hit("datasets.batch");
        let Some(done) = done else {
            let why = "another process gave this import up";
            return Err(ImportError::Refused(why.to_owned()));
        };
        written.note(&batch, &done);
    }
    Ok(written)
}

async fn insert(conn: &mut Conn, edition: i64, rows: &Rows) -> DbResult<Done> {
    Ok(match rows {
        Rows::Codes(rows) => {
            editions::insert_rows(conn, edition, rows).await?;
            Done::default()
        }
        Rows::Establishments(rows) => {
            let there = companies::insert_establishments(conn, edition, rows).await?;
            Done {
                rows: (rows.len() - there.len()) as u64,
                there,
                left_out: 0,
            }
        }
        Rows::Records(rows) => records(conn, edition, rows).await?,
        Rows::Streets(rows) => {
            streets::insert(conn, edition, rows).await?;
            Done {
                rows: rows.len() as u64,
                ..Done::default()
            }
        }
    })
}

/// Writes what is said of those companies that have an establishment.
async fn records(conn: &mut Conn, edition: i64, rows: &[RecordRow]) -> DbResult<Done> {
    let mut bases: Vec<&str> = rows.iter().map(|row| row.base.as_str()).collect();
    bases.dedup();
    let known: HashSet<String> = companies::known_bases(conn, edition, &bases).await?;
    let kept = rows.iter().enumerate();
    let (places, kept): (Vec<usize>, Vec<RecordRow>) = kept
        .filter(|(_, row)| known.contains(&row.base))
        .map(|(place, row)| (place, row.clone()))
        .unzip();
    let there = companies::insert_records(conn, edition, &kept).await?;
    let there = there.into_iter();
    Ok(Done {
        there: there.filter_map(|at| places.get(at).copied()).collect(),
        left_out: (rows.len() - kept.len()) as u64,
        rows: 0,
    })
}
