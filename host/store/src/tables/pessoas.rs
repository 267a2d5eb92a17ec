//! Table `pessoas`.

use crate::ids::{AccountId, EmitterId, PessoaId};
use crate::words::Maybe;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct PersonRow {
        pub id: PessoaId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        /// CPF or CNPJ without punctuation.
        pub documento: String,
        pub nome: String,
        /// The name as `fiscal::person::busca` folds it.
        pub nome_busca: String,
        pub email: String,
        pub ie: String,
        pub im: String,
        /// JSON list of words.
        pub papeis: String,
        /// JSON list of `issuing::emitters::party::Endereco`.
        pub enderecos: String,
        /// JSON list of `issuing::emitters::party::Telefone`.
        pub telefones: String,
        /// Grows with each change (ETag).
        pub version: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

/// Which persons of an account; empty: any.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub emitter_id: Maybe<EmitterId>,
    /// Part of a folded name.
    pub name: String,
    pub documento: String,
    pub role: String,
}

const INSERT: &str = "INSERT INTO pessoas (id, account_id, emitter_id, documento, nome, nome_busca, email, ie, im, papeis, enderecos, telefones, version, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT * FROM pessoas WHERE account_id = $1 AND id = $2";
const BY_DOCUMENTO: &str =
    "SELECT * FROM pessoas WHERE account_id = $1 AND emitter_id = $2 AND documento = $3";
const TAKE: &str = "UPDATE pessoas SET version = version + 1, updated_at_ms = $3 WHERE account_id = $1 AND id = $2 RETURNING *";
const UPDATE: &str = "UPDATE pessoas SET nome = $3, nome_busca = $4, email = $5, ie = $6, im = $7, papeis = $8, enderecos = $9, telefones = $10 \
     WHERE account_id = $1 AND id = $2";
const LIST: &str = "SELECT * FROM pessoas WHERE account_id = $1 AND id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END AND ($3 = '' OR emitter_id = $3) \
     AND ($4 = '' OR nome_busca LIKE $5 ESCAPE '!') AND ($6 = '' OR documento = $6) AND ($7 = '' OR papeis LIKE $8) ORDER BY id DESC LIMIT $9";
const LIST_OF_DOCUMENTO: &str = "SELECT * FROM pessoas WHERE account_id = $1 AND id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END AND ($3 = '' OR emitter_id = $3) \
     AND ($4 = '' OR nome_busca LIKE $5 ESCAPE '!') AND documento = $6 AND ($7 = '' OR papeis LIKE $8) ORDER BY id DESC LIMIT $9";
const DELETE_OF: &str = "DELETE FROM pessoas WHERE account_id = $1 AND emitter_id = $2";

/// False when the company already has a person with this document.
pub async fn insert(conn: &mut Conn, row: &PersonRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &row.id,
        &row.account_id,
        &row.emitter_id,
        &row.documento,
        &row.nome,
        &row.nome_busca,
        &row.email,
        &row.ie,
        &row.im,
        &row.papeis,
        &row.enderecos,
        &row.telefones,
        row.created_at_ms
    )?;
    Ok(rows == 1)
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &PessoaId,
) -> DbResult<Option<PersonRow>> {
    fetch_optional!(conn, PersonRow, GET, account, id)
}

pub async fn by_documento(
    conn: &mut Conn,
    account: &AccountId,
    emitter: &EmitterId,
    documento: &str,
) -> DbResult<Option<PersonRow>> {
    fetch_optional!(conn, PersonRow, BY_DOCUMENTO, account, emitter, documento)
}

/// The row under its next version, held until the transaction ends: changes
/// at the same time come one after the other.
pub async fn take(
    conn: &mut Conn,
    account: &AccountId,
    id: &PessoaId,
    now_ms: i64,
) -> DbResult<Option<PersonRow>> {
    fetch_optional!(conn, PersonRow, TAKE, account, id, now_ms)
}

/// Writes a row that was taken.
pub async fn update(conn: &mut Conn, row: &PersonRow) -> DbResult<()> {
    execute!(
        conn,
        UPDATE,
        &row.account_id,
        &row.id,
        &row.nome,
        &row.nome_busca,
        &row.email,
        &row.ie,
        &row.im,
        &row.papeis,
        &row.enderecos,
        &row.telefones
    )?;
    Ok(())
}

/// Newest first.
pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    filter: &Filter,
    before: &str,
    limit: i64,
) -> DbResult<Vec<PersonRow>> {
    let mut name = String::from("%");
    for letter in filter.name.chars() {
        if matches!(letter, '%' | '_' | '!') {
            name.push('!');
        }
        name.push(letter);
    }
    name.push('%');
    let role = format!("%\"{}\"%", filter.role);
    let sql = if filter.documento.is_empty() {
        LIST
    } else {
        LIST_OF_DOCUMENTO
    };
    fetch_all!(
        conn,
        PersonRow,
        sql,
        account,
        before,
        &filter.emitter_id,
        &filter.name,
        &name,
        &filter.documento,
        &filter.role,
        &role,
        limit
    )
}

/// Forgets the persons of a company that is deleted.
pub async fn delete_of(conn: &mut Conn, account: &AccountId, emitter: &EmitterId) -> DbResult<()> {
    execute!(conn, DELETE_OF, account, emitter)?;
    Ok(())
}
