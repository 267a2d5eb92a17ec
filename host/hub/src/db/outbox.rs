//! Table `outbox`: events for the customer, in the transaction that made them.

use super::{Conn, DbResult, execute, fetch_all, row};

row! {
    #[derive(Clone, Debug)]
    pub struct OutboxRow {
        pub id: String,
        pub account_id: String,
        pub tipo: String,
        pub subject_id: String,
        pub payload: String,
        pub created_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO outbox (id, account_id, tipo, subject_id, payload, created_at_ms) VALUES ($1, $2, $3, $4, $5, $6)";
const OF_SUBJECT: &str = "SELECT id, account_id, tipo, subject_id, payload, created_at_ms FROM outbox WHERE account_id = $1 AND subject_id = $2 ORDER BY id LIMIT 100";

pub async fn insert(conn: &mut Conn, row: &OutboxRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &row.id,
        &row.account_id,
        &row.tipo,
        &row.subject_id,
        &row.payload,
        row.created_at_ms
    )?;
    Ok(())
}

pub async fn of_subject(conn: &mut Conn, account: &str, subject: &str) -> DbResult<Vec<OutboxRow>> {
    fetch_all!(conn, OutboxRow, OF_SUBJECT, account, subject)
}
