//! Table `lookup_answers`: what outside sources answered, of no account.

use crate::{Conn, DbResult, execute, fetch_optional, row};

row! {
    /// An answer that is kept.
    #[derive(Clone, Debug)]
    pub struct AnswerRow {
        pub source: String,
        /// JSON; empty: the source knows nothing of it.
        pub answer: String,
        pub fetched_at_ms: i64,
    }
}

const GET: &str =
    "SELECT source, answer, fetched_at_ms FROM lookup_answers WHERE kind = $1 AND question = $2";
const PUT: &str = "INSERT INTO lookup_answers (kind, question, source, answer, fetched_at_ms) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (kind, question) DO UPDATE SET source = excluded.source, answer = excluded.answer, fetched_at_ms = excluded.fetched_at_ms";
const PURGE: &str = "DELETE FROM lookup_answers WHERE (kind, question) IN \
     (SELECT a.kind, a.question FROM lookup_answers a WHERE a.fetched_at_ms < $1 ORDER BY a.fetched_at_ms LIMIT CAST($2 AS BIGINT))";

/// What is kept of a question.
pub async fn get(conn: &mut Conn, kind: &str, question: &str) -> DbResult<Option<AnswerRow>> {
    fetch_optional!(conn, AnswerRow, GET, kind, question)
}

/// Keeps an answer in the place of an earlier one.
pub async fn put(conn: &mut Conn, kind: &str, question: &str, row: &AnswerRow) -> DbResult<()> {
    execute!(
        conn,
        PUT,
        kind,
        question,
        &row.source,
        &row.answer,
        row.fetched_at_ms
    )?;
    Ok(())
}

/// Forgets answers from before a moment, at most `limit` of them.
pub async fn purge(conn: &mut Conn, before_ms: i64, limit: i64) -> DbResult<u64> {
    execute!(conn, PURGE, before_ms, limit)
}
