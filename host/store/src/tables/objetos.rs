//! Tables `objetos` and `objetos_uso`.

use crate::ids::{AccountId, ObjetoId};
use crate::{Conn, DbResult, Present as _, execute, fetch_all, fetch_optional, fetch_value, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct ObjectRow {
        /// Stays when the content is replaced.
        pub id: ObjetoId,
        pub account_id: AccountId,
        pub caminho: String,
        /// Where the content is kept; each version has a file of its own.
        pub arquivo: String,
        pub bytes: i64,
        pub sha256: String,
        pub tipo: String,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    /// What an account keeps.
    #[derive(Clone, Debug, Default)]
    pub struct Uso {
        pub bytes: i64,
        pub objetos: i64,
    }
}

row! {
    /// A file and what is in it.
    #[derive(Clone, Debug)]
    pub struct ArquivoRow {
        pub arquivo: String,
        pub sha256: String,
    }
}

const ARQUIVOS: &str = "SELECT arquivo, sha256 FROM objetos WHERE arquivo > $1 ORDER BY arquivo LIMIT CAST($2 AS BIGINT)";
const GET: &str = "SELECT * FROM objetos WHERE account_id = $1 AND caminho = $2";
const BY_ID: &str = "SELECT * FROM objetos WHERE id = $1";
const IS_CONTENT: &str = "SELECT COUNT(*) FROM objetos WHERE arquivo = $1";
const LIST: &str = "SELECT * FROM objetos WHERE account_id = $1 AND id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END \
     AND SUBSTR(caminho, 1, LENGTH(CAST($3 AS TEXT))) = $3 ORDER BY id DESC LIMIT CAST($4 AS BIGINT)";
const INSERT: &str = "INSERT INTO objetos (id, account_id, caminho, arquivo, bytes, sha256, tipo, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)";
const REPLACE: &str = "UPDATE objetos SET arquivo = $3, bytes = $4, sha256 = $5, tipo = $6, updated_at_ms = $7 WHERE account_id = $1 AND id = $2";
const DELETE: &str = "DELETE FROM objetos WHERE account_id = $1 AND caminho = $2 RETURNING *";
const USO: &str = "SELECT bytes, objetos FROM objetos_uso WHERE account_id = $1";
const USO_FIRST: &str =
    "INSERT INTO objetos_uso (account_id, bytes, objetos) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING";
const USO_TAKE: &str =
    "UPDATE objetos_uso SET bytes = bytes WHERE account_id = $1 RETURNING bytes, objetos";
const USO_COUNT: &str =
    "UPDATE objetos_uso SET bytes = bytes + $2, objetos = objetos + $3 WHERE account_id = $1";

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    caminho: &str,
) -> DbResult<Option<ObjectRow>> {
    fetch_optional!(conn, ObjectRow, GET, account, caminho)
}

/// Without a tenant: for a signed link.
pub async fn by_id(conn: &mut Conn, id: &ObjetoId) -> DbResult<Option<ObjectRow>> {
    fetch_optional!(conn, ObjectRow, BY_ID, id)
}

/// Whether a file is the content of any object; all tenants, for the sweep.
pub async fn is_content(conn: &mut Conn, arquivo: &str) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, IS_CONTENT, arquivo)?.unwrap_or(0) > 0)
}

/// The files of all objects of all tenants, for a backup; `after` is the last
/// of the page before.
pub async fn arquivos(conn: &mut Conn, after: &str, limit: i64) -> DbResult<Vec<ArquivoRow>> {
    fetch_all!(conn, ArquivoRow, ARQUIVOS, after, limit)
}

/// Those whose path begins so, newest first.
pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    prefix: &str,
    before: &str,
    limit: i64,
) -> DbResult<Vec<ObjectRow>> {
    fetch_all!(conn, ObjectRow, LIST, account, before, prefix, limit)
}

pub async fn insert(conn: &mut Conn, row: &ObjectRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &row.id,
        &row.account_id,
        &row.caminho,
        &row.arquivo,
        row.bytes,
        &row.sha256,
        &row.tipo,
        row.created_at_ms
    )?;
    Ok(())
}

/// Gives an object another content.
pub async fn replace(conn: &mut Conn, row: &ObjectRow) -> DbResult<()> {
    execute!(
        conn,
        REPLACE,
        &row.account_id,
        &row.id,
        &row.arquivo,
        row.bytes,
        &row.sha256,
        &row.tipo,
        row.updated_at_ms
    )?;
    Ok(())
}

/// The row that was deleted.
pub async fn delete(
    conn: &mut Conn,
    account: &AccountId,
    caminho: &str,
) -> DbResult<Option<ObjectRow>> {
    fetch_optional!(conn, ObjectRow, DELETE, account, caminho)
}

/// What an account keeps.
pub async fn uso(conn: &mut Conn, account: &AccountId) -> DbResult<Uso> {
    Ok(fetch_optional!(conn, Uso, USO, account)?.unwrap_or_default())
}

/// Locks the row until the transaction ends, and returns it: puts and deletes
/// of an account come one after the other.
pub async fn take(conn: &mut Conn, account: &AccountId) -> DbResult<Uso> {
    execute!(conn, USO_FIRST, account)?;
    let uso = fetch_optional!(conn, Uso, USO_TAKE, account)?;
    uso.present("use of the storage", account)
}

/// Adds to what an account keeps.
pub async fn count(conn: &mut Conn, account: &AccountId, bytes: i64, objetos: i64) -> DbResult<()> {
    execute!(conn, USO_COUNT, account, bytes, objetos)?;
    Ok(())
}
