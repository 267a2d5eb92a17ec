//! Events of an account, written as issuing writes them.

use std::convert::Infallible;
use store::ids::{AccountId, OutboxId};
use store::tables::outbox::{self, OutboxRow};
use store::{Db, TxError};

/// Writes so many; their ids.
///
/// # Panics
/// The database failed.
pub async fn write(db: &Db, account_id: &AccountId, now_ms: i64, many: usize) -> Vec<String> {
    let rows: Vec<_> = (0..many)
        .map(|number| OutboxRow {
            id: OutboxId::new(now_ms),
            account_id: account_id.to_owned(),
            tipo: "nfe.autorizada".to_owned(),
            payload: serde_json::json!({ "nota_id": format!("nfe_{number}") }).to_string(),
            created_at_ms: now_ms,
            ambiente: store::words::Ambiente::Production.into(),
            ..OutboxRow::default()
        })
        .collect();
    let ids = rows.iter().map(|row| row.id.to_string()).collect();
    let written = db.write(rows, |rows, conn| {
        Box::pin(async move {
            for row in rows {
                outbox::insert(conn, row).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("events");
    ids
}
