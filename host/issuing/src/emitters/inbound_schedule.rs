//! Which companies the hub asks the national distribution for by itself.

use crate::emitters::profile::Perfil;
use store::tables::distribuicao;
use store::tables::emitters::EmitterRow;
use store::words::Maybe;
use store::{Conn, DbResult};

/// Writes whether the hub asks for a company by itself, as its profile and
/// environment say; in the transaction that changes them.
///
/// # Errors
/// The profile in the row is damaged, or the database failed.
pub async fn schedule(conn: &mut Conn, row: &EmitterRow, now_ms: i64) -> DbResult<()> {
    if !automatic(row)? {
        return distribuicao::unschedule(conn, &row.id, Maybe(None)).await;
    }
    distribuicao::unschedule(conn, &row.id, row.ambiente.into()).await?;
    let at_ms = now_ms.max(1);
    distribuicao::schedule(conn, &row.id, row.ambiente, &row.account_id, at_ms).await
}

/// Whether the profile of a company says so.
///
/// # Errors
/// The profile in the row is damaged.
pub fn automatic(row: &EmitterRow) -> DbResult<bool> {
    let perfil: Perfil =
        serde_json::from_str(&row.perfil).map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(perfil.entrada.is_some_and(|entrada| entrada.automatica))
}
