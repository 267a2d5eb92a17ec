//! The two databases hold the same thing.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use std::collections::BTreeSet;
use tests::adapters::workspace;
use tests::postgres;

/// Table, column, and whether it may be NULL.
type Column = (String, String, bool);

/// A migration is two files of one name, and the number is the order.
#[test]
fn migrations_come_in_pairs() {
    let names = |engine: &str| -> BTreeSet<String> {
        let folder = workspace().join("migrations").join(engine);
        std::fs::read_dir(folder)
            .expect("folder")
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    };
    let sqlite = names("sqlite");
    assert_eq!(sqlite, names("postgres"));
    for (index, name) in sqlite.iter().enumerate() {
        assert!(
            name.starts_with(&format!("{:04}_", index + 1)) && name.ends_with(".sql"),
            "{name} is not number {}",
            index + 1
        );
    }
}

#[tokio::test]
async fn both_engines_have_the_same_columns() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let _db = hub::db::Db::open(&url, 1).await.expect("migrated");
    let mut conn = PgConnection::connect(&url).await.expect("connection");
    let postgres: BTreeSet<Column> = sqlx::query_as(
        "SELECT table_name::text, column_name::text, is_nullable = 'YES' FROM information_schema.columns \
         WHERE table_schema = 'public' AND table_name <> '_sqlx_migrations'",
    )
    .fetch_all(&mut conn)
    .await
    .expect("columns")
    .into_iter()
    .collect();
    let versions = "SELECT version FROM _sqlx_migrations ORDER BY version";
    let postgres_versions: Vec<i64> = sqlx::query_scalar(versions)
        .fetch_all(&mut conn)
        .await
        .expect("versions");

    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let _db = hub::db::Db::open(&url, 1).await.expect("migrated");
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    let sqlite_versions: Vec<i64> = sqlx::query_scalar(versions)
        .fetch_all(&mut conn)
        .await
        .expect("versions");
    assert_eq!(sqlite_versions, postgres_versions);
    let sqlite = sqlite_columns(&mut conn).await;
    let only =
        |a: &BTreeSet<Column>, b: &BTreeSet<Column>| a.difference(b).cloned().collect::<Vec<_>>();
    assert_eq!(
        (only(&sqlite, &postgres), only(&postgres, &sqlite)),
        (vec![], vec![]),
        "(only SQLite, only PostgreSQL)"
    );
    assert!(sqlite.len() > 50, "only {} columns found", sqlite.len());
}

async fn sqlite_columns(conn: &mut SqliteConnection) -> BTreeSet<Column> {
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> '_sqlx_migrations'")
            .fetch_all(&mut *conn)
            .await
            .expect("tables");
    let mut columns = BTreeSet::new();
    for table in tables {
        // The primary key is NOT NULL in PostgreSQL by itself.
        let sql =
            format!("SELECT name, \"notnull\" = 0 AND pk = 0 FROM pragma_table_info('{table}')");
        let rows: Vec<(String, bool)> = sqlx::query_as(AssertSqlSafe(sql))
            .fetch_all(&mut *conn)
            .await
            .expect("columns");
        columns.extend(
            rows.into_iter()
                .map(|(name, nullable)| (table.clone(), name, nullable)),
        );
    }
    columns
}
