//! Table `artifacts`: the authority's own bytes, written once.

use crate::ids::AccountId;
use crate::{Conn, DbResult, execute, fetch_optional, row};

row! {
    #[derive(Clone, Debug)]
    pub struct ArtifactRow {
        pub subject_id: String,
        /// `nfse`, `evento` ...
        pub tipo: String,
        pub account_id: AccountId,
        pub media_type: String,
        pub sha256: String,
        pub bytes: Vec<u8>,
        pub created_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO artifacts (subject_id, tipo, account_id, media_type, sha256, bytes, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT subject_id, tipo, account_id, media_type, sha256, bytes, created_at_ms FROM artifacts \
     WHERE account_id = $1 AND subject_id = $2 AND tipo = $3";

const DELETE_SENT: &str = "DELETE FROM artifacts WHERE subject_id = $1 AND tipo LIKE 'envio/%'";

pub async fn insert(conn: &mut Conn, a: &ArtifactRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &a.subject_id,
        &a.tipo,
        &a.account_id,
        &a.media_type,
        &a.sha256,
        &a.bytes,
        a.created_at_ms
    )?;
    Ok(())
}

/// Forgets the copies of a document that were kept to be sent again: the
/// authority's answer is in the document itself now.
pub async fn delete_sent(conn: &mut Conn, subject: &str) -> DbResult<()> {
    execute!(conn, DELETE_SENT, subject)?;
    Ok(())
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    subject: &str,
    kind: &str,
) -> DbResult<Option<ArtifactRow>> {
    fetch_optional!(conn, ArtifactRow, GET, account, subject, kind)
}
