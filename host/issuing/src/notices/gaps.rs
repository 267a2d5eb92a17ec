//! `numeracao.lacuna`: numbers of NF-e and NFC-e that came back and that no
//! note took. They must be voided by the tenth day of the month after (Ajuste
//! SINIEF 07/2005, fourteenth clause; 19/2016, fifteenth).

use super::PAGE;
use crate::Issuing;
use base::when;
use serde_json::json;
use std::convert::Infallible;
use store::ids::OutboxId;
use store::tables::numbers::{self, StaleRow};
use store::tables::outbox::{self, OutboxRow};
use store::{Conn, DbResult, TxError};
use time::{Date, Month};

/// Tells each range once. A number that a note takes and gives back again
/// counts anew.
///
/// # Errors
/// The database failed.
pub async fn look(app: &Issuing) -> anyhow::Result<()> {
    let now_ms = app.now_ms();
    let before_ms = now_ms - i64::from(app.config.issuing.gap_hours) * 3_600_000;
    loop {
        let mut conn = app.db.read().await?;
        let stale = numbers::stale(&mut conn, before_ms, PAGE).await?;
        drop(conn);
        let ranges: Vec<Vec<StaleRow>> = stale
            .chunk_by(StaleRow::precedes)
            .map(<[_]>::to_vec)
            .collect();
        if ranges.is_empty() {
            return Ok(());
        }
        for range in ranges {
            let told = app.db.write((range, now_ms), |(range, now_ms), conn| {
                Box::pin(
                    async move { Ok::<_, TxError<Infallible>>(tell(conn, range, *now_ms).await?) },
                )
            });
            told.await?;
        }
    }
}

/// What is left of a range, for a note may have taken some of it meanwhile.
async fn tell(conn: &mut Conn, range: &[StaleRow], now_ms: i64) -> DbResult<()> {
    let mut left = Vec::new();
    for row in range {
        if numbers::told(conn, row, now_ms).await? {
            left.push(row);
        }
    }
    for part in left.chunk_by(|a, b| StaleRow::precedes(a, b)) {
        let (Some(first), Some(last)) = (part.first(), part.last()) else {
            continue;
        };
        let since_ms = part
            .iter()
            .map(|row| row.freed_at_ms)
            .min()
            .unwrap_or(now_ms);
        let payload = json!({
            "emitente_id": first.emitter_id, "ambiente": first.ambiente, "modelo": first.modelo, "serie": first.serie,
            "numero_inicial": first.numero, "numero_final": last.numero, "livre_desde": when::rfc3339(since_ms),
            "inutilizar_ate": tenth_of_next_month(when::today(since_ms, "SP")).to_string(),
        });
        let event = OutboxRow {
            id: OutboxId::new(now_ms),
            account_id: first.account_id.clone(),
            tipo: "numeracao.lacuna".to_owned(),
            subject_id: first.emitter_id.to_string(),
            payload: payload.to_string(),
            created_at_ms: now_ms,
            emitter_id: first.emitter_id.clone().into(),
            ambiente: first.ambiente.into(),
            ..OutboxRow::default()
        };
        outbox::insert(conn, &event).await?;
    }
    Ok(())
}

/// The day until which the numbers that are missing on `day` must be voided: the
/// tenth of the month after.
pub fn tenth_of_next_month(day: Date) -> Date {
    let (year, month) = match day.month() {
        Month::December => (day.year() + 1, Month::January),
        month => (day.year(), month.next()),
    };
    Date::from_calendar_date(year, month, 10).unwrap_or(day)
}
