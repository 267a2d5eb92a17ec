//! Table `artifacts`: the authority's own bytes, written once.

use super::packed::{self, hex};
use crate::ids::AccountId;
use crate::{Conn, DbResult, Present as _, execute, fetch_optional, row, stored};
use serde::{Deserialize, Serialize};

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

// One that was packed is written once, too.
const INSERT: &str = "INSERT INTO artifacts (subject_id, tipo, account_id, media_type, sha256, bytes, created_at_ms) \
     SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT 1 FROM packed_records p WHERE p.subject_id = $1 AND p.kinds LIKE '% ' || $2 || ' %') \
     ON CONFLICT DO NOTHING";
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
    let row = fetch_optional!(conn, ArtifactRow, GET, account, subject, kind)?;
    if row.is_some() {
        return Ok(row);
    }
    let Some(packed) = packed::get(conn, subject).await? else {
        return Ok(None);
    };
    if packed.account_id != *account || !packed.has(kind) {
        return Ok(None);
    }
    let mut record = packed.here(conn).await?;
    let name = named(kind);
    if record.get(&name).is_none() {
        record = packed.whole(conn).await?;
    }
    let bytes = record.get(&name).present("packed artifact", subject)?;
    let about = record.get(&format!("{name}/about"));
    let about = packed::text_of(about.present("packed artifact", subject)?, subject)?;
    let about: About = stored(&about, "packed artifact", subject)?;
    Ok(Some(ArtifactRow {
        subject_id: packed.subject_id,
        tipo: kind.to_owned(),
        account_id: packed.account_id,
        media_type: about.media_type,
        sha256: hex(bytes),
        bytes: bytes.to_vec(),
        created_at_ms: about.created_at_ms,
    }))
}

/// What a packed record says of an artifact besides its bytes.
#[derive(Serialize, Deserialize)]
pub(super) struct About {
    pub(super) media_type: String,
    pub(super) created_at_ms: i64,
}

/// The name of an artifact's bytes in a packed record.
pub(super) fn named(kind: &str) -> String {
    format!("xml/{kind}")
}
