//! Table `certificates`: sealed keys and their public chain.

use crate::ids::{AccountId, CertificateId, EmitterId};
use crate::words::{Ambiente, Maybe};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

row! {
    #[derive(Clone)]
    pub struct CertificateRow {
        pub id: CertificateId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub titular: String,
        /// CNPJ or CPF inside the certificate; empty when it has none.
        pub documento: String,
        pub emissor: String,
        pub valido_de_ms: i64,
        pub valido_ate_ms: i64,
        /// SHA-256 of the certificate, hex.
        pub impressao_digital: String,
        /// The key, sealed by `vault`.
        pub key_blob: Vec<u8>,
        /// Leaf first, each certificate preceded by its length (4 bytes, big endian).
        pub chain_der: Vec<u8>,
        pub created_at_ms: i64,
    }
}

row! {
    /// A certificate of which somebody must be told that it ends, with the
    /// company that signs with it.
    #[derive(Clone, Debug, Default)]
    pub struct EndingRow {
        pub id: CertificateId,
        pub account_id: AccountId,
        pub valido_ate_ms: i64,
        /// When somebody must be told next; 0: not looked at yet.
        pub aviso_ms: i64,
        /// Empty: no company uses it any more.
        pub emitter_id: Maybe<EmitterId>,
        pub cnpj: String,
        pub ambiente: Maybe<Ambiente>,
    }
}

row! {
    /// A certificate that a company signs with, of any account.
    #[derive(Clone, Debug, Default)]
    pub struct UsedRow {
        pub id: CertificateId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub valido_ate_ms: i64,
    }
}

row! {
    /// A company whose certificate has ended or ends soon.
    #[derive(Clone, Debug, Default)]
    pub struct DueRow {
        pub emitter_id: EmitterId,
        pub razao_social: String,
        pub valido_ate_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO certificates (id, account_id, emitter_id, titular, documento, emissor, valido_de_ms, valido_ate_ms, impressao_digital, key_blob, chain_der, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
const GET: &str = "SELECT id, account_id, emitter_id, titular, documento, emissor, valido_de_ms, valido_ate_ms, impressao_digital, key_blob, chain_der, created_at_ms \
     FROM certificates WHERE account_id = $1 AND id = $2";
// Without the key and the chain, which are kept on pages of their own.
const ENDS: &str = "SELECT valido_ate_ms FROM certificates WHERE account_id = $1 AND id = $2";
const PAGE: &str = "SELECT id, account_id, emitter_id, titular, documento, emissor, valido_de_ms, valido_ate_ms, impressao_digital, key_blob, chain_der, created_at_ms \
     FROM certificates WHERE id > $1 ORDER BY id LIMIT CAST($2 AS BIGINT)";
const SET_BLOB: &str = "UPDATE certificates SET key_blob = $3 WHERE id = $1 AND key_blob = $2";
const ENDING: &str = "SELECT c.id, c.account_id, c.valido_ate_ms, c.aviso_ms, COALESCE(e.id, '') AS emitter_id, COALESCE(e.cnpj, '') AS cnpj, \
     COALESCE(e.ambiente, '') AS ambiente FROM certificates c LEFT JOIN emitters e ON e.id = c.emitter_id AND e.certificate_id = c.id \
     WHERE c.aviso_ms <= $1 ORDER BY c.aviso_ms, c.id LIMIT CAST($2 AS BIGINT)";
const USED: &str = "SELECT c.id, c.account_id, e.id AS emitter_id, c.valido_ate_ms FROM emitters e JOIN certificates c ON c.id = e.certificate_id \
     WHERE c.valido_ate_ms < $1 ORDER BY c.valido_ate_ms, c.id LIMIT CAST($2 AS BIGINT)";
const DUE: &str = "SELECT e.id AS emitter_id, e.razao_social, c.valido_ate_ms FROM emitters e JOIN certificates c ON c.id = e.certificate_id \
     WHERE e.account_id = $1 AND c.valido_ate_ms <= $2 ORDER BY c.valido_ate_ms, e.id LIMIT CAST($3 AS BIGINT)";
const TOLD: &str = "UPDATE certificates SET aviso_ms = $3 WHERE id = $1 AND aviso_ms = $2";
const DELETE_OF: &str =
    "DELETE FROM certificates WHERE account_id = $1 AND emitter_id = $2 RETURNING id";

/// When a certificate ends, epoch milliseconds; None when there is none.
pub async fn ends_ms(
    conn: &mut Conn,
    account: &AccountId,
    id: &CertificateId,
) -> DbResult<Option<i64>> {
    fetch_value!(conn, i64, ENDS, account, id)
}

pub async fn insert(conn: &mut Conn, row: &CertificateRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &row.id,
        &row.account_id,
        &row.emitter_id,
        &row.titular,
        &row.documento,
        &row.emissor,
        row.valido_de_ms,
        row.valido_ate_ms,
        &row.impressao_digital,
        &row.key_blob,
        &row.chain_der,
        row.created_at_ms
    )?;
    Ok(())
}

/// Companies of an account whose certificate ends by a moment, the first to end first.
pub async fn due(
    conn: &mut Conn,
    account: &AccountId,
    until_ms: i64,
    limit: i64,
) -> DbResult<Vec<DueRow>> {
    fetch_all!(conn, DueRow, DUE, account, until_ms, limit)
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &CertificateId,
) -> DbResult<Option<CertificateRow>> {
    fetch_optional!(conn, CertificateRow, GET, account, id)
}

/// All tenants, in id order: only for key rotation and verification.
pub async fn page(conn: &mut Conn, after: &str, limit: i64) -> DbResult<Vec<CertificateRow>> {
    fetch_all!(conn, CertificateRow, PAGE, after, limit)
}

/// Replaces a sealed key if it is still the one that was read.
pub async fn set_blob(
    conn: &mut Conn,
    id: &CertificateId,
    old: &[u8],
    new: &[u8],
) -> DbResult<bool> {
    Ok(execute!(conn, SET_BLOB, id, old, new)? == 1)
}

/// Those somebody must be told of; all tenants, for the job.
pub async fn ending(conn: &mut Conn, now_ms: i64, limit: i64) -> DbResult<Vec<EndingRow>> {
    fetch_all!(conn, EndingRow, ENDING, now_ms, limit)
}

/// Those in use that end before a moment, the first to end first; all tenants, for
/// operators.
pub async fn used_until(conn: &mut Conn, before_ms: i64, limit: i64) -> DbResult<Vec<UsedRow>> {
    fetch_all!(conn, UsedRow, USED, before_ms, limit)
}

/// Sets when to look at one again; false when another did.
pub async fn told(
    conn: &mut Conn,
    id: &CertificateId,
    before_ms: i64,
    next_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, TOLD, id, before_ms, next_ms)? == 1)
}

row! {
    struct Id {
        id: CertificateId,
    }
}

/// Removes all of a company, those that others replaced too; their ids.
pub async fn delete_of(
    conn: &mut Conn,
    account: &AccountId,
    emitter: &EmitterId,
) -> DbResult<Vec<CertificateId>> {
    Ok(fetch_all!(conn, Id, DELETE_OF, account, emitter)?
        .into_iter()
        .map(|row| row.id)
        .collect())
}
