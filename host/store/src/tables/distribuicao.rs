//! Tables `distribuicoes` and `distribuicao_pausas`: where a company stands
//! in the national distribution, and how long nobody may ask for it.

use crate::ids::{AccountId, EmitterId};
use crate::words::{Ambiente, Maybe};
use crate::{Conn, DbResult, Present as _, execute, fetch_all, fetch_optional, row};

row! {
    #[derive(Clone, Debug)]
    pub struct DistribuicaoRow {
        pub emitter_id: EmitterId,
        pub ambiente: Ambiente,
        pub account_id: AccountId,
        pub ultimo_nsu: i64,
        pub max_nsu: i64,
        pub consultada_ms: i64,
        /// When the hub asks by itself; 0: never.
        pub agendada_ms: i64,
    }
}

row! {
    /// How long a CNPJ must wait, and what it asked in this hour.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct PauseRow {
        /// No question about new documents before this moment.
        pub livre_ms: i64,
        /// No question at all before this moment.
        pub bloqueada_ate_ms: i64,
        /// A question is on its way, at most until this moment.
        pub ocupada_ate_ms: i64,
        /// JSON: moments of the last hour's questions by key or NSU.
        pub pontuais: String,
    }
}

/// No company is put off for so long, in milliseconds (a day at most): a later moment is of
/// a clock that was set back since.
const LONGEST_MS: i64 = 2 * 86_400_000;

const GET: &str = "SELECT emitter_id, ambiente, account_id, ultimo_nsu, max_nsu, consultada_ms, agendada_ms FROM distribuicoes \
     WHERE emitter_id = $1 AND ambiente = $2";
const PUT: &str = "INSERT INTO distribuicoes (emitter_id, ambiente, account_id, ultimo_nsu, max_nsu, consultada_ms, agendada_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (emitter_id, ambiente) DO UPDATE SET \
     ultimo_nsu = CASE WHEN excluded.ultimo_nsu > distribuicoes.ultimo_nsu THEN excluded.ultimo_nsu ELSE distribuicoes.ultimo_nsu END, \
     max_nsu = CASE WHEN excluded.max_nsu > 0 THEN excluded.max_nsu ELSE distribuicoes.max_nsu END, consultada_ms = excluded.consultada_ms";
const SCHEDULE: &str = "INSERT INTO distribuicoes (emitter_id, ambiente, account_id, ultimo_nsu, max_nsu, consultada_ms, agendada_ms) \
     VALUES ($1, $2, $3, 0, 0, 0, $4) ON CONFLICT (emitter_id, ambiente) DO UPDATE SET \
     agendada_ms = CASE WHEN distribuicoes.agendada_ms = 0 THEN excluded.agendada_ms ELSE distribuicoes.agendada_ms END";
const UNSCHEDULE: &str = "UPDATE distribuicoes SET agendada_ms = 0 WHERE emitter_id = $1 AND ambiente <> $2 AND agendada_ms > 0";
const DELETE_OF: &str = "DELETE FROM distribuicoes WHERE emitter_id = $1";
const DUE: &str = "SELECT emitter_id, ambiente, account_id, ultimo_nsu, max_nsu, consultada_ms, agendada_ms FROM distribuicoes \
     WHERE agendada_ms > 0 AND agendada_ms <= $1 ORDER BY agendada_ms LIMIT CAST($2 AS BIGINT)";
const LAST: &str = "SELECT emitter_id, ambiente, account_id, ultimo_nsu, max_nsu, consultada_ms, agendada_ms FROM distribuicoes \
     WHERE agendada_ms > 0 ORDER BY agendada_ms DESC LIMIT CAST($1 AS BIGINT)";
const POSTPONE: &str = "UPDATE distribuicoes SET agendada_ms = $4 WHERE emitter_id = $1 AND ambiente = $2 AND agendada_ms = $3";
const OPEN: &str = "INSERT INTO distribuicao_pausas (documento, ambiente, livre_ms, bloqueada_ate_ms, ocupada_ate_ms, pontuais) VALUES ($1, $2, 0, 0, 0, '[]') ON CONFLICT DO NOTHING";
const LOCK: &str = "UPDATE distribuicao_pausas SET livre_ms = livre_ms WHERE documento = $1 AND ambiente = $2 \
     RETURNING livre_ms, bloqueada_ate_ms, ocupada_ate_ms, pontuais";
const SAVE: &str = "UPDATE distribuicao_pausas SET livre_ms = $3, bloqueada_ate_ms = $4, ocupada_ate_ms = $5, pontuais = $6 WHERE documento = $1 AND ambiente = $2";

pub async fn get(
    conn: &mut Conn,
    emitter: &EmitterId,
    ambiente: Ambiente,
) -> DbResult<Option<DistribuicaoRow>> {
    fetch_optional!(conn, DistribuicaoRow, GET, emitter, ambiente)
}

/// Writes the last NSU and moment of a company. The NSU never goes back, and
/// the moment of its next scheduled question is not changed.
pub async fn put(conn: &mut Conn, d: &DistribuicaoRow) -> DbResult<()> {
    execute!(
        conn,
        PUT,
        &d.emitter_id,
        d.ambiente,
        &d.account_id,
        d.ultimo_nsu,
        d.max_nsu,
        d.consultada_ms,
        d.agendada_ms
    )?;
    Ok(())
}

/// Schedules a company for the questions the hub asks by itself; one that is
/// scheduled already keeps its moment.
pub async fn schedule(
    conn: &mut Conn,
    emitter: &EmitterId,
    ambiente: Ambiente,
    account: &AccountId,
    at_ms: i64,
) -> DbResult<()> {
    execute!(conn, SCHEDULE, emitter, ambiente, account, at_ms)?;
    Ok(())
}

/// Ends the questions the hub asks for a company by itself, in all environments
/// except `but`.
pub async fn unschedule(
    conn: &mut Conn,
    emitter: &EmitterId,
    but: Maybe<Ambiente>,
) -> DbResult<()> {
    execute!(conn, UNSCHEDULE, emitter, but)?;
    Ok(())
}

/// Forgets where a company stands, when the company goes.
pub async fn delete_of(conn: &mut Conn, emitter: &EmitterId) -> DbResult<()> {
    execute!(conn, DELETE_OF, emitter)?;
    Ok(())
}

/// Companies the hub asks for by itself and that are due; all tenants.
pub async fn due(conn: &mut Conn, now_ms: i64, limit: i64) -> DbResult<Vec<DistribuicaoRow>> {
    let mut due = fetch_all!(conn, DistribuicaoRow, DUE, now_ms, limit)?;
    let last = fetch_all!(conn, DistribuicaoRow, LAST, limit)?;
    due.extend(
        last.into_iter()
            .filter(|d| d.agendada_ms - now_ms > LONGEST_MS),
    );
    Ok(due)
}

/// Takes a due company by moving its next turn; false when another node was
/// faster.
pub async fn postpone(conn: &mut Conn, d: &DistribuicaoRow, until_ms: i64) -> DbResult<bool> {
    let rows = execute!(
        conn,
        POSTPONE,
        &d.emitter_id,
        d.ambiente,
        d.agendada_ms,
        until_ms
    )?;
    Ok(rows == 1)
}

/// The pause of a CNPJ, kept from every other transaction until this one
/// ends.
pub async fn pause(conn: &mut Conn, documento: &str, ambiente: Ambiente) -> DbResult<PauseRow> {
    execute!(conn, OPEN, documento, ambiente)?;
    fetch_optional!(conn, PauseRow, LOCK, documento, ambiente)?
        .present("pause of a company", documento)
}

/// Only after `pausa`.
pub async fn save_pause(
    conn: &mut Conn,
    documento: &str,
    ambiente: Ambiente,
    p: &PauseRow,
) -> DbResult<()> {
    execute!(
        conn,
        SAVE,
        documento,
        ambiente,
        p.livre_ms,
        p.bloqueada_ate_ms,
        p.ocupada_ate_ms,
        &p.pontuais
    )?;
    Ok(())
}
