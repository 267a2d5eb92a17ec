//! Table `nfse_outcomes`: what became of the service notes of a municipality, by day.
//! A row is written in the transaction that settles the note.

use crate::ids::AccountId;
use crate::words::{Ambiente, words};
use crate::{Conn, DbResult, execute, fetch_all, fetch_value, row};

words! {
    /// What became of a note.
    pub enum NfseOutcome {
        /// The authority made it.
        Issued = "emitida",
        /// The authority refused it.
        Refused = "recusada",
        /// It did not reach the authority.
        Failed = "falhou",
    }
}

/// One note more.
#[derive(Clone, Debug)]
pub struct Settled<'a> {
    pub municipality: &'a str,
    pub ambiente: Ambiente,
    /// Days since 1970-01-01, UTC.
    pub day: i64,
    pub account_id: &'a AccountId,
    pub outcome: NfseOutcome,
    /// Code of the reason; empty where the note was made.
    pub reason: &'a str,
    pub now_ms: i64,
}

row! {
    /// The notes with one outcome and one reason.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct OutcomeRow {
        pub resultado: NfseOutcome,
        pub motivo: String,
        pub notas: i64,
        /// How many accounts they are of.
        pub contas: i64,
    }
}

const ADD: &str = "INSERT INTO nfse_outcomes (municipio, ambiente, dia, account_id, resultado, motivo, notas, ultima_ms) VALUES ($1, $2, $3, $4, $5, $6, 1, $7) \
     ON CONFLICT (municipio, ambiente, dia, account_id, resultado, motivo) DO UPDATE SET notas = nfse_outcomes.notas + 1, \
     ultima_ms = CASE WHEN excluded.ultima_ms > nfse_outcomes.ultima_ms THEN excluded.ultima_ms ELSE nfse_outcomes.ultima_ms END";
const OF_WINDOW: &str = "SELECT resultado, motivo, CAST(SUM(notas) AS BIGINT) AS notas, COUNT(DISTINCT account_id) AS contas FROM nfse_outcomes WHERE municipio = $1 AND ambiente = $2 AND dia >= $3 \
     GROUP BY resultado, motivo ORDER BY notas DESC, resultado, motivo LIMIT 1000";
const ACCOUNTS: &str = "SELECT COUNT(DISTINCT account_id) FROM nfse_outcomes WHERE municipio = $1 AND ambiente = $2 AND dia >= $3";
const LAST: &str = "SELECT COALESCE(MAX(ultima_ms), 0) FROM nfse_outcomes WHERE municipio = $1 AND ambiente = $2 AND resultado = 'emitida'";
const FORGET: &str = "DELETE FROM nfse_outcomes WHERE dia < $1";

/// Counts a note.
pub async fn add(conn: &mut Conn, s: &Settled<'_>) -> DbResult<()> {
    execute!(
        conn,
        ADD,
        s.municipality,
        s.ambiente,
        s.day,
        s.account_id,
        s.outcome,
        s.reason,
        s.now_ms
    )?;
    Ok(())
}

/// The notes of all accounts since a day, by outcome and reason, the most first.
pub async fn of_window(
    conn: &mut Conn,
    municipality: &str,
    ambiente: Ambiente,
    since: i64,
) -> DbResult<Vec<OutcomeRow>> {
    fetch_all!(conn, OutcomeRow, OF_WINDOW, municipality, ambiente, since)
}

/// How many accounts these notes are of.
pub async fn accounts(
    conn: &mut Conn,
    municipality: &str,
    ambiente: Ambiente,
    since: i64,
) -> DbResult<i64> {
    let count = fetch_value!(conn, i64, ACCOUNTS, municipality, ambiente, since)?;
    Ok(count.unwrap_or(0))
}

/// When a note was made there last, epoch milliseconds; None: never.
pub async fn last(
    conn: &mut Conn,
    municipality: &str,
    ambiente: Ambiente,
) -> DbResult<Option<i64>> {
    let last = fetch_value!(conn, i64, LAST, municipality, ambiente)?;
    Ok(last.filter(|last| *last > 0))
}

/// Forgets what is older than a day.
pub async fn forget(conn: &mut Conn, before: i64) -> DbResult<()> {
    execute!(conn, FORGET, before)?;
    Ok(())
}
