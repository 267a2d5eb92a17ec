//! Gives room back that deleted rows left in the database's files.

use super::{CopyError, rows, schema};
use crate::{Conn, DbResult, execute, fetch_optional, row};
use sqlx::AssertSqlSafe;

row! {
    /// What a SQLite file has of pages.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FilePages {
        pub page_size: i64,
        pub pages: i64,
        /// Those that nothing uses.
        pub unused: i64,
        /// 2: pages can be given back a few at a time, while others write.
        pub auto_vacuum: i64,
    }
}

/// Pages of a step: 2 MB, some milliseconds in which nobody else writes.
const STEP_SQLITE: &str = "PRAGMA incremental_vacuum(512)";
const PAGES_SQLITE: &str = "SELECT page_size, page_count AS pages, freelist_count AS unused, auto_vacuum FROM pragma_page_size(), pragma_page_count(), \
     pragma_freelist_count(), pragma_auto_vacuum()";
/// All of a file is written twice: in memory, where temporary tables of a hub are, it
/// may have no place.
const ON_DISK_SQLITE: &str = "PRAGMA temp_store = FILE";
const WHOLE_SQLITE: &str = "VACUUM";

impl FilePages {
    /// Whether steps give pages back.
    pub fn in_steps(&self) -> bool {
        self.auto_vacuum == 2
    }

    /// Bytes of the pages that are used.
    pub fn used_bytes(&self) -> u64 {
        bytes(self.pages - self.unused, self.page_size)
    }

    /// Bytes of the pages that nothing uses.
    pub fn unused_bytes(&self) -> u64 {
        bytes(self.unused, self.page_size)
    }
}

fn bytes(pages: i64, size: i64) -> u64 {
    u64::try_from(pages.saturating_mul(size)).unwrap_or(0)
}

/// The pages of a SQLite file; None: it is PostgreSQL.
///
/// # Errors
/// The database failed.
pub async fn pages(conn: &mut Conn) -> DbResult<Option<FilePages>> {
    match conn {
        Conn::Sqlite(_) => fetch_optional!(conn, FilePages, PAGES_SQLITE),
        Conn::Postgres(_) => Ok(None),
    }
}

/// Gives some pages of a SQLite file back, which was made for it; others may write
/// before and after.
///
/// # Errors
/// The database failed, or somebody wrote for too long.
pub async fn step(conn: &mut Conn) -> DbResult<()> {
    if let Conn::Sqlite(_) = conn {
        execute!(conn, STEP_SQLITE)?;
    }
    Ok(())
}

/// Writes a SQLite file anew, without unused pages: nobody else writes meanwhile. It needs
/// room for the used pages twice.
///
/// # Errors
/// The database failed; the file is as it was.
pub async fn whole(conn: &mut Conn) -> DbResult<()> {
    if let Conn::Sqlite(sqlite) = conn {
        sqlite.with(|own| {
            own.execute_batch(ON_DISK_SQLITE)?;
            own.execute_batch(WHOLE_SQLITE)
        })?;
    }
    Ok(())
}

/// Names of the tables.
///
/// # Errors
/// The database failed.
pub async fn tables(conn: &mut Conn) -> Result<Vec<String>, CopyError> {
    let tables = schema::tables(conn).await?;
    Ok(tables.into_iter().map(|table| table.name).collect())
}

/// Makes the room of deleted rows of a table of PostgreSQL free for new ones, and counts
/// anew what the planner goes by; others may read and write.
///
/// # Errors
/// The database failed.
pub async fn table(conn: &mut Conn, name: &str) -> DbResult<()> {
    if let Conn::Postgres(conn) = conn {
        let sql = ["VACUUM", "(ANALYZE)", &rows::quoted(name)].join(" ");
        let query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        query.execute(&mut **conn).await?;
    }
    Ok(())
}
