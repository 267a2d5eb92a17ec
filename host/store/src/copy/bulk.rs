//! Rows of any table, read and written as they stand: what makes a large store of
//! the rows of a few notes (`hub load fill`). Nothing else may write past the tables'
//! own modules.

use super::rows;
pub use super::rows::{Placed, Row, Value};
pub use super::schema::{Column, Kind, Table, tables};
use crate::ids::{AccountId, EmitterId};
use crate::tables::documents::days;
use crate::{Conn, DbResult, execute, fetch_value};

const BEGIN_SQLITE: &str = "BEGIN IMMEDIATE";
const BEGIN_POSTGRES: &str = "BEGIN";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";
/// A generated store that breaks is generated again.
const HURRY_SQLITE: &str = "PRAGMA synchronous = OFF";
/// Indexes of random values are written everywhere: a gigabyte of pages.
const CACHE_SQLITE: &str = "PRAGMA cache_size = -1000000";
const HURRY_POSTGRES: &str = "SET synchronous_commit = off";
const SETTLE_POSTGRES: &str = "ANALYZE";
const HAS_NOTE: &str = "SELECT COUNT(*) FROM notas WHERE id = $1";
const SET_NUMBERS: &str = "INSERT INTO number_sequences (emitter_id, ambiente, modelo, serie, first, next) VALUES ($1, $2, $3, $4, $5, $6) \
     ON CONFLICT (emitter_id, ambiente, modelo, serie) DO UPDATE SET next = $6";
const SET_AVAILABLE: &str =
    "UPDATE ledger_accounts SET balance = $2 WHERE account_id = $1 AND kind = 'available'";
const SET_PLACE: &str = "INSERT INTO event_order (account_id, last) VALUES ($1, $2) \
     ON CONFLICT (account_id) DO UPDATE SET last = $2";
// A copied note has the deliveries of its events, or is too old for them.
const SET_MADE: &str = "UPDATE webhooks SET made_upto = $2 WHERE account_id = $1";

/// Every row of a small table, in the order of its key.
///
/// # Errors
/// The database fails.
pub async fn all(conn: &mut Conn, table: &Table) -> DbResult<Vec<Row>> {
    let mut all = Vec::new();
    let mut walk = rows::Walk::new(table);
    loop {
        let page = walk.next(conn).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

/// Makes writing on this connection quick and unsafe: a power cut may break the store.
///
/// # Errors
/// The database fails.
pub async fn hurry(conn: &mut Conn) -> DbResult<()> {
    if matches!(conn, Conn::Sqlite(_)) {
        execute!(&mut *conn, HURRY_SQLITE)?;
        execute!(&mut *conn, CACHE_SQLITE)?;
    } else {
        execute!(&mut *conn, HURRY_POSTGRES)?;
    }
    Ok(())
}

/// Tells the server how many rows its tables have now: what was planned for an empty store
/// would read whole tables. SQLite plans without.
///
/// # Errors
/// The database fails.
pub async fn settle(conn: &mut Conn) -> DbResult<()> {
    if let Conn::Postgres(_) = conn {
        execute!(conn, SETTLE_POSTGRES)?;
    }
    Ok(())
}

/// # Errors
/// The database fails, or somebody else writes.
pub async fn begin(conn: &mut Conn) -> DbResult<()> {
    let begin = match conn {
        Conn::Sqlite(_) => BEGIN_SQLITE,
        Conn::Postgres(_) => BEGIN_POSTGRES,
    };
    execute!(conn, begin)?;
    Ok(())
}

/// # Errors
/// The database fails.
pub async fn commit(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, COMMIT)?;
    Ok(())
}

/// # Errors
/// The database fails.
pub async fn rollback(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, ROLLBACK)?;
    Ok(())
}

/// Writes rows, of which those that name another row of their table come last.
///
/// # Errors
/// The database refuses one of them.
pub async fn insert(conn: &mut Conn, table: &Table, mut rows: Vec<Row>) -> DbResult<()> {
    if let Some(itself) = &table.itself {
        let place = table
            .columns
            .iter()
            .position(|column| column.name == *itself);
        rows.sort_by_key(|row| place.is_some_and(|place| row[place] != Value::Null));
    }
    rows::insert(conn, table, &rows).await
}

/// Whether there is a note of this id.
///
/// # Errors
/// The database fails.
pub async fn has_note(conn: &mut Conn, id: &str) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, HAS_NOTE, id)?.unwrap_or_default() > 0)
}

/// A series whose numbers from `first` to `next` - 1 are in notes.
#[derive(Clone, Debug)]
pub struct Numbers {
    pub emitter_id: EmitterId,
    pub ambiente: String,
    pub model: String,
    pub serie: String,
    pub first: i64,
    pub next: i64,
}

/// # Errors
/// The database fails.
pub async fn set_numbers(conn: &mut Conn, numbers: &Numbers) -> DbResult<()> {
    let Numbers {
        emitter_id,
        ambiente,
        model,
        serie,
        first,
        next,
    } = numbers;
    let (ambiente, model, serie) = (ambiente.as_str(), model.as_str(), serie.as_str());
    execute!(
        conn,
        SET_NUMBERS,
        emitter_id,
        ambiente,
        model,
        serie,
        *first,
        *next
    )?;
    Ok(())
}

/// Sets what an account can spend, and the last place in the order of its events. Its past days
/// are looked at again, as there may be more documents in them.
///
/// # Errors
/// The database fails.
pub async fn set_account(
    conn: &mut Conn,
    account: &AccountId,
    available: i64,
    place: i64,
) -> DbResult<()> {
    execute!(&mut *conn, SET_AVAILABLE, account, available)?;
    execute!(&mut *conn, SET_PLACE, account, place)?;
    execute!(&mut *conn, SET_MADE, account, place)?;
    days::forget(conn, account).await
}
