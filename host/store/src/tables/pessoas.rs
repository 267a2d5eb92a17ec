//! Table `pessoas`. A part of a name is looked for by its letters in threes, as in `parties`.

use super::parties::pieces;
use crate::ids::{AccountId, EmitterId, PessoaId};
use crate::words::Maybe;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};
use serde_json::json;

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

row! {
    struct NamedRow {
        id: PessoaId,
    }
}

/// Persons that a part of a name may have and still be looked for by their ids. A part that more
/// persons have is found soon along all of them.
const MOST: usize = 1_024;

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
     AND ($4 = '' OR nome_busca LIKE $5 ESCAPE '!') AND ($6 = '' OR documento = $6) AND ($7 = '' OR papeis LIKE $8) ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
const LIST_OF_DOCUMENTO: &str = "SELECT * FROM pessoas WHERE account_id = $1 AND id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END AND ($3 = '' OR emitter_id = $3) \
     AND ($4 = '' OR nome_busca LIKE $5 ESCAPE '!') AND documento = $6 AND ($7 = '' OR papeis LIKE $8) ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
// The sign of the account is that of the triggers which write `person_words`.
const WITH_PART_SQLITE: &str = "SELECT p.id FROM person_words w CROSS JOIN person_words_ids i ON i.number = w.rowid CROSS JOIN pessoas p ON p.id = i.id \
     WHERE w.person_words MATCH $2 || ' AND \"' || char( \
     983040 + unicode(substr('......' || $1, -1, 1)) % 128 * 128 + unicode(substr('......' || $1, -2, 1)) % 128, \
     983040 + unicode(substr('......' || $1, -3, 1)) % 128 * 128 + unicode(substr('......' || $1, -4, 1)) % 128, \
     983040 + unicode(substr('......' || $1, -5, 1)) % 128 * 128 + unicode(substr('......' || $1, -6, 1)) % 128) || '\"' \
     AND p.account_id = $1 AND p.nome_busca LIKE '' || $3 ESCAPE '\\' LIMIT CAST($4 AS BIGINT)";
// The server is not to read all persons of the account besides.
const WITH_PART_POSTGRES: &str = "SELECT p.id FROM pessoas p WHERE p.account_id || '' = $1 AND name_pieces(p.account_id, p.nome_busca) @> name_pieces($1, $2) \
     AND p.nome_busca LIKE $3 ESCAPE '\\' LIMIT $4";
const AMONG_SQLITE: &str = "SELECT * FROM pessoas WHERE account_id = $1 AND id IN (SELECT x.value FROM json_each($2) x) AND ($3 = '' OR emitter_id = $3) \
     AND nome_busca LIKE '' || $4 ESCAPE '\\' AND ($5 = '' OR papeis LIKE $6) ORDER BY id DESC LIMIT CAST($7 AS BIGINT)";
const AMONG_POSTGRES: &str = "SELECT * FROM pessoas WHERE account_id = $1 AND id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($2 AS jsonb)))) AND ($3 = '' OR emitter_id = $3) \
     AND nome_busca LIKE $4 ESCAPE '\\' AND ($5 = '' OR papeis LIKE $6) ORDER BY id DESC LIMIT $7";
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
    let role = format!("%\"{}\"%", filter.role);
    if filter.documento.is_empty()
        && let Some(ids) = named(conn, account, &filter.name).await?
    {
        let name = format!("%{}%", literal(&filter.name, '\\'));
        let older = |id: &&PessoaId| before.is_empty() || id.as_str() < before;
        let older: Vec<&PessoaId> = ids.iter().filter(older).collect();
        let among = match conn {
            Conn::Sqlite(_) => AMONG_SQLITE,
            Conn::Postgres(_) => AMONG_POSTGRES,
        };
        return fetch_all!(
            conn,
            PersonRow,
            among,
            account,
            json!(older).to_string(),
            &filter.emitter_id,
            &name,
            &filter.role,
            &role,
            limit
        );
    }
    let name = format!("%{}%", literal(&filter.name, '!'));
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

/// Persons of the account whose name has a part, in any order; None: it has fewer than three
/// letters, or more than [`MOST`] persons have it.
async fn named(
    conn: &mut Conn,
    account: &AccountId,
    name: &str,
) -> DbResult<Option<Vec<PessoaId>>> {
    let part = literal(name, '\\');
    let Some(pieces) = pieces(&part) else {
        return Ok(None);
    };
    let pattern = format!("%{part}%");
    let most = i64::try_from(MOST).unwrap_or(0) + 1;
    let found: Vec<NamedRow> = match conn {
        Conn::Sqlite(_) => fetch_all!(
            conn,
            NamedRow,
            WITH_PART_SQLITE,
            account,
            &pieces,
            &pattern,
            most
        )?,
        Conn::Postgres(_) => fetch_all!(
            conn,
            NamedRow,
            WITH_PART_POSTGRES,
            account,
            name,
            &pattern,
            most
        )?,
    };
    let ids = found.into_iter().map(|row| row.id);
    let ids: Vec<PessoaId> = ids.collect();
    Ok((ids.len() <= MOST).then_some(ids))
}

/// A text as a pattern of LIKE has it, where `escape` says what is taken literally.
fn literal(text: &str, escape: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '%' | '_') || letter == escape {
            escaped.push(escape);
        }
        escaped.push(letter);
    }
    escaped
}

/// Forgets the persons of a company that is deleted.
pub async fn delete_of(conn: &mut Conn, account: &AccountId, emitter: &EmitterId) -> DbResult<()> {
    execute!(conn, DELETE_OF, account, emitter)?;
    Ok(())
}
