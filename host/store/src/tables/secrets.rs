//! Table `secrets`: an emitter's logins at city halls, sealed.

use crate::ids::{AccountId, EmitterId};
use crate::{Conn, DbResult, execute, fetch_all, row};

row! {
    #[derive(Clone)]
    pub struct SecretRow {
        pub emitter_id: EmitterId,
        pub nome: String,
        pub account_id: AccountId,
        pub blob: Vec<u8>,
        pub updated_at_ms: i64,
    }
}

row! {
    struct Name {
        nome: String,
    }
}

const UPSERT: &str = "INSERT INTO secrets (emitter_id, nome, account_id, blob, updated_at_ms) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (emitter_id, nome) DO UPDATE SET blob = excluded.blob, updated_at_ms = excluded.updated_at_ms";
const OF_EMITTER: &str = "SELECT emitter_id, nome, account_id, blob, updated_at_ms FROM secrets WHERE account_id = $1 AND emitter_id = $2 ORDER BY nome LIMIT 32";
const NAMES_OF: &str =
    "SELECT nome FROM secrets WHERE account_id = $1 AND emitter_id = $2 ORDER BY nome LIMIT 32";
const PAGE: &str = "SELECT emitter_id, nome, account_id, blob, updated_at_ms FROM secrets \
     WHERE emitter_id > $1 OR (emitter_id = $1 AND nome > $2) ORDER BY emitter_id, nome LIMIT CAST($3 AS BIGINT)";
const SET_BLOB: &str =
    "UPDATE secrets SET blob = $4 WHERE emitter_id = $1 AND nome = $2 AND blob = $3";
const DELETE_OF: &str = "DELETE FROM secrets WHERE account_id = $1 AND emitter_id = $2";

pub async fn upsert(conn: &mut Conn, row: &SecretRow) -> DbResult<()> {
    execute!(
        conn,
        UPSERT,
        &row.emitter_id,
        &row.nome,
        &row.account_id,
        &row.blob,
        row.updated_at_ms
    )?;
    Ok(())
}

/// Names of an emitter's logins, at most 32.
pub async fn names_of(
    conn: &mut Conn,
    account: &AccountId,
    emitter: &EmitterId,
) -> DbResult<Vec<String>> {
    let names = fetch_all!(conn, Name, NAMES_OF, account, emitter)?;
    Ok(names.into_iter().map(|name| name.nome).collect())
}

/// An emitter's logins, sealed; at most 32.
pub async fn of_emitter(
    conn: &mut Conn,
    account: &AccountId,
    emitter: &EmitterId,
) -> DbResult<Vec<SecretRow>> {
    fetch_all!(conn, SecretRow, OF_EMITTER, account, emitter)
}

/// All tenants: only for key rotation and verification.
pub async fn page(
    conn: &mut Conn,
    after_emitter: &str,
    after_name: &str,
    limit: i64,
) -> DbResult<Vec<SecretRow>> {
    fetch_all!(conn, SecretRow, PAGE, after_emitter, after_name, limit)
}

pub async fn set_blob(
    conn: &mut Conn,
    emitter: &EmitterId,
    name: &str,
    old: &[u8],
    new: &[u8],
) -> DbResult<bool> {
    Ok(execute!(conn, SET_BLOB, emitter, name, old, new)? == 1)
}

pub async fn delete_of(conn: &mut Conn, account: &AccountId, emitter: &EmitterId) -> DbResult<()> {
    execute!(conn, DELETE_OF, account, emitter)?;
    Ok(())
}
