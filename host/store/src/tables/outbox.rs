//! Table `outbox`: events for the customer, in the transaction that made them.
//!
//! An event is written without a place; [`place`] gives it one in its account's
//! order afterwards, so that a reader who goes on from the last place misses no
//! event. Old ones are removed ([`purge`]); what the history of a note says of them
//! is in its packed record.

use super::packed;
use crate::ids::{AccountId, EmitterId, NotaId, OutboxId};
use crate::words::{Ambiente, Maybe};
use crate::writer::calls::{self, Cause};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row, stored};
use packing::Record;

row! {
    #[derive(Clone, Debug, Default)]
    pub struct OutboxRow {
        pub id: OutboxId,
        pub account_id: AccountId,
        pub tipo: String,
        /// Note, event or received note it is about.
        pub subject_id: String,
        /// JSON: what happened.
        pub payload: String,
        pub created_at_ms: i64,
        /// Empty when it is about no company.
        pub emitter_id: Maybe<EmitterId>,
        /// None when it is about no environment.
        pub ambiente: Maybe<Ambiente>,
        /// 1: asked for by "test this webhook".
        pub teste: i64,
        /// Place in the account's order, from 1; 0 before it has one.
        pub sequencia: i64,
    }
}

row! {
    /// That the customer was told something of a note.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ToldRow {
        pub id: OutboxId,
        pub tipo: String,
        pub created_at_ms: i64,
    }
}

row! {
    /// Events that are old, in the order of their ids.
    #[derive(Clone, Debug)]
    pub struct Old {
        /// Of the last of them; empty: there are none.
        pub last: OutboxId,
        /// How many of them nothing needs any more.
        pub many: i64,
    }
}

row! {
    struct Account {
        account_id: AccountId,
    }
}

/// Which events of an account.
#[derive(Clone, Debug, Default)]
pub struct Feed {
    pub account_id: AccountId,
    /// The environment the key does not see.
    pub unseen: String,
    /// Places above this one.
    pub after: i64,
    /// Epoch milliseconds: none older.
    pub since_ms: i64,
    /// Empty: any.
    pub kind: String,
    /// Empty: any.
    pub emitter_id: Maybe<EmitterId>,
}

/// Whether an event of this kind tells that a document was authorized, which is
/// what the customer pays for.
pub fn is_authorization(kind: &str) -> bool {
    [".autorizada", ".autorizado", ".emitida"]
        .iter()
        .any(|end| kind.ends_with(end))
}

const INSERT: &str = "INSERT INTO outbox (id, account_id, tipo, subject_id, payload, created_at_ms, emitter_id, ambiente, teste) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const OF_SUBJECT: &str =
    "SELECT * FROM outbox WHERE account_id || '' = $1 AND subject_id = $2 ORDER BY id LIMIT 100";
const TOLD: &str = "SELECT id, tipo, created_at_ms FROM outbox WHERE account_id || '' = $1 AND subject_id = $2 ORDER BY id LIMIT 100";
const GET: &str = "SELECT * FROM outbox WHERE account_id = $1 AND id = $2 AND ambiente <> $3";
const BY_ID: &str = "SELECT * FROM outbox WHERE id = $1";
const BY_IDS_POSTGRES: &str = "SELECT * FROM outbox WHERE id = ANY($1) LIMIT 1000";
const NEW_OF: &str = "SELECT DISTINCT account_id FROM outbox WHERE sequencia = 0 AND teste = 0 ORDER BY account_id LIMIT 200";
const OPEN_ORDER: &str = "INSERT INTO event_order (account_id, last) VALUES ($1, 0) ON CONFLICT (account_id) DO UPDATE \
     SET last = event_order.last RETURNING last";
// `sequencia > 0`, here and below, repeats the condition of the partial index
// of places. Without it the index is not used, and every event of the account
// is read. It stands behind the place from which on is read: SQLite begins at the first of two
// lower bounds.
// The casts: see `deliveries::FAN_OUT`.
const NOTICES: &str = "SELECT * FROM outbox WHERE account_id = $1 AND sequencia > CAST($2 AS BIGINT) AND sequencia > 0 AND sequencia <= CAST($3 AS BIGINT) \
     AND tipo IN ('saldo.baixo', 'certificado.expirando') ORDER BY sequencia LIMIT 500";
const PLACE: &str = "UPDATE outbox SET sequencia = $2 + x.place \
     FROM (SELECT y.id AS placed, ROW_NUMBER() OVER (ORDER BY y.id) AS place FROM (SELECT o.id AS id FROM outbox o \
     WHERE o.account_id = $1 AND o.sequencia = 0 AND o.teste = 0 ORDER BY o.id LIMIT CAST($3 AS BIGINT)) AS y) AS x WHERE outbox.id = x.placed";
const LAST: &str = "SELECT last FROM event_order WHERE account_id = $1";
const MOVE_ORDER: &str = "UPDATE event_order SET last = last + $2 WHERE account_id = $1";
// The cast of the place: see `deliveries::FAN_OUT`.
const FEED: &str = "SELECT * FROM outbox WHERE account_id = $1 AND sequencia > CAST($2 AS BIGINT) AND sequencia > 0 AND ambiente <> $3 AND created_at_ms >= $4 \
     AND ($5 = '' OR tipo = $5) AND ($6 = '' OR emitter_id = $6) ORDER BY sequencia LIMIT CAST($7 AS BIGINT)";
// Ids sort by the time of their event, so no index of ages is kept for this. The two statements
// have the same conditions: the first one is asked without holding the writer. The ids of an
// event's deliveries begin with its own, and ten letters of a webhook's id follow
// (`deliveries::id_of`): they are a range of the primary key, and no index by event is kept.
// `packed` = 2 (`packed::WITH_ROW`): records of the form before say nothing of events.
const OLD: &str = "SELECT COALESCE(MAX(x.id), '') AS last, COALESCE(SUM(x.gone), 0) AS many FROM (SELECT o.id AS id, \
     CASE WHEN o.created_at_ms < $3 AND o.sequencia > 0 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id > 'ent_' || SUBSTR(o.id, 5) AND d.id < 'ent_' || SUBSTR(o.id, 5) || 'zzzzzzzzzzz') \
     AND NOT EXISTS (SELECT 1 FROM notas n WHERE n.id = o.subject_id AND n.packed <> 2) THEN 1 ELSE 0 END AS gone \
     FROM outbox o WHERE o.id > $1 AND o.id < $2 ORDER BY o.id LIMIT CAST($4 AS BIGINT)) AS x";
const PURGE: &str = "DELETE FROM outbox WHERE id > $1 AND id <= $2 AND created_at_ms < $3 AND sequencia > 0 \
     AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id > 'ent_' || SUBSTR(outbox.id, 5) AND d.id < 'ent_' || SUBSTR(outbox.id, 5) || 'zzzzzzzzzzz') \
     AND NOT EXISTS (SELECT 1 FROM notas n WHERE n.id = outbox.subject_id AND n.packed <> 2)";

/// What a record calls the events of its note.
const PART: &str = "note/told";
/// Events of a note that its history shows, the first ones.
const MOST_TOLD: usize = 100;

/// Also calls the loop that gives events their places, once the transaction is durable.
pub async fn insert(conn: &mut Conn, row: &OutboxRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &row.id,
        &row.account_id,
        &row.tipo,
        &row.subject_id,
        &row.payload,
        row.created_at_ms,
        &row.emitter_id,
        row.ambiente,
        row.teste
    )?;
    calls::note(Cause::Events);
    Ok(())
}

pub async fn of_subject(
    conn: &mut Conn,
    account: &AccountId,
    subject: &str,
) -> DbResult<Vec<OutboxRow>> {
    fetch_all!(conn, OutboxRow, OF_SUBJECT, account, subject)
}

/// What the customer was told of a note, in order, whether it is a row yet or only in the
/// record of the note.
///
/// # Errors
/// The database failed, or the record cannot be read.
pub async fn told(conn: &mut Conn, account: &AccountId, nota: &NotaId) -> DbResult<Vec<ToldRow>> {
    // Rows first: one that is removed was in the record before.
    let rows = told_rows(conn, account, nota).await?;
    match packed::get(conn, nota).await? {
        Some(row) if row.account_id == *account => Ok(joined(in_record(&row.near()?, nota)?, rows)),
        _ => Ok(rows),
    }
}

/// What the customer was told of a note and is a row yet.
pub(super) async fn told_rows(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
) -> DbResult<Vec<ToldRow>> {
    fetch_all!(conn, ToldRow, TOLD, account, nota)
}

/// Writes into the record of a note what its customer was told of it; what the record says
/// of that already stays in it.
pub(super) fn keep(record: &mut Record, told: &[ToldRow], nota: &NotaId) -> DbResult<()> {
    let all = joined(in_record(record, nota)?, told.to_vec());
    if all.is_empty() {
        return Ok(());
    }
    let all: Vec<(&str, &str, i64)> = all
        .iter()
        .map(|row| (row.id.as_str(), row.tipo.as_str(), row.created_at_ms))
        .collect();
    let text = serde_json::to_string(&all);
    let text = text.map_err(|error| sqlx::Error::Encode(error.into()))?;
    record.set(PART.to_owned(), text.into_bytes());
    Ok(())
}

/// What a record says that the customer was told; one of an older version says nothing.
fn in_record(record: &Record, nota: &NotaId) -> DbResult<Vec<ToldRow>> {
    let Some(text) = record.get(PART) else {
        return Ok(Vec::new());
    };
    let text = packed::text_of(text, nota)?;
    let told: Vec<(OutboxId, String, i64)> = stored(&text, "packed events", nota)?;
    let rows = told.into_iter().map(|(id, kind, created_at_ms)| ToldRow {
        id,
        tipo: kind,
        created_at_ms,
    });
    Ok(rows.collect())
}

/// Each event once, in order.
fn joined(mut all: Vec<ToldRow>, more: Vec<ToldRow>) -> Vec<ToldRow> {
    all.extend(more);
    all.sort_by(|one, other| one.id.cmp(&other.id));
    all.dedup_by(|one, other| one.id == other.id);
    all.truncate(MOST_TOLD);
    all
}

/// One event, unless it is of the environment the key does not see.
pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &OutboxId,
    unseen: &str,
) -> DbResult<Option<OutboxRow>> {
    fetch_optional!(conn, OutboxRow, GET, account, id, unseen)
}

/// Events of any account: a thousand at most, those that are there, in any order. For who
/// delivers.
pub async fn by_ids(conn: &mut Conn, ids: &[&OutboxId]) -> DbResult<Vec<OutboxRow>> {
    match conn {
        Conn::Sqlite(conn) => {
            let mut rows = Vec::with_capacity(ids.len());
            for id in ids {
                rows.extend(conn.first::<OutboxRow>(BY_ID, &[*id])?);
            }
            Ok(rows)
        }
        Conn::Postgres(conn) => {
            let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
            let rows = sqlx::query_as(BY_IDS_POSTGRES).bind(ids);
            rows.fetch_all(&mut **conn).await
        }
    }
}

/// Accounts with events that have no place yet; all tenants, for the job.
pub async fn accounts_with_new(conn: &mut Conn) -> DbResult<Vec<AccountId>> {
    let rows = fetch_all!(conn, Account, NEW_OF)?;
    Ok(rows.into_iter().map(|row| row.account_id).collect())
}

/// Gives the account's next events their places: those after `.0` up to `.1`.
/// Holds the account's order until the transaction ends, so places become
/// visible in order.
pub async fn place(conn: &mut Conn, account: &AccountId, limit: i64) -> DbResult<(i64, i64)> {
    let last = fetch_value!(conn, i64, OPEN_ORDER, account)?.unwrap_or(0);
    let placed = execute!(conn, PLACE, account, last, limit)?;
    let placed = i64::try_from(placed).unwrap_or(0);
    execute!(conn, MOVE_ORDER, account, placed)?;
    Ok((last, last + placed))
}

/// The last place of the account's order; 0: no event has one.
pub async fn last(conn: &mut Conn, account: &AccountId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, LAST, account)?.unwrap_or(0))
}

/// The same, and until the transaction ends no event of the account is given a place.
pub async fn held(conn: &mut Conn, account: &AccountId) -> DbResult<i64> {
    // An account without events gets its row here: there is nothing else to lock.
    Ok(fetch_value!(conn, i64, OPEN_ORDER, account)?.unwrap_or(0))
}

/// Those of the events in places `after + 1 ..= upto` that people are told of.
pub async fn notices(
    conn: &mut Conn,
    account: &AccountId,
    after: i64,
    upto: i64,
) -> DbResult<Vec<OutboxRow>> {
    fetch_all!(conn, OutboxRow, NOTICES, account, after, upto)
}

/// Placed events, in order.
pub async fn feed(conn: &mut Conn, feed: &Feed, limit: i64) -> DbResult<Vec<OutboxRow>> {
    fetch_all!(
        conn,
        OutboxRow,
        FEED,
        &feed.account_id,
        feed.after,
        &feed.unseen,
        feed.since_ms,
        &feed.kind,
        &feed.emitter_id,
        limit
    )
}

/// The next `limit` events after an id that are of before a moment, and how many of them
/// [`purge`] would remove; None: there are none.
pub async fn old(
    conn: &mut Conn,
    after: &OutboxId,
    before_ms: i64,
    limit: i64,
) -> DbResult<Option<Old>> {
    let first = OutboxId::floor(before_ms);
    let old = fetch_optional!(conn, Old, OLD, after, &first, before_ms, limit)?;
    Ok(old.filter(|old| !old.last.is_empty()))
}

/// Removes events of before a moment whose ids are above `after` and not above `last`; how
/// many. One stays that has no place yet or has a delivery, and one of a note that is not packed,
/// or whose record is of an earlier version: its history asks for it until its record says it.
pub async fn purge(
    conn: &mut Conn,
    after: &OutboxId,
    last: &OutboxId,
    before_ms: i64,
) -> DbResult<u64> {
    execute!(conn, PURGE, after, last, before_ms)
}
