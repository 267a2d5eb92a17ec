//! `certificado.expirando`: an event 30, 15, 7 and 1 day before, and when it
//! has happened; each once for a certificate, whatever nodes are up.

use super::PAGE;
use crate::Issuing;
use base::when;
use serde_json::json;
use std::convert::Infallible;
use store::ids::OutboxId;
use store::tables::certificates::{self, EndingRow};
use store::tables::outbox::{self, OutboxRow};
use store::{Conn, DbResult, TxError};

/// A day, milliseconds.
pub const DAY_MS: i64 = 24 * 3_600_000;
/// Days before the end at which somebody is told, the end itself last.
const DAYS: [i64; 5] = [30, 15, 7, 1, 0];
/// Moment of the next look where nothing is left to be told.
pub const NEVER: i64 = i64::MAX;

/// Looks at what is due, a page at a time.
///
/// # Errors
/// The database failed: what was not told is told the next time.
pub async fn look(app: &Issuing) -> anyhow::Result<()> {
    let now_ms = app.now_ms();
    loop {
        let mut conn = app.db.read().await?;
        let due = certificates::ending(&mut conn, now_ms, PAGE).await?;
        drop(conn);
        if due.is_empty() {
            return Ok(());
        }
        // Each of them has its next moment after now.
        for row in due {
            let written = app.db.write((row, now_ms), |(row, now_ms), conn| {
                Box::pin(
                    async move { Ok::<_, TxError<Infallible>>(tell(conn, row, *now_ms).await?) },
                )
            });
            written.await?;
        }
    }
}

async fn tell(conn: &mut Conn, row: &EndingRow, now_ms: i64) -> DbResult<()> {
    let (event, next_ms) = step(row, now_ms);
    // Another node may have told meanwhile.
    if !certificates::told(conn, &row.id, row.aviso_ms, next_ms).await? {
        return Ok(());
    }
    if let Some(days) = event {
        outbox::insert(conn, &self::event(row, days, now_ms)).await?;
    }
    Ok(())
}

/// What is to be told now, in days left (None: nothing), and when to look again,
/// epoch milliseconds.
pub fn step(row: &EndingRow, now_ms: i64) -> (Option<i64>, i64) {
    // Nobody signs with it any more: another took its place.
    if row.emitter_id.is_none() {
        return (None, NEVER);
    }
    let left_ms = row.valido_ate_ms - now_ms;
    let crossed = DAYS.iter().rev().find(|days| left_ms <= **days * DAY_MS);
    let next = DAYS.iter().find(|days| left_ms > **days * DAY_MS);
    let next_ms = next.map_or(NEVER, |days| row.valido_ate_ms - days * DAY_MS);
    // One that had ended before it was ever looked at is no news.
    let old = row.aviso_ms == 0 && left_ms <= 0;
    let told = crossed
        .filter(|_| !old)
        .map(|_| (left_ms.max(0) + DAY_MS - 1) / DAY_MS);
    (told, next_ms)
}

fn event(row: &EndingRow, days: i64, now_ms: i64) -> OutboxRow {
    OutboxRow {
        id: OutboxId::new(now_ms),
        account_id: row.account_id.clone(),
        tipo: "certificado.expirando".to_owned(),
        subject_id: row.id.to_string(),
        payload: json!({
            "emitente_id": row.emitter_id, "cnpj": row.cnpj,
            "valido_ate": when::rfc3339(row.valido_ate_ms), "dias_restantes": days,
        })
        .to_string(),
        created_at_ms: now_ms,
        emitter_id: row.emitter_id.clone(),
        ambiente: row.ambiente,
        ..OutboxRow::default()
    }
}
