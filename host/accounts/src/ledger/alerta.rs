//! The alert of a low balance. A charge that brings the balance from above a
//! threshold down to it, or below, writes one event for that threshold in its
//! own transaction. After the balance rose above it, the threshold is told
//! again.

use super::Movement;
use serde_json::json;
use store::ids::{AccountId, OutboxId};
use store::tables::ledger as table;
use store::tables::ledger::Spent;
use store::tables::outbox::{self, OutboxRow};
use store::{Conn, DbResult, unreadable};

/// Thresholds an account may have.
pub const MAX_THRESHOLDS: usize = 10;

/// Keeps the thresholds of an account.
pub async fn set_thresholds(
    conn: &mut Conn,
    account_id: &AccountId,
    thresholds: &[i64],
) -> DbResult<()> {
    let text: Vec<String> = thresholds.iter().map(ToString::to_string).collect();
    table::set_thresholds(conn, account_id, &text.join(",")).await
}

/// Writes an event for each threshold that this charge of `amount` reached or
/// passed. Costs no statement when it reached none.
pub(super) async fn crossed(
    conn: &mut Conn,
    movement: &Movement<'_>,
    spent: &Spent,
    amount: i64,
) -> DbResult<()> {
    let before = spent.balance + amount;
    let mut crossed = match thresholds(&spent.limiares, movement.account_id) {
        Ok(thresholds) => thresholds,
        // A charge stands, whether somebody can be told of it or not.
        Err(error) => {
            tracing::error!(account.id = %movement.account_id, %error, "nobody is told of a low balance");
            return Ok(());
        }
    };
    crossed.retain(|threshold| spent.balance <= *threshold && *threshold < before);
    let ids = OutboxId::several(movement.now_ms, crossed.len());
    for (id, threshold) in ids.into_iter().zip(crossed) {
        let event = OutboxRow {
            id,
            account_id: movement.account_id.to_owned(),
            tipo: "saldo.baixo".to_owned(),
            subject_id: movement.account_id.to_string(),
            payload: json!({ "saldo": spent.balance, "limiar": threshold }).to_string(),
            created_at_ms: movement.now_ms,
            ..OutboxRow::default()
        };
        outbox::insert(conn, &event).await?;
    }
    Ok(())
}

/// The thresholds of an account's row.
///
/// # Errors
/// One of them is no number.
pub fn thresholds(text: &str, account: &AccountId) -> DbResult<Vec<i64>> {
    let named = text.split(',').filter(|threshold| !threshold.is_empty());
    named
        .map(|threshold| {
            let read = threshold.parse();
            read.map_err(|_| unreadable("thresholds of an alert", account))
        })
        .collect()
}
