//! How large the database is, and each of its tables: asked of the engine itself.

use crate::sqlite::Sqlite;
use crate::{Conn, DbResult, Walk, fetch_all, fetch_value, row};
use rusqlite::{Connection, OptionalExtension as _};
use std::collections::HashMap;

row! {
    /// A table and what it takes on disk, with its indexes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TableSize {
        pub name: String,
        pub bytes: i64,
    }
}

row! {
    /// A table and what its server knows of it.
    struct LevelRow {
        name: String,
        bytes: i64,
        /// Below 0: nobody counted yet.
        rows: i64,
    }
}

/// A table: what it takes on disk and how many rows it has, about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLevel {
    pub name: String,
    /// None: nobody knows without reading all of it.
    pub bytes: Option<i64>,
    pub rows: Option<i64>,
}

/// Rows of a table that are looked at, to say how large the others are.
const SAMPLE: i64 = 64;

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
const LEVELS_POSTGRES: &str = "SELECT CAST(c.relname AS TEXT) AS name, pg_total_relation_size(c.oid) AS bytes, CAST(c.reltuples AS BIGINT) AS rows FROM pg_class c \
     WHERE c.relkind = 'r' AND c.relnamespace = CAST('public' AS regnamespace) ORDER BY name LIMIT 200";
// Tables without rowids are those of imported data.
const NAMES_SQLITE: &str = "SELECT name, 0 AS bytes FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr = 0 \
     AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name LIMIT 200";
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

/// Size and rows of each table, without reading whole tables. On SQLite rows are those of
/// a sample, and so are the bytes of a file above [`MOST_SQLITE_BYTES`], which then leave
/// indexes out. It runs on a thread of its own.
///
/// # Errors
/// The database failed.
pub async fn levels(mut walk: Walk) -> DbResult<Vec<TableLevel>> {
    if let Conn::Postgres(_) = &*walk {
        let rows = fetch_all!(&mut *walk, LevelRow, LEVELS_POSTGRES)?;
        let levels = rows.into_iter().map(|row| TableLevel {
            name: row.name,
            bytes: Some(row.bytes),
            rows: (row.rows >= 0).then_some(row.rows),
        });
        return Ok(levels.collect());
    }
    let sizes = tables(&mut walk).await?;
    let names = fetch_all!(&mut *walk, TableSize, NAMES_SQLITE)?;
    let sampled = tokio::task::spawn_blocking(move || {
        let Conn::Sqlite(sqlite) = &*walk else {
            return Ok(Vec::new());
        };
        let each = names.into_iter().map(|table| sampled(sqlite, table.name));
        each.collect::<DbResult<Vec<TableLevel>>>()
    });
    let sampled = sampled.await.map_err(|_| sqlx::Error::WorkerCrashed)??;
    let Some(sizes) = sizes else {
        return Ok(sampled);
    };
    let mut rows: HashMap<String, Option<i64>> = sampled
        .into_iter()
        .map(|one| (one.name, one.rows))
        .collect();
    let levels = sizes.into_iter().map(|size| TableLevel {
        rows: rows.remove(&size.name).flatten(),
        bytes: Some(size.bytes),
        name: size.name,
    });
    Ok(levels.collect())
}

/// A table of SQLite by some of its rows, which stand at even distances.
fn sampled(sqlite: &Sqlite, name: String) -> DbResult<TableLevel> {
    let (rows, bytes) = sqlite.with(|own| {
        let from = format!("\"{}\"", name.replace('"', "\"\""));
        let (first, last) = (end(own, "MIN", &from)?, end(own, "MAX", &from)?);
        let (Some(first), Some(last)) = (first, last) else {
            return Ok((0, 0));
        };
        let span = last.saturating_sub(first).saturating_add(1);
        let columns = columns(own, &name)?;
        let sql = ["SELECT", &columns, "FROM", &from, "WHERE rowid = ?1"].join(" ");
        let mut statement = own.prepare(&sql)?;
        let looked = span.min(SAMPLE);
        let (mut found, mut bytes) = (0, 0);
        for place in 0..looked {
            let distance = i128::from(span) * i128::from(place) / i128::from(looked);
            let id = first.saturating_add(i64::try_from(distance).unwrap_or(i64::MAX));
            let length: Option<i64> = statement.query_row([id], |row| row.get(0)).optional()?;
            found += i64::from(length.is_some());
            bytes += length.unwrap_or(0);
        }
        let all = |part: i64| {
            let all = i128::from(span) * i128::from(part) / i128::from(looked);
            i64::try_from(all).unwrap_or(i64::MAX)
        };
        Ok((all(found), all(bytes)))
    })?;
    Ok(TableLevel {
        name,
        bytes: Some(bytes),
        rows: Some(rows),
    })
}

/// The lowest or the highest rowid; None: there are no rows.
fn end(own: &Connection, which: &str, from: &str) -> rusqlite::Result<Option<i64>> {
    let sql = ["SELECT", &format!("{which}(rowid)"), "FROM", from].join(" ");
    own.query_row(&sql, [], |row| row.get(0))
}

/// What adds up the bytes of a row's columns.
fn columns(own: &Connection, table: &str) -> rusqlite::Result<String> {
    let mut lengths = Vec::new();
    own.pragma(None, "table_info", table, |row| {
        let column: String = row.get("name")?;
        let column = column.replace('"', "\"\"");
        lengths.push(format!("COALESCE(length(CAST(\"{column}\" AS BLOB)), 0)"));
        Ok(())
    })?;
    Ok(lengths.join(" + "))
}
