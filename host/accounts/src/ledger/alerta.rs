//! The alert of a low balance: one event for each threshold a charge goes
//! through, written with the charge. A balance that rose above a threshold
//! can fall through it again.

use super::Movement;
use base::ids;
use serde_json::json;
use store::tables::ledger as table;
use store::tables::ledger::Spent;
use store::tables::outbox::{self, OutboxRow};
use store::{Conn, DbResult};

/// Thresholds an account may have.
pub const MAX_LIMIARES: usize = 10;

/// Keeps the thresholds of an account.
pub async fn set_limiares(conn: &mut Conn, account_id: &str, limiares: &[i64]) -> DbResult<()> {
    let text: Vec<String> = limiares.iter().map(ToString::to_string).collect();
    table::set_limiares(conn, account_id, &text.join(",")).await
}

/// Writes an event for each threshold that `amount` less went through. Who is
/// nowhere near one costs no statement.
pub(super) async fn crossed(
    conn: &mut Conn,
    movement: &Movement<'_>,
    spent: &Spent,
    amount: i64,
) -> DbResult<()> {
    let before = spent.balance + amount;
    let crossed: Vec<i64> = limiares(&spent.limiares)
        .filter(|limiar| spent.balance <= *limiar && *limiar < before)
        .collect();
    let ids = ids::several("evt", movement.now_ms, crossed.len());
    for (id, limiar) in ids.into_iter().zip(crossed) {
        let event = OutboxRow {
            id,
            account_id: movement.account_id.to_owned(),
            tipo: "saldo.baixo".to_owned(),
            subject_id: movement.account_id.to_owned(),
            payload: json!({ "saldo": spent.balance, "limiar": limiar }).to_string(),
            created_at_ms: movement.now_ms,
            ..OutboxRow::default()
        };
        outbox::insert(conn, &event).await?;
    }
    Ok(())
}

/// The thresholds of a row.
pub fn limiares(text: &str) -> impl Iterator<Item = i64> {
    text.split(',').filter_map(|limiar| limiar.parse().ok())
}
