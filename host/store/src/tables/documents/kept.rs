//! Documents whose XML the law wants kept, page by page: what exports and audits read.

use super::{Asked, page};
use crate::ids::{AccountId, EmitterId};
use crate::tables::notas::{self, NotaRow};
use crate::words::{Maybe, Model};
use crate::{Conn, DbResult, Period};

/// How long after its day of emission a document that is dated arrives at most, ms: 92 days.
/// Authorities refuse what was issued more than 30 days before (rejection 228 of the NF-e).
const LATE_MS: i64 = 92 * 86_400_000;
/// States whose XML is kept.
const STATES: &str = "autorizada,validada,cancelada";

/// Which of them.
#[derive(Clone, Debug)]
pub struct Kept<'k> {
    /// Words of models, with a comma between them; empty: any.
    pub modelos: String,
    pub emitter_id: &'k Maybe<EmitterId>,
    pub period: &'k Period,
    /// None that arrived before this moment, epoch milliseconds.
    pub since_ms: i64,
    /// Environments that are left out: words with a comma between them.
    pub left_out: &'static str,
}

/// Some of them, the oldest first.
#[derive(Debug, Default)]
pub struct KeptPage {
    pub rows: Vec<NotaRow>,
    /// Behind which place the next page begins, though this one may be empty; None: there is
    /// no other.
    pub next: Option<(i64, String)>,
}

/// The documents behind a place, in the order of their arrival.
///
/// # Errors
/// The database fails.
pub async fn kept(
    conn: &mut Conn,
    account: &AccountId,
    which: &Kept<'_>,
    after: Option<(i64, String)>,
    limit: i64,
) -> DbResult<KeptPage> {
    let period = which.period;
    let asked = Asked {
        modelos: which.modelos.clone(),
        status: STATES.to_owned(),
        emitter_id: which.emitter_id.clone(),
        from_ms: which.since_ms,
        to_ms: until_ms(period),
        ascending: true,
        after,
        limit,
        left_out: which.left_out,
        ..Asked::default()
    };
    let mut found = page::page(conn, account, &asked).await?;
    let is_full = i64::try_from(found.rows.len()).is_ok_and(|read| read == limit);
    let last = found.rows.last().filter(|_| is_full);
    let last = last.map(|row| (row.created_at_ms, row.id.to_string()));
    // Records are read of those alone that are of the period.
    found.rows.retain(|row| is_in(row, period));
    Ok(KeptPage {
        rows: notas::listed(conn, found.rows).await?,
        next: last.or(found.stopped),
    })
}

/// The moment before which all that is of a period has arrived.
pub(crate) fn until_ms(period: &Period) -> i64 {
    match period.to_ms {
        0 => i64::MAX,
        to_ms if period.to_day.is_empty() => to_ms,
        to_ms => to_ms.saturating_add(LATE_MS),
    }
}

/// By the day of emission where the row has one, and by its arrival where it has none. Both are in
/// the row of a packed note, too.
fn is_in(row: &NotaRow, period: &Period) -> bool {
    let dated = row.modelo != Model::Nfse;
    let began = if dated && !period.from_day.is_empty() {
        row.competencia >= period.from_day
    } else {
        row.created_at_ms >= period.from_ms
    };
    let not_over = if dated && !period.to_day.is_empty() {
        row.competencia <= period.to_day
    } else {
        period.to_ms == 0 || row.created_at_ms < period.to_ms
    };
    began && not_over
}
