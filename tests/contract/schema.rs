//! The two databases hold the same thing.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use std::collections::BTreeSet;
use store::copy;
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
    let _db = store::Db::open(&url, 1).await.expect("migrated");
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
    let _db = store::Db::open(&url, 1).await.expect("migrated");
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
        sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> '_sqlx_migrations' AND name NOT LIKE 'party_words%' AND name NOT LIKE 'person_words%'")
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

/// A table of a later migration is copied by itself; one with a counter of its
/// own is not, for the copy moves none.
#[tokio::test]
async fn a_copy_takes_every_table() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let mut ours = copy::migrated(&url).await.expect("migrated");
    let known = copy::schema::tables(&mut ours).await.expect("tables");
    let mut names: Vec<&str> = known.iter().map(|table| table.name.as_str()).collect();
    names.sort_unstable();
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    let there: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '_sqlx_migrations' AND name NOT LIKE 'party_words%' AND name NOT LIKE 'person_words%' ORDER BY name",
    )
    .fetch_all(&mut conn)
    .await
    .expect("tables");
    // A counter of SQLite would be a table, too: sqlite_sequence.
    assert_eq!(names, there);

    let Some(url) = postgres::database().await else {
        return;
    };
    let mut theirs = copy::migrated(&url).await.expect("migrated");
    assert_eq!(
        copy::schema::tables(&mut theirs).await.expect("tables"),
        known
    );
    let mut conn = PgConnection::connect(&url).await.expect("connection");
    let counters: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM pg_sequences")
        .fetch_one(&mut conn)
        .await
        .expect("counters");
    assert_eq!(counters, 0, "db/copy moves no counters on");
}

/// What is easily lost on the way: NULL, empty, large, binary, other letters,
/// and a row that names one whose id comes later.
const ODD: [&str; 9] = [
    "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ('acc_1', 'Ação ''x'' 🧾', 9223372036854775807, -1)",
    "INSERT INTO ledger_accounts (account_id, kind, balance) VALUES ('acc_1', 'available', 7), ('acc_1', 'held', 0)",
    "INSERT INTO transfers (id, account_id, kind, debit, credit, amount, pending_id, ref, subject_id, operation, request_id, balance_after, created_at_ms) \
     VALUES ('trf_9', 'acc_1', 'gift', 'platform', 'available', 10, NULL, 'a', '', '', '', 10, 1)",
    "INSERT INTO transfers (id, account_id, kind, debit, credit, amount, pending_id, ref, subject_id, operation, request_id, balance_after, created_at_ms) \
     VALUES ('trf_8', 'acc_1', 'hold', 'available', 'held', 3, NULL, 'b', '', '', 'req_1', 7, 2)",
    "INSERT INTO transfers (id, account_id, kind, debit, credit, amount, pending_id, ref, subject_id, operation, request_id, balance_after, created_at_ms) \
     VALUES ('trf_1', 'acc_1', 'post', 'held', 'platform', 3, 'trf_8', 'c', '', '', 'req_1', 7, 3)",
    "INSERT INTO usage_credits (account_id, day, operation, key_id, emitter_id, debited, returned, refunded) VALUES ('acc_1', 0, '', '', '', 3, 0, 0)",
    "INSERT INTO api_keys (id, account_id, kind, nome, digest, secret_digest, hint, created_at_ms, limite_diario, limite_mensal) \
     VALUES ('key_1', 'acc_1', 'test', '', 'd1', '', '', 0, NULL, 0), ('key_2', 'acc_1', 'live', '', 'd2', '', '', 0, 5, NULL)",
    "INSERT INTO users (id, email, nome, senha, totp, created_at_ms, updated_at_ms) VALUES ('usr_1', 'a', 'b', 'c', x'00ff10', 0, 0), ('usr_2', 'b', 'b', 'c', x'', 0, 0)",
    "INSERT INTO members (account_id, user_id, papel, created_at_ms) VALUES ('acc_1', 'usr_2', 'dono', 0), ('acc_1', 'usr_1', 'leitura', 0)",
];

#[tokio::test]
async fn a_copy_changes_nothing_on_the_way() {
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| copy::sqlite_url(&folder.path().join(name));
    let mut first = copy::migrated(&at("first.db")).await.expect("migrated");
    let mut conn = SqliteConnection::connect(&at("first.db"))
        .await
        .expect("connection");
    for sql in ODD {
        sqlx::query(sql).execute(&mut conn).await.expect(sql);
    }
    // More than a page.
    for n in 0..1_500 {
        let id = format!("trf_x{:04}", (n * 7) % 1_500);
        sqlx::query("INSERT INTO probes (id, at_ms) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at_ms = $1")
            .bind(n)
            .execute(&mut conn)
            .await
            .expect("a probe");
        sqlx::query("INSERT INTO throttles (subject, arrival_ms) VALUES ($1, $2)")
            .bind(id)
            .bind(n)
            .execute(&mut conn)
            .await
            .expect("a throttle");
    }
    let rows = |copied: &copy::Copied, table: &str| {
        let found = copied.tables.iter().find(|one| one.table == table);
        found.expect("a table").rows
    };
    let mut second = copy::migrated(&at("second.db")).await.expect("migrated");
    let copied = copy::copy(&mut first, &mut second).await.expect("copied");
    assert_eq!(
        (rows(&copied, "transfers"), rows(&copied, "throttles")),
        (3, 1_500)
    );
    assert!(copied.findings.is_empty(), "{:?}", copied.findings);
    let again = copy::copy(&mut first, &mut second)
        .await
        .expect_err("not empty");
    assert!(again.to_string().contains("not empty"), "{again}");
    let Some(url) = postgres::database().await else {
        return;
    };
    let mut server = copy::migrated(&url).await.expect("migrated");
    let there = copy::copy(&mut first, &mut server).await.expect("copied");
    assert_eq!(there.tables, copied.tables);
    let mut third = copy::migrated(&at("third.db")).await.expect("migrated");
    let back = copy::copy(&mut server, &mut third)
        .await
        .expect("copied back");
    assert_eq!(back.tables, copied.tables);
    drop(third);
    let mut conn = SqliteConnection::connect(&at("third.db"))
        .await
        .expect("connection");
    let same: i64 = sqlx::query_scalar(
        "SELECT (SELECT COUNT(*) FROM accounts WHERE nome = 'Ação ''x'' 🧾' AND requests_per_minute = 9223372036854775807 AND created_at_ms = -1) \
         + (SELECT COUNT(*) FROM api_keys WHERE (id = 'key_1' AND limite_diario IS NULL AND limite_mensal = 0) OR (id = 'key_2' AND limite_diario = 5 AND limite_mensal IS NULL)) \
         + (SELECT COUNT(*) FROM users WHERE (id = 'usr_1' AND totp = x'00ff10') OR (id = 'usr_2' AND totp = x'' AND typeof(totp) = 'blob')) \
         + (SELECT COUNT(*) FROM transfers WHERE id = 'trf_1' AND pending_id = 'trf_8')",
    )
    .fetch_one(&mut conn)
    .await
    .expect("the same");
    assert_eq!(same, 6);
}

/// One line that says what is wrong, and no password.
#[tokio::test]
async fn a_database_that_does_not_open_says_why() {
    let folder = tempfile::tempdir().expect("folder");
    let text = folder.path().join("text.db");
    std::fs::write(
        &text,
        "not a database, but long enough to be looked at as one".repeat(40),
    )
    .expect("written");
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
        listener.local_addr().expect("address").port()
    };
    let mut cases = vec![
        (copy::sqlite_url(&text), "not a SQLite database"),
        (
            copy::sqlite_url(&folder.path().join("no/such/hub.db")),
            "folder does not exist",
        ),
        (
            format!("postgres://hub:segredo@127.0.0.1:{port}/hub"),
            "nobody listens there",
        ),
        (
            "postgres://hub:segredo@127.0.0.1:port/hub".to_owned(),
            "postgres://user:password",
        ),
        (
            "mysql://hub:segredo@db/hub".to_owned(),
            "sqlite: or postgres:",
        ),
    ];
    if let Some(url) = postgres::database().await {
        let (base, query) = url.split_once('?').unwrap_or((&url, ""));
        let (root, _) = base.rsplit_once('/').expect("a database");
        cases.push((format!("{root}/nao_ha?{query}"), "no such database"));
    }
    for (url, why) in cases {
        let error = store::Db::open(&url, 1).await.err().expect(why).to_string();
        assert!(error.contains(why) && !error.contains('\n'), "{error}");
        assert!(!error.contains("segredo"), "{error}");
    }
}
