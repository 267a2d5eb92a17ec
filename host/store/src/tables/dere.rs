//! Tables `dere_events` and `dere_batches`: events of the DeRE, and batches of
//! them.

use crate::ids::{AccountId, DereBatchId, DereEventId, EmitterId};
use crate::words::{Ambiente, Maybe, words};
use crate::{Conn, DbResult, execute, fetch_optional, row};

words! {
    /// Whether the layout accepts an event.
    #[derive(Default)]
    pub enum DereEventStatus {
        #[default]
        Valid = "valido",
        Invalid = "invalido",
    }
}

words! {
    /// Where a batch stands.
    #[derive(Default)]
    pub enum DereBatchStatus {
        /// Put together, not judged yet.
        #[default]
        Assembled = "montado",
        /// It is being judged.
        Judged = "em_validacao",
        /// The layout accepts all its events; nothing was sent.
        Accepted = "aceito",
        Rejected = "rejeitado",
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct DereEventRow {
        pub id: DereEventId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub ambiente: Ambiente,
        /// Code of the event: `D-1001`.
        pub tipo: String,
        /// `AAAA-MM`.
        pub periodo: String,
        pub leiaute: String,
        /// Root of the company's CNPJ.
        pub inscricao: String,
        /// The id in the document.
        pub chave: String,
        pub status: DereEventStatus,
        /// JSON: what the customer said.
        pub dados: String,
        /// The document; empty where the data cannot be written.
        pub xml: String,
        /// 1: the document has its signature.
        pub assinado: i64,
        /// JSON: what is wrong.
        pub erros: String,
        /// The batch it is in.
        pub batch_id: Maybe<DereBatchId>,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct DereBatchRow {
        pub id: DereBatchId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub ambiente: Ambiente,
        pub leiaute: String,
        /// Root of the company's CNPJ.
        pub inscricao: String,
        pub status: DereBatchStatus,
        /// JSON: the events in their order, each with what was found of it.
        pub eventos: String,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    struct LastKey {
        chave: String,
    }
}

const INSERT_EVENT: &str = "INSERT INTO dere_events (id, account_id, emitter_id, ambiente, tipo, periodo, leiaute, inscricao, chave, status, dados, xml, assinado, erros, batch_id, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING";
const GET_EVENT: &str =
    "SELECT * FROM dere_events WHERE account_id = $1 AND id = $2 AND ambiente <> $3";
const LAST_KEY: &str =
    "SELECT chave FROM dere_events WHERE chave >= $1 AND chave <= $2 ORDER BY chave DESC LIMIT 1";
const JOIN_BATCH: &str = "UPDATE dere_events SET batch_id = $3, updated_at_ms = $4 WHERE account_id = $1 AND id = $2 \
     AND (batch_id = '' OR EXISTS (SELECT 1 FROM dere_batches b WHERE b.id = dere_events.batch_id AND b.status = 'rejeitado'))";
const JUDGED_EVENT: &str = "UPDATE dere_events SET leiaute = $4, status = $5, xml = $6, assinado = $7, erros = $8, updated_at_ms = $9 \
     WHERE account_id = $1 AND id = $2 AND batch_id = $3";
const INSERT_BATCH: &str = "INSERT INTO dere_batches (id, account_id, emitter_id, ambiente, leiaute, inscricao, status, eventos, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
const GET_BATCH: &str =
    "SELECT * FROM dere_batches WHERE account_id = $1 AND id = $2 AND ambiente <> $3";
const JUDGED_BATCH: &str = "UPDATE dere_batches SET leiaute = $3, status = $4, eventos = $5, updated_at_ms = $6 WHERE account_id = $1 AND id = $2";
const JUDGING: &str = "UPDATE dere_batches SET status = 'em_validacao', updated_at_ms = $3 WHERE account_id = $1 AND id = $2";

/// False when another event took the key.
pub async fn insert_event(conn: &mut Conn, e: &DereEventRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT_EVENT,
        &e.id,
        &e.account_id,
        &e.emitter_id,
        e.ambiente,
        &e.tipo,
        &e.periodo,
        &e.leiaute,
        &e.inscricao,
        &e.chave,
        e.status,
        &e.dados,
        &e.xml,
        e.assinado,
        &e.erros,
        &e.batch_id,
        e.created_at_ms,
        e.updated_at_ms
    )?;
    Ok(rows == 1)
}

/// An event of the account; none of the environment the key does not see.
pub async fn event(
    conn: &mut Conn,
    account: &AccountId,
    id: &DereEventId,
    unseen: &str,
) -> DbResult<Option<DereEventRow>> {
    fetch_optional!(conn, DereEventRow, GET_EVENT, account, id, unseen)
}

/// The highest key between two, of all accounts: a company may be in several.
pub async fn last_key(conn: &mut Conn, from: &str, until: &str) -> DbResult<Option<String>> {
    let last = fetch_optional!(conn, LastKey, LAST_KEY, from, until)?;
    Ok(last.map(|last| last.chave))
}

/// Puts an event into a batch; false when it is in another that was not
/// rejected.
pub async fn join(
    conn: &mut Conn,
    account: &AccountId,
    id: &DereEventId,
    batch: &DereBatchId,
    now_ms: i64,
) -> DbResult<bool> {
    let rows = execute!(conn, JOIN_BATCH, account, id, batch, now_ms)?;
    Ok(rows == 1)
}

/// Writes what was found of an event, if it is still in this batch.
pub async fn judged_event(conn: &mut Conn, e: &DereEventRow, batch: &DereBatchId) -> DbResult<()> {
    execute!(
        conn,
        JUDGED_EVENT,
        &e.account_id,
        &e.id,
        batch,
        &e.leiaute,
        e.status,
        &e.xml,
        e.assinado,
        &e.erros,
        e.updated_at_ms
    )?;
    Ok(())
}

pub async fn insert_batch(conn: &mut Conn, b: &DereBatchRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT_BATCH,
        &b.id,
        &b.account_id,
        &b.emitter_id,
        b.ambiente,
        &b.leiaute,
        &b.inscricao,
        b.status,
        &b.eventos,
        b.created_at_ms,
        b.updated_at_ms
    )?;
    Ok(())
}

/// A batch of the account; none of the environment the key does not see.
pub async fn batch(
    conn: &mut Conn,
    account: &AccountId,
    id: &DereBatchId,
    unseen: &str,
) -> DbResult<Option<DereBatchRow>> {
    fetch_optional!(conn, DereBatchRow, GET_BATCH, account, id, unseen)
}

/// Says that a batch is being judged.
pub async fn judging(
    conn: &mut Conn,
    account: &AccountId,
    id: &DereBatchId,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, JUDGING, account, id, now_ms)?;
    Ok(())
}

/// Writes what was found of a batch.
pub async fn judged_batch(conn: &mut Conn, b: &DereBatchRow) -> DbResult<()> {
    execute!(
        conn,
        JUDGED_BATCH,
        &b.account_id,
        &b.id,
        &b.leiaute,
        b.status,
        &b.eventos,
        b.updated_at_ms
    )?;
    Ok(())
}
