//! Table `api_keys`: digests only, never a key.

use super::{Conn, DbResult, execute, fetch_optional, row};

row! {
    #[derive(Clone, Debug)]
    pub struct ApiKey {
        pub id: String,
        pub account_id: String,
        /// `test` or `live`.
        pub kind: String,
        pub nome: String,
        pub digest: String,
        pub secret_digest: String,
        /// Last characters of the key, to recognize it.
        pub hint: String,
        pub created_at_ms: i64,
        /// 0 = not revoked.
        pub revoked_at_ms: i64,
        /// 0 = never.
        pub expires_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO api_keys (id, account_id, kind, nome, digest, secret_digest, hint, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const BY_DIGEST: &str = "SELECT id, account_id, kind, nome, digest, secret_digest, hint, created_at_ms, revoked_at_ms, expires_at_ms \
     FROM api_keys WHERE digest = $1";

pub async fn insert(conn: &mut Conn, key: &ApiKey) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &key.id,
        &key.account_id,
        &key.kind,
        &key.nome,
        &key.digest,
        &key.secret_digest,
        &key.hint,
        key.created_at_ms
    )?;
    Ok(())
}

pub async fn by_digest(conn: &mut Conn, digest: &str) -> DbResult<Option<ApiKey>> {
    fetch_optional!(conn, ApiKey, BY_DIGEST, digest)
}
