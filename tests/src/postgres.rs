//! A PostgreSQL for the tests: `HUB_TEST_POSTGRES_URL`, or a private cluster
//! when the server's programs are on the machine, or none.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// URL of a fresh, empty database; None, with a line saying so, where there
/// is no PostgreSQL.
pub async fn database() -> Option<String> {
    made("template1").await
}

/// The same with the schema of this program, which is made once: copying is
/// quicker than migrating.
pub async fn migrated() -> Option<String> {
    static TEMPLATE: tokio::sync::OnceCell<Option<String>> = tokio::sync::OnceCell::const_new();
    let template = TEMPLATE.get_or_init(async || {
        let url = database().await?;
        use sqlx::Connection as _;
        let mut conn = sqlx::PgConnection::connect(&url).await.expect("connect");
        let migrated = store::migrations::postgres().run(&mut conn).await;
        migrated.expect("migrate");
        conn.close().await.expect("close");
        let path = url.split('?').next().unwrap_or_default();
        path.rsplit('/').next().map(str::to_owned)
    });
    made(template.await.as_deref()?).await
}

async fn made(template: &str) -> Option<String> {
    let server = tokio::task::spawn_blocking(server).await.expect("server")?;
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "hub_test_{}_{}",
        std::process::id(),
        NUMBER.fetch_add(1, Ordering::Relaxed)
    );
    let (base, query) = server
        .split_once('?')
        .map_or((server.as_str(), String::new()), |(base, query)| {
            (base, format!("?{query}"))
        });
    let root = base.rsplit_once('/').map_or(base, |(root, _)| root);
    use sqlx::Connection as _;
    let mut conn = sqlx::PgConnection::connect(&server)
        .await
        .expect("connect to PostgreSQL");
    // Copying files is three times as quick as copying pages through the log,
    // which servers do by themselves from version 15 on.
    let by_files = if conn
        .server_version_num()
        .is_some_and(|version| version >= 150_000)
    {
        " STRATEGY FILE_COPY"
    } else {
        ""
    };
    let create = sqlx::AssertSqlSafe(format!(
        "CREATE DATABASE {name} TEMPLATE {template}{by_files}"
    ));
    sqlx::query(create)
        .execute(&mut conn)
        .await
        .expect("create database");
    Some(format!("{root}/{name}{query}"))
}

/// URL of the server's maintenance database.
fn server() -> Option<String> {
    static SERVER: OnceLock<Option<String>> = OnceLock::new();
    SERVER
        .get_or_init(|| {
            if let Ok(url) = std::env::var("HUB_TEST_POSTGRES_URL") {
                return Some(url);
            }
            let found = programs().map(|bin| start(&bin));
            if found.is_none() {
                judges::skipped("no PostgreSQL: no HUB_TEST_POSTGRES_URL and no server programs on this machine");
            }
            found
        })
        .clone()
}

fn programs() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    for version in (13..=20).rev() {
        folders.push(PathBuf::from(format!("/usr/lib/postgresql/{version}/bin")));
    }
    folders
        .into_iter()
        .find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

/// Starts a cluster of this test process on a Unix socket in a folder of its
/// own. A watching shell stops it when this process is gone.
fn start(bin: &Path) -> String {
    let folder = std::env::temp_dir().join(format!("hub-pg-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder of the cluster");
    let root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let user = if root {
        ["postgres", "nobody"].into_iter().find(|user| {
            Command::new("id")
                .arg(user)
                .output()
                .is_ok_and(|o| o.status.success())
        })
    } else {
        None
    };
    if let Some(user) = user {
        // The server refuses to run as root.
        assert!(
            Command::new("chown")
                .arg(user)
                .arg(&folder)
                .status()
                .expect("chown")
                .success()
        );
    }
    let data = folder.join("data");
    let run = |script: String| {
        let mut command = match user {
            Some(user) => {
                let mut command = Command::new("su");
                command.args([user, "-s", "/bin/sh", "-c", &script]);
                command
            }
            None => {
                let mut command = Command::new("sh");
                command.args(["-c", &script]);
                command
            }
        };
        command
            .current_dir("/")
            .stdout(Stdio::null())
            .stdin(Stdio::null());
        command
    };
    let (bin, data, socket) = (bin.display(), data.display(), folder.display());
    let made = run(format!(
        "{bin}/initdb --no-sync -D {data} -U hub -A trust -E UTF8 --locale=C >/dev/null"
    ))
    .status()
    .expect("initdb");
    assert!(made.success(), "initdb failed");
    // The tests kill hubs, never the server or the machine: its disk may lag. The
    // tables are small and live for seconds: nobody cleans them up, and a statement
    // is planned once per connection.
    let settings = "-c listen_addresses='' -c max_connections=300 -c shared_buffers=64MB -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
        -c autovacuum=off -c jit=off -c plan_cache_mode=force_generic_plan";
    let started = run(format!(
        "{bin}/pg_ctl -D {data} -w -t 60 -l {socket}/log -o \"-k {socket} {settings}\" start >/dev/null"
    ))
    .status()
    .expect("pg_ctl");
    assert!(
        started.success(),
        "PostgreSQL did not start, see {socket}/log"
    );
    let pid = std::process::id();
    // Outlives this process on purpose: it cleans up after it.
    let watch = format!(
        "while test -d /proc/{pid}; do sleep 1; done; {bin}/pg_ctl -D {data} -m immediate stop >/dev/null 2>&1; rm -rf {socket}"
    );
    run(format!("setsid sh -c '{watch}' >/dev/null 2>&1 &"))
        .stderr(Stdio::null())
        .status()
        .expect("watcher");
    let host = folder.display().to_string().replace('/', "%2F");
    format!("postgres://hub@localhost/postgres?host={host}")
}
