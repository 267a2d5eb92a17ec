//! Table `packed_records`: the texts of settled documents, compressed. The tables whose texts
//! they are read them here when a row says that it has none, so nobody else notices.

use super::packed_certificates;
use super::texts::{self, COLUMNS, ROW};
use crate::ids::AccountId;
use crate::sqlite::FromSqlite;
use crate::{
    Conn, DbResult, Present as _, Readable as _, execute, fetch_all, fetch_optional, row, stored,
    unreadable,
};
use packing::{Certificate, Dictionaries, Layout, Packed, Record, Unreadable};
use rusqlite::types::Type;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use tokio::task::spawn_blocking;

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PackedRow {
        pub subject_id: String,
        pub account_id: AccountId,
        /// Kinds of artifacts, each between blanks.
        pub kinds: String,
        pub dictionary: i64,
        /// Where its journal and XML are in the store of objects; empty: here.
        pub place: String,
        /// Of the bytes at `place`, as hex.
        pub sha256: String,
        /// 0: its journal was kept as long as it is kept, and is gone.
        pub journal: i64,
        /// When its document changed last before it was packed.
        pub settled_at_ms: i64,
        pub bytes: Vec<u8>,
    }
}

row! {
    /// A record, to read columns of a row from.
    struct NearRow {
        subject_id: String,
        bytes: Vec<u8>,
    }
}

row! {
    /// What a record is, without its texts: the columns of [`PackedRow`].
    #[derive(Clone, Debug)]
    pub struct HeadRow {
        pub subject_id: String,
        pub place: String,
        pub journal: i64,
        pub settled_at_ms: i64,
    }
}

const GET: &str = "SELECT subject_id, account_id, kinds, dictionary, place, sha256, journal, settled_at_ms, bytes FROM packed_records WHERE subject_id = $1";
// By the primary key alone.
const NEAR: &str = "SELECT subject_id, bytes FROM packed_records WHERE subject_id = $1";
const MANY_SQLITE: &str = "SELECT p.subject_id, p.bytes FROM json_each($1) x CROSS JOIN packed_records p ON p.subject_id = x.value";
const MANY_POSTGRES: &str = "SELECT p.subject_id, p.bytes FROM packed_records p \
     WHERE p.subject_id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS jsonb))))";
// What was packed is in its row again: the record is made anew.
const AGAIN: &str = "UPDATE flows SET packed = -packed WHERE subject_id = $1 AND packed > 0";
const OF_NOTA: &str = "SELECT subject_id, account_id, kinds, dictionary, place, sha256, journal, settled_at_ms, bytes FROM packed_records \
     WHERE account_id = $1 AND subject_id IN (SELECT CAST($2 AS TEXT) UNION ALL SELECT e.id FROM eventos e WHERE e.nota_id = $2) ORDER BY subject_id DESC LIMIT CAST($3 AS BIGINT)";
const AFTER: &str = "SELECT subject_id, account_id, kinds, dictionary, place, sha256, journal, settled_at_ms, bytes FROM packed_records \
     WHERE subject_id > $1 ORDER BY subject_id LIMIT CAST($2 AS BIGINT)";
const NEWEST: &str = "SELECT subject_id, account_id, kinds, dictionary, place, sha256, journal, settled_at_ms, bytes FROM packed_records \
     WHERE subject_id < $1 ORDER BY subject_id DESC LIMIT CAST($2 AS BIGINT)";
// By the primary key alone: what is asked for once a day has no index of its own.
const HEADS: &str = "SELECT subject_id, place, journal, settled_at_ms FROM packed_records WHERE subject_id > $1 ORDER BY subject_id LIMIT CAST($2 AS BIGINT)";
const INSERT: &str = "INSERT INTO packed_records (subject_id, account_id, kinds, dictionary, settled_at_ms, bytes) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const REPLACE: &str = "UPDATE packed_records SET kinds = $2, dictionary = $3, bytes = $4, place = $5, sha256 = $6, journal = $7, settled_at_ms = $8 \
     WHERE subject_id = $1 AND bytes = $9 AND place = $10";

/// The record of a note, event or document of others; None: it has none.
pub async fn get(conn: &mut Conn, subject: &str) -> DbResult<Option<PackedRow>> {
    fetch_optional!(conn, PackedRow, GET, subject)
}

/// Records after a subject, in the order of their subjects.
pub async fn after(conn: &mut Conn, subject: &str, limit: i64) -> DbResult<Vec<PackedRow>> {
    fetch_all!(conn, PackedRow, AFTER, subject, limit)
}

/// The last records in the order of their subjects.
pub async fn newest(conn: &mut Conn, limit: i64) -> DbResult<Vec<PackedRow>> {
    // Behind every subject: ids begin with a prefix in small letters.
    let behind = "zzzz";
    fetch_all!(conn, PackedRow, NEWEST, behind, limit)
}

/// What the records after a subject are, in the order of their subjects.
pub async fn heads(conn: &mut Conn, subject: &str, limit: i64) -> DbResult<Vec<HeadRow>> {
    fetch_all!(conn, HeadRow, HEADS, subject, limit)
}

/// False when the subject has one already.
pub async fn insert(conn: &mut Conn, p: &PackedRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &p.subject_id,
        &p.account_id,
        &p.kinds,
        p.dictionary,
        p.settled_at_ms,
        &p.bytes
    )?;
    Ok(rows == 1)
}

/// False when the record is not `before` any more.
pub async fn replace(conn: &mut Conn, before: &PackedRow, p: &PackedRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        REPLACE,
        &p.subject_id,
        &p.kinds,
        p.dictionary,
        &p.bytes,
        &p.place,
        &p.sha256,
        p.journal,
        p.settled_at_ms,
        &before.bytes,
        &before.place
    )?;
    Ok(rows == 1)
}

/// What `packed` of a note or an event says where its record has its smaller columns, too
/// ([`texts::ROW`]); 1: only content, context and answer, as the first records had them.
pub(crate) const WITH_ROW: i64 = 2;

impl PackedRow {
    /// It has an artifact of this kind.
    pub fn has(&self, kind: &str) -> bool {
        self.kinds.split(' ').any(|one| one == kind)
    }

    /// Its texts that transactions and lists read: those that stay when a record moves.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn near(&self) -> DbResult<Record> {
        let record = Record::unpack_some(&self.bytes, Dictionaries::shipped(), &[], texts::stays);
        readable(record, &self.subject_id)
    }

    /// Its texts that are in the database: all, or those that stay when a record moves.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn here(&self, conn: &mut Conn) -> DbResult<Record> {
        let certificates = packed_certificates::of(conn, &self.bytes, &self.subject_id).await?;
        read(&self.bytes, &certificates, &self.subject_id)
    }

    /// All its texts, those too that moved.
    ///
    /// # Errors
    /// They cannot be read, or the store of objects does not answer.
    pub async fn whole(&self, conn: &mut Conn) -> DbResult<Record> {
        let mut record = self.here(conn).await?;
        if !self.place.is_empty() {
            let far = conn.far(&self.place).await?;
            for part in self.moved(conn, &far).await?.parts() {
                // What was packed later is of the same names only where it is the same.
                if record.get(&part.name).is_none() {
                    record.set(part.name.clone(), part.bytes.clone());
                }
            }
        }
        Ok(record)
    }

    /// The record of the bytes that moved.
    ///
    /// # Errors
    /// They are not those that moved.
    async fn moved(&self, conn: &mut Conn, far: &[u8]) -> DbResult<Record> {
        if hex(far) != self.sha256 {
            return Err(unreadable("packed record that moved", &self.subject_id));
        }
        let certificates = packed_certificates::of(conn, far, &self.subject_id).await?;
        read(far, &certificates, &self.subject_id)
    }
}

/// The bytes of a record, and the certificates that it names. Texts that transactions and
/// lists read ([`PackedRow::near`]) name none.
///
/// # Errors
/// It is larger than a record may be.
pub fn pack(record: &Record, layout: Layout) -> DbResult<Packed> {
    let packed = record.pack(Dictionaries::shipped(), layout, is_aside);
    packed.map_err(|error| sqlx::Error::Encode(error.into()))
}

/// The same, and that it is the same record when it is read again: what takes texts away is
/// not written otherwise.
///
/// # Errors
/// As [`pack`], or it is another record.
pub fn pack_proven(record: &Record, layout: Layout, subject: &str) -> DbResult<Packed> {
    let packed = pack(record, layout)?;
    if read(&packed.bytes, &packed.certificates, subject)? != *record {
        return Err(unreadable("what was packed", subject));
    }
    Ok(packed)
}

/// Certificates inside of the texts of this name are kept once for all records.
pub fn is_aside(name: &str) -> bool {
    !texts::stays(name)
}

/// The record of bytes and of the certificates that they name.
fn read(bytes: &[u8], certificates: &[Certificate], subject: &str) -> DbResult<Record> {
    let record = Record::unpack(bytes, Dictionaries::shipped(), certificates);
    readable(record, subject)
}

pub(super) fn readable(record: Result<Record, Unreadable>, subject: &str) -> DbResult<Record> {
    record.map_err(|error| sqlx::Error::Decode(format!("packed record {subject}: {error}").into()))
}

/// SHA-256 as hex.
pub fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Records of a note and of what was done to it, the newest first.
pub(super) async fn of_nota(
    conn: &mut Conn,
    account: &AccountId,
    nota: &str,
    limit: i64,
) -> DbResult<Vec<PackedRow>> {
    fetch_all!(conn, PackedRow, OF_NOTA, account, nota, limit)
}

/// Fills the columns content, context and answer of a note or an event, as `of` names it,
/// where they are empty because their texts are in a record. The smaller columns of its row
/// are the answer; empty where the record has none.
pub(super) async fn fill(
    conn: &mut Conn,
    subject: &str,
    of: &str,
    columns: [&mut String; 3],
) -> DbResult<Vec<String>> {
    let row = fetch_optional!(conn, NearRow, NEAR, subject)?;
    let row = row.ok_or_else(|| crate::contradiction("a packed row without record", subject))?;
    let record = row.part(|name| {
        name.strip_prefix(of)
            .is_some_and(|rest| rest.starts_with('/'))
    })?;
    for (name, column) in COLUMNS.into_iter().zip(columns) {
        if column.is_empty()
            && let Some(text) = record.get(&format!("{of}/{name}"))
        {
            *column = text_of(text, subject)?;
        }
    }
    row_of(&record, of, subject)
}

/// The smaller columns of many notes by their ids; all of them have a record.
pub(super) async fn rows_of_notes(
    conn: &mut Conn,
    notes: &[&str],
) -> DbResult<HashMap<String, Vec<String>>> {
    if notes.is_empty() {
        return Ok(HashMap::new());
    }
    let ids = json!(notes).to_string();
    let rows = match conn {
        Conn::Sqlite(conn) => {
            let rows = conn.all::<NoteRow>(MANY_SQLITE, &[&ids]);
            rows.await?
        }
        Conn::Postgres(conn) => {
            let rows = sqlx::query_as::<_, NearRow>(MANY_POSTGRES).bind(ids);
            let rows = rows.fetch_all(&mut **conn).await?;
            // Decompressing a page of a list takes longer than a call may keep the others waiting.
            let unpacked = spawn_blocking(|| {
                let notes = rows.into_iter().map(NoteRow::of);
                notes.collect::<DbResult<Vec<_>>>()
            });
            unpacked.await.map_err(|_| sqlx::Error::WorkerCrashed)??
        }
    };
    Ok(rows.into_iter().map(|row| (row.id, row.columns)).collect())
}

/// A note or an event was saved with all its texts: packing takes them once more.
pub(super) async fn again(conn: &mut Conn, subject: &str) -> DbResult<()> {
    execute!(conn, AGAIN, subject)?;
    Ok(())
}

/// The smaller columns of a note. On SQLite they are taken out of the record where its row is
/// read: for a list that is a thread of its own.
struct NoteRow {
    id: String,
    columns: Vec<String>,
}

impl NoteRow {
    fn of(row: NearRow) -> DbResult<NoteRow> {
        let record = row.part(|name| name.strip_prefix("note/") == Some(ROW))?;
        Ok(NoteRow {
            columns: row_of(&record, "note", &row.subject_id)?,
            id: row.subject_id,
        })
    }
}

impl FromSqlite for NoteRow {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<NoteRow> {
        NoteRow::of(NearRow::read(row)?).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(1, Type::Blob, Box::new(error))
        })
    }
}

impl NearRow {
    fn part(&self, wanted: impl Fn(&str) -> bool) -> DbResult<Record> {
        let record = Record::unpack_some(&self.bytes, Dictionaries::shipped(), &[], wanted);
        readable(record, &self.subject_id)
    }
}

/// The smaller columns in a record; empty: it has none.
fn row_of(record: &Record, of: &str, subject: &str) -> DbResult<Vec<String>> {
    match record.get(&format!("{of}/{ROW}")) {
        Some(text) => texts::divided(&text_of(text, subject)?, subject),
        None => Ok(Vec::new()),
    }
}

/// What a record says of a turn of a journal besides its texts.
#[derive(Serialize, Deserialize)]
pub(super) struct About<N> {
    pub(super) step: i64,
    pub(super) next: N,
    pub(super) label: String,
    pub(super) at_ms: i64,
}

/// A turn of a packed journal; the id of its flow is not in a record.
pub(super) struct Turn<N> {
    /// Of its flow, counted from 1.
    pub(super) place: i64,
    pub(super) about: About<N>,
    pub(super) event: String,
    pub(super) event_body: Vec<u8>,
    pub(super) request: String,
    pub(super) request_body: Vec<u8>,
}

/// The journal in a record; empty where it is not kept any more.
pub(super) fn turns_in<N: DeserializeOwned>(
    record: &Record,
    subject: &str,
) -> DbResult<Vec<Turn<N>>> {
    let mut turns = Vec::new();
    let places = (1..).take_while(|place| record.get(&format!("{place}/way")).is_some());
    for place in places {
        let Some(steps) = record.get(&format!("{place}/turns")) else {
            continue;
        };
        let steps: Vec<About<N>> = stored(&text_of(steps, subject)?, "packed journal", subject)?;
        for about in steps {
            let part = |name: &str| {
                let part = record.get(&format!("{place}/{}/{name}", about.step));
                part.present("packed turn", subject)
            };
            turns.push(Turn {
                place,
                event: text_of(part("event")?, subject)?,
                event_body: part("event_body")?.to_vec(),
                request: text_of(part("request")?, subject)?,
                request_body: part("request_body")?.to_vec(),
                about,
            });
        }
    }
    Ok(turns)
}

pub(super) fn text_of(bytes: &[u8], subject: &str) -> DbResult<String> {
    let text = std::str::from_utf8(bytes);
    Ok(text.readable("packed text", subject)?.to_owned())
}
