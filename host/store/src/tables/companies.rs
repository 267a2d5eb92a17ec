//! Tables `establishments` and `company_records`: companies of the federal
//! registry, of an imported edition.

use crate::sqlite::Sqlite;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};
use std::collections::HashSet;

row! {
    /// An establishment.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct EstablishmentRow {
        /// Eight positions that all establishments of the company share.
        pub base: String,
        /// The other six of its CNPJ.
        pub branch: String,
        /// JSON.
        pub content: String,
    }
}

row! {
    /// What is said of a company.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RecordRow {
        pub base: String,
        /// Unique in the company; what it is written as is up to `datasets`.
        pub part: String,
        /// JSON.
        pub content: String,
    }
}

row! {
    struct Base {
        base: String,
    }
}

const INSERT_ESTABLISHMENT_SQLITE: &str = "INSERT INTO establishments (edition, base, branch, content) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
const INSERT_ESTABLISHMENTS_POSTGRES: &str = "INSERT INTO establishments (edition, base, branch, content) SELECT $1::bigint, r.base, r.branch, r.content \
     FROM UNNEST($2::text[], $3::text[], $4::text[]) AS r (base, branch, content) ON CONFLICT DO NOTHING RETURNING base, branch";
const INSERT_RECORD_SQLITE: &str = "INSERT INTO company_records (edition, base, part, content) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
const INSERT_RECORDS_POSTGRES: &str = "INSERT INTO company_records (edition, base, part, content) SELECT $1::bigint, r.base, r.part, r.content \
     FROM UNNEST($2::text[], $3::text[], $4::text[]) AS r (base, part, content) ON CONFLICT DO NOTHING RETURNING base, part";
const HAS_BASE_SQLITE: &str =
    "SELECT base FROM establishments WHERE edition = $1 AND base = $2 LIMIT 1";
const HAVE_BASES_POSTGRES: &str =
    "SELECT DISTINCT base FROM establishments WHERE edition = $1 AND base = ANY($2)";
const GET_ESTABLISHMENT: &str = "SELECT base, branch, content FROM establishments WHERE edition = $1 AND base = $2 AND branch = $3";
const RECORDS_OF: &str = "SELECT base, part, content FROM company_records WHERE edition = $1 AND base = $2 ORDER BY part LIMIT CAST($3 AS BIGINT)";
const DELETE_ESTABLISHMENTS: &str = "DELETE FROM establishments WHERE edition = $1 AND base IN (SELECT r.base FROM establishments r WHERE r.edition = $1 LIMIT CAST($2 AS BIGINT))";
const DELETE_RECORDS: &str = "DELETE FROM company_records WHERE edition = $1 AND base IN (SELECT r.base FROM company_records r WHERE r.edition = $1 LIMIT CAST($2 AS BIGINT))";

/// Adds establishments to an edition; the places of those that were there
/// already, which are left out. The rows have different keys; quickest in their
/// order.
pub async fn insert_establishments(
    conn: &mut Conn,
    edition: i64,
    rows: &[EstablishmentRow],
) -> DbResult<Vec<usize>> {
    let keyed = rows.iter().map(|row| Keyed {
        base: &row.base,
        rest: &row.branch,
        content: &row.content,
    });
    let statements = (INSERT_ESTABLISHMENT_SQLITE, INSERT_ESTABLISHMENTS_POSTGRES);
    insert(conn, edition, statements, &keyed.collect::<Vec<_>>()).await
}

/// Adds what is said of companies, as [`insert_establishments`].
pub async fn insert_records(
    conn: &mut Conn,
    edition: i64,
    rows: &[RecordRow],
) -> DbResult<Vec<usize>> {
    let keyed = rows.iter().map(|row| Keyed {
        base: &row.base,
        rest: &row.part,
        content: &row.content,
    });
    let statements = (INSERT_RECORD_SQLITE, INSERT_RECORDS_POSTGRES);
    insert(conn, edition, statements, &keyed.collect::<Vec<_>>()).await
}

/// A row of either table.
struct Keyed<'r> {
    base: &'r str,
    rest: &'r str,
    content: &'r str,
}

async fn insert(
    conn: &mut Conn,
    edition: i64,
    (sqlite, postgres): (&'static str, &'static str),
    rows: &[Keyed<'_>],
) -> DbResult<Vec<usize>> {
    match conn {
        Conn::Sqlite(conn) => insert_sqlite(conn, edition, sqlite, rows),
        Conn::Postgres(conn) => {
            let column =
                |of: fn(&Keyed<'_>) -> String| rows.iter().map(of).collect::<Vec<String>>();
            let insert = sqlx::query_as(postgres).bind(edition);
            let insert = insert.bind(column(|row| row.base.to_owned()));
            let insert = insert.bind(column(|row| row.rest.to_owned()));
            let insert = insert.bind(column(|row| row.content.to_owned()));
            let written: Vec<(String, String)> = insert.fetch_all(&mut **conn).await?;
            let written: HashSet<(&str, &str)> = written
                .iter()
                .map(|(base, rest)| (base.as_str(), rest.as_str()))
                .collect();
            let there = rows.iter().enumerate();
            let there = there.filter(|(_, row)| !written.contains(&(row.base, row.rest)));
            Ok(there.map(|(place, _)| place).collect())
        }
    }
}

fn insert_sqlite(
    conn: &mut Sqlite,
    edition: i64,
    sql: &str,
    rows: &[Keyed<'_>],
) -> DbResult<Vec<usize>> {
    let mut there = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let binds: [&dyn rusqlite::ToSql; 4] = [&edition, &row.base, &row.rest, &row.content];
        if conn.execute(sql, &binds)? == 0 {
            there.push(place);
        }
    }
    Ok(there)
}

/// Those of some bases that have an establishment in an edition.
pub async fn known_bases(
    conn: &mut Conn,
    edition: i64,
    bases: &[&str],
) -> DbResult<HashSet<String>> {
    match conn {
        Conn::Sqlite(conn) => {
            let mut known = HashSet::new();
            for base in bases {
                let found = conn.first::<Base>(HAS_BASE_SQLITE, &[&edition, base])?;
                known.extend(found.map(|found| found.base));
            }
            Ok(known)
        }
        Conn::Postgres(conn) => {
            let asked = sqlx::query_scalar(HAVE_BASES_POSTGRES).bind(edition);
            let known: Vec<String> = asked.bind(bases).fetch_all(&mut **conn).await?;
            Ok(known.into_iter().collect())
        }
    }
}

/// An establishment.
pub async fn get(
    conn: &mut Conn,
    edition: i64,
    base: &str,
    branch: &str,
) -> DbResult<Option<EstablishmentRow>> {
    fetch_optional!(
        conn,
        EstablishmentRow,
        GET_ESTABLISHMENT,
        edition,
        base,
        branch
    )
}

/// What is said of a company, in the order of its parts.
pub async fn records(
    conn: &mut Conn,
    edition: i64,
    base: &str,
    limit: i64,
) -> DbResult<Vec<RecordRow>> {
    fetch_all!(conn, RecordRow, RECORDS_OF, edition, base, limit)
}

/// Deletes some rows of an edition from each of the tables; how many.
pub async fn delete(conn: &mut Conn, edition: i64, limit: i64) -> DbResult<u64> {
    let deleted = execute!(&mut *conn, DELETE_ESTABLISHMENTS, edition, limit)?;
    Ok(deleted + execute!(conn, DELETE_RECORDS, edition, limit)?)
}
