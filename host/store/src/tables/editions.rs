//! Tables `editions` and `edition_rows`: imported reference data. An import
//! writes an edition of its own; one short transaction makes it the active one.

use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// What is imported, by the word of the command line.
    pub enum DatasetKind {
        /// Rates of Lei 12.741/2012, a table for each state.
        Ibpt = "ibpt",
        /// Margins of substitution, in a format of this program.
        Mva = "mva",
        /// The operator's list of products.
        Products = "produtos",
        /// Open Food Facts.
        OpenFoodFacts = "off",
        /// The nomenclature of goods, or the units of its codes.
        Ncm = "ncm",
        /// Rates of IPI.
        Tipi = "tipi",
        /// Goods under tax substitution.
        Cest = "cest",
        /// Products of the ANP.
        Anp = "anp",
        /// Codes of tax benefit, a table for each state.
        Cbenef = "cbenef",
        /// Classifications of IBS and CBS.
        ClassTrib = "cclasstrib",
        /// Banks, and who takes part in PIX.
        Banks = "bancos",
        /// Companies: open data of the Receita Federal.
        Cnpj = "cnpj",
        /// Streets with coordinates: addresses of the IBGE's census.
        Cnefe = "cnefe",
        /// Streets: the Correios' e-DNE Básico.
        Edne = "edne",
    }
}

words! {
    /// Where an edition is in its life.
    #[derive(Default)]
    pub enum EditionStatus {
        /// Its rows are being written.
        #[default]
        Loading = "carregando",
        /// Answers are made of it.
        Active = "ativa",
        /// The one before, kept until the next import.
        Previous = "anterior",
        /// Its rows are being deleted.
        Retired = "retirada",
    }
}

row! {
    /// One import.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct EditionRow {
        pub id: i64,
        pub kind: DatasetKind,
        /// The state of a table of one state, or which list of its kind it is; empty
        /// otherwise.
        pub scope: String,
        pub status: EditionStatus,
        /// As the file says.
        pub version: String,
        /// Name of the file.
        pub source: String,
        /// Of the files, hexadecimal.
        pub sha256: String,
        pub row_count: i64,
        /// `AAAA-MM-DD`, or empty.
        pub valid_until: String,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    /// A row of a table of codes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CodeRow {
        pub code: String,
        /// JSON.
        pub content: String,
    }
}

const BEGIN_EDITION: &str = "INSERT INTO editions (id, kind, scope, status, version, source, sha256, row_count, valid_until, created_at_ms, updated_at_ms) \
     VALUES ((SELECT COALESCE(MAX(e.id), 0) + 1 FROM editions e), $1, $2, 'carregando', $3, $4, $5, $6, $7, $8, $8) RETURNING id";
const TOUCH: &str =
    "UPDATE editions SET updated_at_ms = $2 WHERE id = $1 AND status = 'carregando'";
const RETIRE_PREVIOUS: &str = "UPDATE editions SET status = 'retirada', updated_at_ms = $4 WHERE kind = $1 AND scope = $2 AND id < $3 AND status = 'anterior'";
const REPLACE_ACTIVE: &str = "UPDATE editions SET status = 'anterior', updated_at_ms = $3 WHERE kind = $1 AND scope = $2 AND status = 'ativa'";
const ACTIVATE: &str = "UPDATE editions SET status = 'ativa', updated_at_ms = $2 WHERE id = $1 AND status = 'carregando'";
const COUNT_ROWS: &str = "UPDATE editions SET row_count = $2 WHERE id = $1";
const RETIRE: &str = "UPDATE editions SET status = 'retirada', updated_at_ms = $2 WHERE id = $1 AND status <> 'ativa'";
const GIVE_UP_ACTIVE: &str = "UPDATE editions SET status = 'retirada', updated_at_ms = $3 WHERE kind = $1 AND scope = $2 AND status = 'ativa'";
const RESTORE_PREVIOUS: &str = "UPDATE editions SET status = 'ativa', updated_at_ms = $3 WHERE kind = $1 AND scope = $2 AND status = 'anterior'";
const ACTIVE: &str = "SELECT * FROM editions WHERE kind = $1 AND scope = $2 AND status = 'ativa'";
// An operator has some dozens: a kind has at most 27 scopes and two editions.
const ALL_EDITIONS: &str = "SELECT * FROM editions ORDER BY kind, scope, id LIMIT 1000";
const FORGET: &str = "DELETE FROM editions WHERE id = $1 AND status = 'retirada'";
const INSERT_ROW: &str = "INSERT INTO edition_rows (edition, code, content) VALUES ($1, $2, $3)";
const INSERT_ROWS_POSTGRES: &str = "INSERT INTO edition_rows (edition, code, content) SELECT $1::bigint, r.code, r.content FROM UNNEST($2::text[], $3::text[]) AS r (code, content)";
const GET_ROW: &str = "SELECT content FROM edition_rows WHERE edition = $1 AND code = $2";
/// The tables that imports fill.
const ANALYZE_POSTGRES: &str = "ANALYZE edition_rows, catalog_products, catalog_gtins, catalog_words, catalog_postings, establishments, company_records, streets";
const GET_SOME: &str = "SELECT code, content FROM edition_rows WHERE edition = $1 AND code IN ($2, $3, $4, $5, $6, $7, $8, $9, $10)";
const PAGE_OF_ROWS: &str = "SELECT code, content FROM edition_rows WHERE edition = $1 AND code > $2 ORDER BY code LIMIT CAST($3 AS BIGINT)";
const DELETE_ROWS: &str = "DELETE FROM edition_rows WHERE edition = $1 AND code IN (SELECT r.code FROM edition_rows r WHERE r.edition = $1 LIMIT CAST($2 AS BIGINT))";

row! {
    struct Content {
        content: String,
    }
}

/// Writes the row of an import that begins; its number.
pub async fn begin(conn: &mut Conn, e: &EditionRow) -> DbResult<i64> {
    let id = fetch_value!(
        conn,
        i64,
        BEGIN_EDITION,
        e.kind,
        &e.scope,
        &e.version,
        &e.source,
        &e.sha256,
        e.row_count,
        &e.valid_until,
        e.created_at_ms
    )?;
    Ok(id.unwrap_or_default())
}

/// The import is alive; false when somebody retired its edition.
pub async fn touch(conn: &mut Conn, id: i64, now_ms: i64) -> DbResult<bool> {
    Ok(execute!(conn, TOUCH, id, now_ms)? > 0)
}

/// Makes a loaded edition the active one; that of before becomes the previous,
/// and the one before that is retired. False when it is not loading any more.
pub async fn activate(conn: &mut Conn, e: &EditionRow, now_ms: i64) -> DbResult<bool> {
    execute!(&mut *conn, RETIRE_PREVIOUS, e.kind, &e.scope, e.id, now_ms)?;
    execute!(&mut *conn, REPLACE_ACTIVE, e.kind, &e.scope, now_ms)?;
    Ok(execute!(conn, ACTIVATE, e.id, now_ms)? > 0)
}

/// Says how many rows an edition has, once all of them were written.
pub async fn count_rows(conn: &mut Conn, id: i64, rows: i64) -> DbResult<()> {
    execute!(conn, COUNT_ROWS, id, rows)?;
    Ok(())
}

/// Gives up an edition that is not served; its rows may be deleted.
pub async fn retire(conn: &mut Conn, id: i64, now_ms: i64) -> DbResult<()> {
    execute!(conn, RETIRE, id, now_ms)?;
    Ok(())
}

/// Gives the active edition up and makes the one before active again, if one is kept.
/// False when none is active.
pub async fn undo(conn: &mut Conn, kind: DatasetKind, scope: &str, now_ms: i64) -> DbResult<bool> {
    let gone = execute!(&mut *conn, GIVE_UP_ACTIVE, kind, scope, now_ms)?;
    if gone > 0 {
        execute!(conn, RESTORE_PREVIOUS, kind, scope, now_ms)?;
    }
    Ok(gone > 0)
}

/// The edition that answers are made of.
pub async fn active(
    conn: &mut Conn,
    kind: DatasetKind,
    scope: &str,
) -> DbResult<Option<EditionRow>> {
    fetch_optional!(conn, EditionRow, ACTIVE, kind, scope)
}

/// All editions, by kind and scope.
pub async fn all(conn: &mut Conn) -> DbResult<Vec<EditionRow>> {
    fetch_all!(conn, EditionRow, ALL_EDITIONS)
}

/// Deletes the row of a retired edition without rows.
pub async fn forget(conn: &mut Conn, id: i64) -> DbResult<()> {
    execute!(conn, FORGET, id)?;
    Ok(())
}

/// Adds rows to an edition.
pub async fn insert_rows(conn: &mut Conn, edition: i64, rows: &[CodeRow]) -> DbResult<()> {
    match conn {
        Conn::Sqlite(conn) => {
            for row in rows {
                conn.execute(INSERT_ROW, &[&edition, &row.code, &row.content])?;
            }
        }
        Conn::Postgres(conn) => {
            let codes: Vec<&str> = rows.iter().map(|row| row.code.as_str()).collect();
            let contents: Vec<&str> = rows.iter().map(|row| row.content.as_str()).collect();
            let insert = sqlx::query(INSERT_ROWS_POSTGRES).bind(edition);
            let insert = insert.bind(codes).bind(contents);
            insert.execute(&mut **conn).await?;
        }
    }
    Ok(())
}

/// The content of a code.
pub async fn get_row(conn: &mut Conn, edition: i64, code: &str) -> DbResult<Option<String>> {
    let row = fetch_optional!(conn, Content, GET_ROW, edition, code)?;
    Ok(row.map(|row| row.content))
}

/// The rows of nine codes that there are, in no order; a code may be there twice.
pub async fn get_some(
    conn: &mut Conn,
    edition: i64,
    codes: &[String; 9],
) -> DbResult<Vec<CodeRow>> {
    let [a, b, c, d, e, f, g, h, i] = codes;
    fetch_all!(conn, CodeRow, GET_SOME, edition, a, b, c, d, e, f, g, h, i)
}

/// Rows after a code, in order.
pub async fn page_of_rows(
    conn: &mut Conn,
    edition: i64,
    after: &str,
    limit: i64,
) -> DbResult<Vec<CodeRow>> {
    fetch_all!(conn, CodeRow, PAGE_OF_ROWS, edition, after, limit)
}

/// Lets PostgreSQL look at the tables that imports fill. It plans a statement by what
/// it knows of them, and a connection keeps the plan: one made while they were empty
/// reads a whole kind of rows at each look-up. SQLite plans by the keys alone.
pub async fn analyze(conn: &mut Conn) -> DbResult<()> {
    if let Conn::Postgres(conn) = conn {
        sqlx::query(ANALYZE_POSTGRES).execute(&mut **conn).await?;
    }
    Ok(())
}

/// Deletes some rows of an edition; how many.
pub async fn delete_rows(conn: &mut Conn, edition: i64, limit: i64) -> DbResult<u64> {
    execute!(conn, DELETE_ROWS, edition, limit)
}
