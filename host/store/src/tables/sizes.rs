//! How large the database is, and each of its tables: asked of the engine itself.

use crate::{Conn, DbResult, fetch_all, fetch_value, row};

row! {
    /// A table and what it takes on disk, with its indexes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TableSize {
        pub name: String,
        pub bytes: i64,
    }
}

/// SQLite finds the size of a table by reading all its pages: above this size, in bytes,
/// that would keep the disk busy for minutes.
pub const MOST_SQLITE_BYTES: i64 = 4 << 30;

const WHOLE_SQLITE: &str =
    "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
const WHOLE_POSTGRES: &str = "SELECT pg_database_size(current_database())";
const TABLES_SQLITE: &str = "SELECT s.tbl_name AS name, CAST(SUM(d.pgsize) AS BIGINT) AS bytes FROM dbstat d JOIN sqlite_schema s ON s.name = d.name \
     WHERE d.aggregate = TRUE GROUP BY s.tbl_name ORDER BY bytes DESC, name LIMIT 200";
const TABLES_POSTGRES: &str = "SELECT CAST(c.relname AS TEXT) AS name, pg_total_relation_size(c.oid) AS bytes FROM pg_class c \
     WHERE c.relkind = 'r' AND c.relnamespace = CAST('public' AS regnamespace) ORDER BY bytes DESC, name LIMIT 200";
const OBJECTS: &str = "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM objetos_uso";

/// Bytes of the whole database, its indexes included.
///
/// # Errors
/// The database failed.
pub async fn whole(conn: &mut Conn) -> DbResult<i64> {
    let sql = match conn {
        Conn::Sqlite(_) => WHOLE_SQLITE,
        Conn::Postgres(_) => WHOLE_POSTGRES,
    };
    Ok(fetch_value!(conn, i64, sql)?.unwrap_or(0))
}

/// The tables, the largest first; None: the file is so large that nobody asks SQLite.
/// On a connection for reports: on SQLite it reads the whole file.
///
/// # Errors
/// The database failed.
pub async fn tables(conn: &mut Conn) -> DbResult<Option<Vec<TableSize>>> {
    let is_file = matches!(conn, Conn::Sqlite(_));
    if is_file && whole(conn).await? > MOST_SQLITE_BYTES {
        return Ok(None);
    }
    let sql = if is_file {
        TABLES_SQLITE
    } else {
        TABLES_POSTGRES
    };
    Ok(Some(fetch_all!(conn, TableSize, sql)?))
}

/// Bytes of the objects that customers keep, wherever their files are.
///
/// # Errors
/// The database failed.
pub async fn objects(conn: &mut Conn) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, OBJECTS)?.unwrap_or(0))
}
