//! Table `produtos`: products that an account registers in the panel.

use crate::ids::{AccountId, ProdutoId};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct ProductRow {
        pub id: ProdutoId,
        pub account_id: AccountId,
        /// The account's own code, of one product; empty: none.
        pub codigo: String,
        pub descricao: String,
        /// Description, code and bar code as `data::search::fold` folds them.
        pub busca: String,
        /// Eight digits, as the other codes without punctuation; empty: not
        /// said.
        pub ncm: String,
        pub cest: String,
        pub cfop: String,
        pub unidade: String,
        pub gtin: String,
        /// Price of one unit, a decimal number; empty: none.
        pub preco: String,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

/// A search looks at its first four words only.
const WORDS: usize = 4;

const INSERT: &str = "INSERT INTO produtos (id, account_id, codigo, descricao, busca, ncm, cest, cfop, unidade, gtin, preco, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) ON CONFLICT DO NOTHING";
const UPDATE: &str = "UPDATE produtos SET codigo = $3, descricao = $4, busca = $5, ncm = $6, cest = $7, cfop = $8, unidade = $9, gtin = $10, preco = $11, \
     updated_at_ms = $12 WHERE account_id = $1 AND id = $2";
const GET: &str = "SELECT * FROM produtos WHERE account_id = $1 AND id = $2";
const BY_CODIGO: &str =
    "SELECT * FROM produtos WHERE account_id = $1 AND codigo = $2 AND codigo <> ''";
const WITHOUT_CODIGO: &str = "SELECT * FROM produtos WHERE account_id = $1 AND codigo = '' AND descricao = $2 ORDER BY id LIMIT 1";
const LIST: &str = "SELECT * FROM produtos WHERE account_id = $1 AND ($2 = '' OR id < $2) AND busca LIKE $3 ESCAPE '!' AND busca LIKE $4 ESCAPE '!' \
     AND busca LIKE $5 ESCAPE '!' AND busca LIKE $6 ESCAPE '!' ORDER BY id DESC LIMIT CAST($7 AS BIGINT)";
const KEPT: &str = "SELECT COUNT(*) FROM (SELECT o.id FROM produtos o WHERE o.account_id = $1 LIMIT CAST($2 AS BIGINT)) x";
const DELETE: &str = "DELETE FROM produtos WHERE account_id = $1 AND id = $2";

/// False when the account already has a product of this code.
pub async fn insert(conn: &mut Conn, row: &ProductRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &row.id,
        &row.account_id,
        &row.codigo,
        &row.descricao,
        &row.busca,
        &row.ncm,
        &row.cest,
        &row.cfop,
        &row.unidade,
        &row.gtin,
        &row.preco,
        row.created_at_ms
    )?;
    Ok(rows == 1)
}

/// Writes what a product is now; false when there is none of this id. Whether
/// another has its code was looked at.
pub async fn update(conn: &mut Conn, row: &ProductRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        UPDATE,
        &row.account_id,
        &row.id,
        &row.codigo,
        &row.descricao,
        &row.busca,
        &row.ncm,
        &row.cest,
        &row.cfop,
        &row.unidade,
        &row.gtin,
        &row.preco,
        row.updated_at_ms
    )?;
    Ok(rows == 1)
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &ProdutoId,
) -> DbResult<Option<ProductRow>> {
    fetch_optional!(conn, ProductRow, GET, account, id)
}

/// The product of a code; None for the empty code.
pub async fn by_codigo(
    conn: &mut Conn,
    account: &AccountId,
    codigo: &str,
) -> DbResult<Option<ProductRow>> {
    fetch_optional!(conn, ProductRow, BY_CODIGO, account, codigo)
}

/// The first product of this description that has no code.
pub async fn without_codigo(
    conn: &mut Conn,
    account: &AccountId,
    description: &str,
) -> DbResult<Option<ProductRow>> {
    fetch_optional!(conn, ProductRow, WITHOUT_CODIGO, account, description)
}

/// Those that have the words, which are folded, in description, code or bar
/// code; newest first. Reads all products of the account when few have them.
pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    words: &str,
    before: &str,
    limit: i64,
) -> DbResult<Vec<ProductRow>> {
    let [first, second, third, fourth] = patterns(words);
    fetch_all!(
        conn, ProductRow, LIST, account, before, &first, &second, &third, &fourth, limit
    )
}

/// What the text has to be like for each word; anything for words there are
/// not.
fn patterns(words: &str) -> [String; WORDS] {
    let mut patterns = [const { String::new() }; WORDS];
    let mut words = words.split_whitespace();
    for pattern in &mut patterns {
        pattern.push('%');
        let Some(word) = words.next() else {
            continue;
        };
        for letter in word.chars() {
            if matches!(letter, '%' | '_' | '!') {
                pattern.push('!');
            }
            pattern.push(letter);
        }
        pattern.push('%');
    }
    patterns
}

/// How many an account has, counted up to `most`.
pub async fn kept(conn: &mut Conn, account: &AccountId, most: i64) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, KEPT, account, most)?.unwrap_or(0))
}

/// False when there is none of this id.
pub async fn delete(conn: &mut Conn, account: &AccountId, id: &ProdutoId) -> DbResult<bool> {
    Ok(execute!(conn, DELETE, account, id)? == 1)
}
