//! The queues of the distribution: for each interested party the documents
//! about it, numbered (NSU). The documents are made when they are asked for.

use std::ops::ControlFlow;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, params};

use crate::clock::DAY_MS;
use crate::notes::store::{Store, column};

/// Documents are kept for three months.
pub(super) const KEEP_MS: i64 = 90 * DAY_MS;
/// Most documents that leave a queue when one is added: more than come, so
/// that a queue has those of three months and few more.
const MAX_FORGOTTEN: i64 = 4;

/// What an NSU stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doc {
    NotaSummary(String),
    Nota(String),
    EventSummary(String, String, u32),
    Event(String, String, u32),
}

impl ToSql for Doc {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = match self {
            Self::NotaSummary(key) => format!("resumo|{key}"),
            Self::Nota(key) => format!("nota|{key}"),
            Self::EventSummary(key, kind, n) => format!("resumo|{key}|{kind}|{n}"),
            Self::Event(key, kind, n) => format!("evento|{key}|{kind}|{n}"),
        };
        Ok(text.into())
    }
}

impl FromSql for Doc {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let unknown = || FromSqlError::Other(format!("no document of a queue: {text}").into());
        let number = |n: &str| n.parse().map_err(|_| unknown());
        match text.split('|').collect::<Vec<_>>().as_slice() {
            ["resumo", key] => Ok(Self::NotaSummary((*key).to_owned())),
            ["nota", key] => Ok(Self::Nota((*key).to_owned())),
            ["resumo", key, kind, n] => Ok(Self::EventSummary(
                (*key).to_owned(),
                (*kind).to_owned(),
                number(n)?,
            )),
            ["evento", key, kind, n] => Ok(Self::Event(
                (*key).to_owned(),
                (*kind).to_owned(),
                number(n)?,
            )),
            _ => Err(unknown()),
        }
    }
}

/// Adds a document that can be seen from a moment on.
pub(super) fn add(store: &Store, local: &str, document: &str, from_ms: i64, doc: &Doc) {
    let sql = "INSERT INTO parties (place, document, last) VALUES (?, ?, 1)
         ON CONFLICT (place, document) DO UPDATE SET last = last + 1 RETURNING last";
    let Some(nsu) = store.one(sql, [local, document], |row| row.get::<_, i64>(0)) else {
        return;
    };
    let sql = "INSERT INTO queued (place, document, nsu, from_ms, doc) VALUES (?, ?, ?, ?, ?)";
    store.run(sql, params![local, document, nsu, from_ms, doc]);
    forget(store, local, document, from_ms.saturating_sub(KEEP_MS));
}

/// Lets the first documents of a queue go that nobody sees any more.
fn forget(store: &Store, local: &str, document: &str, before_ms: i64) {
    let sql =
        "SELECT nsu, from_ms FROM queued WHERE place = ? AND document = ? ORDER BY nsu LIMIT ?";
    let mut end = None;
    store.each(sql, params![local, document, MAX_FORGOTTEN], |row| {
        if row.get::<_, i64>(1)? >= before_ms {
            return Ok(ControlFlow::Break(()));
        }
        end = Some(row.get::<_, i64>(0)?);
        Ok(ControlFlow::Continue(()))
    });
    if let Some(end) = end {
        let sql = "DELETE FROM queued WHERE place = ? AND document = ? AND nsu <= ?";
        store.run(sql, params![local, document, end]);
    }
}

/// Sets the next NSU of a party; it is never less than it was.
pub(super) fn jump(store: &Store, local: &str, document: &str, next: u64) {
    let sql = "INSERT INTO parties (place, document, last) VALUES (?, ?, ?)
         ON CONFLICT (place, document) DO UPDATE SET last = max(last, excluded.last)";
    let last = column(next.saturating_sub(1));
    store.run(sql, params![local, document, last]);
}

/// The greatest NSU of a party that can be seen; 0 without one.
pub(super) fn greatest(store: &Store, local: &str, document: &str, now_ms: i64) -> u64 {
    let sql = "SELECT nsu FROM queued WHERE place = ? AND document = ? AND from_ms <= ? ORDER BY nsu DESC LIMIT 1";
    store.number(sql, params![local, document, now_ms])
}

/// Documents after an NSU that can be seen and are not too old, at most so many.
pub(super) fn after(
    store: &Store,
    local: &str,
    document: &str,
    nsu: u64,
    now_ms: i64,
    limit: usize,
) -> Vec<(u64, Doc)> {
    let sql = "SELECT nsu, doc FROM queued
         WHERE place = ? AND document = ? AND nsu > ? AND from_ms BETWEEN ? AND ? ORDER BY nsu LIMIT ?";
    let oldest = now_ms.saturating_sub(KEEP_MS);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let binds = params![local, document, column(nsu), oldest, now_ms, limit];
    store.all(sql, binds, entry)
}

/// The NSU under which a party has a document; 0 without one.
pub(super) fn nsu_of(store: &Store, local: &str, document: &str, doc: &Doc) -> u64 {
    // The document first: the index of the party would be walked otherwise.
    let sql = "SELECT nsu FROM queued WHERE doc = ? AND +place = ? AND +document = ? ORDER BY nsu LIMIT 1";
    store.number(sql, params![doc, local, document])
}

fn entry(row: &Row<'_>) -> rusqlite::Result<(u64, Doc)> {
    let nsu: i64 = row.get(0)?;
    let known = u64::try_from(nsu).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, nsu))?;
    Ok((known, row.get(1)?))
}
