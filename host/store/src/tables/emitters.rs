//! Table `emitters`.

use crate::ids::{AccountId, CertificateId, EmitterId};
use crate::words::{Ambiente, Maybe};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

row! {
    #[derive(Clone, Debug)]
    pub struct EmitterRow {
        pub id: EmitterId,
        pub account_id: AccountId,
        pub cnpj: String,
        pub razao_social: String,
        pub apelido: String,
        /// Never `simulado`.
        pub ambiente: Ambiente,
        /// 1 for the account's default emitter.
        pub padrao: i64,
        /// Fiscal profile, JSON.
        pub perfil: String,
        /// Certificate in use; empty when there is none.
        pub certificate_id: Maybe<CertificateId>,
        /// Grows with each change (ETag).
        pub version: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO emitters (id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, certificate_id, version, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, certificate_id, version, created_at_ms, updated_at_ms \
     FROM emitters WHERE account_id = $1 AND id = $2";
const BY_CNPJ: &str = "SELECT id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, certificate_id, version, created_at_ms, updated_at_ms \
     FROM emitters WHERE account_id = $1 AND cnpj = $2";
const DEFAULT: &str = "SELECT id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, certificate_id, version, created_at_ms, updated_at_ms \
     FROM emitters WHERE account_id = $1 AND padrao = 1";
const LIST: &str = "SELECT id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, certificate_id, version, created_at_ms, updated_at_ms \
     FROM emitters WHERE account_id = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT CAST($3 AS BIGINT)";
const CLEAR_DEFAULT: &str = "UPDATE emitters SET padrao = 0, version = version + 1 WHERE account_id = $1 AND padrao = 1 AND id <> $2";
const UPDATE: &str = "UPDATE emitters SET razao_social = $3, apelido = $4, ambiente = $5, padrao = $6, perfil = $7, certificate_id = $8, version = version + 1, updated_at_ms = $9 \
     WHERE account_id = $1 AND id = $2 AND version = $10";
const DELETE: &str = "DELETE FROM emitters WHERE account_id = $1 AND id = $2 \
     AND NOT EXISTS (SELECT 1 FROM notas WHERE notas.account_id = emitters.account_id AND notas.emitter_id = emitters.id) \
     AND NOT EXISTS (SELECT 1 FROM number_void WHERE number_void.emitter_id = emitters.id) \
     AND NOT EXISTS (SELECT 1 FROM eventos WHERE eventos.emitter_id = emitters.id AND eventos.codigo <> '' AND eventos.status IN ('em_transmissao', 'registrado'))";

/// False when the account already has this CNPJ, or already has a default.
pub async fn insert(conn: &mut Conn, row: &EmitterRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &row.id,
        &row.account_id,
        &row.cnpj,
        &row.razao_social,
        &row.apelido,
        row.ambiente,
        row.padrao,
        &row.perfil,
        &row.certificate_id,
        row.version,
        row.created_at_ms,
        row.updated_at_ms
    )?;
    Ok(rows == 1)
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &EmitterId,
) -> DbResult<Option<EmitterRow>> {
    fetch_optional!(conn, EmitterRow, GET, account, id)
}

pub async fn by_cnpj(
    conn: &mut Conn,
    account: &AccountId,
    cnpj: &str,
) -> DbResult<Option<EmitterRow>> {
    fetch_optional!(conn, EmitterRow, BY_CNPJ, account, cnpj)
}

pub async fn default_of(conn: &mut Conn, account: &AccountId) -> DbResult<Option<EmitterRow>> {
    fetch_optional!(conn, EmitterRow, DEFAULT, account)
}

pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    before: &str,
    limit: i64,
) -> DbResult<Vec<EmitterRow>> {
    fetch_all!(conn, EmitterRow, LIST, account, before, limit)
}

/// Takes the default from whichever other emitter has it.
pub async fn clear_default(
    conn: &mut Conn,
    account: &AccountId,
    except: &EmitterId,
) -> DbResult<()> {
    execute!(conn, CLEAR_DEFAULT, account, except)?;
    Ok(())
}

/// Writes the row if nobody changed it since it was read; false otherwise.
pub async fn update(conn: &mut Conn, row: &EmitterRow, now_ms: i64) -> DbResult<bool> {
    let rows = execute!(
        conn,
        UPDATE,
        &row.account_id,
        &row.id,
        &row.razao_social,
        &row.apelido,
        row.ambiente,
        row.padrao,
        &row.perfil,
        &row.certificate_id,
        now_ms,
        row.version
    )?;
    Ok(rows == 1)
}

/// Deletes an emitter that never had a document, nor numbers that were or are
/// being voided, nor an event on a note of another; false otherwise. Its
/// certificates, secrets and sequences must be gone before.
pub async fn delete(conn: &mut Conn, account: &AccountId, id: &EmitterId) -> DbResult<bool> {
    Ok(execute!(conn, DELETE, account, id)? == 1)
}
