//! How SQLite finds the rows of every statement: not by reading all there are.

use crate::sql::{Sql, constants, for_sqlite};
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqlSafeStr as _, SqliteConnection,
};
use tests::postgres;

/// Statements that look at whole tables on purpose: `hub doctor`, figures of
/// the process, and what is done once at start-up, on a restored hub, or when a
/// node stops or is found dead.
const WHOLE: [&str; 10] = [
    "checks.rs ",
    "checks/calls.rs ",
    "checks/days.rs ",
    "certificates.rs USED",
    "sizes.rs ",
    "copy/",
    "metrics.rs ",
    " RELEASE_ALL",
    " EXPIRE_ALL",
    " RELEASE_OF",
];
/// Indexes of what is open now: they are as long as the work that waits, or have one row for
/// each adapter.
const SHORT: [&str; 12] = [
    "adapter_releases_active",
    "adapter_releases_canary",
    "adapter_releases_previous",
    "outbox_new",
    "eventos_open",
    "flows_due",
    "exportacoes_running",
    "exportacoes_ready",
    "number_free",
    "api_keys_account",
    "webhooks_account",
    "_leased",
];
/// Tables an account or the whole hub has few rows of; those of probes have one for
/// each host or address of the registry.
const SMALL: [&str; 15] = [
    // An operator looks for accounts, one at a time, beside the calls of customers.
    "tables/accounts.rs LISTED",
    // The component's releases are looked for: an operator keeps some dozens.
    "releases.rs FORGET_COMPONENT",
    "sessions.rs DELETE_OLD",
    "sessions.rs DELETE_IDLE",
    "mod.rs VERSIONS",
    "compras.rs OPEN",
    "compras.rs SINCE",
    "exportacoes.rs EXPIRE_OLD",
    "editions.rs ALL_EDITIONS",
    "releases.rs OTHERS",
    "releases.rs ACTIONS",
    "probes.rs HOSTS",
    "agreements.rs ALL",
    "probes.rs ALL_PROBES",
    "probes.rs FORGET",
];
/// Bounded by what an account may ask for (mails of ninety days); done once in
/// the life of a company, where the check of the foreign key reads the notes.
const BEARABLE: [&str; 2] = ["mails.rs OF_CONTENT", "emitters.rs DELETE"];

/// What is wrong with a step of a plan.
fn wrong(step: &str, sorted: bool, paged: bool) -> bool {
    if SHORT.iter().any(|index| step.contains(index)) {
        return false;
    }
    // A table or its alias. Subqueries stand in parentheses or are called x, y.
    // A list that a statement is given, or an index of letters, is a virtual table.
    let scan = step.strip_prefix("SCAN ").is_some_and(|what| {
        !what.starts_with('(')
            && !matches!(what, "x" | "y" | "CONSTANT ROW")
            && !what.contains(" VIRTUAL TABLE INDEX ")
    });
    // All rows of an account: only along an order, page by page.
    let account = step.ends_with("_account (account_id=?)") && (sorted || !paged);
    scan || account
}

#[tokio::test]
async fn no_statement_reads_all_there_is() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let _db = store::Db::open(&url, 1).await.expect("migrated");
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    let mut findings = Vec::new();
    let mut looked = 0;
    for sql in for_sqlite(constants()) {
        let excepted = WHOLE.iter().chain(&SMALL).chain(&BEARABLE);
        let plain = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];
        if excepted.into_iter().any(|name| sql.name.contains(name))
            || !plain.iter().any(|word| sql.text.starts_with(word))
        {
            continue;
        }
        looked += 1;
        let paged = sql.text.contains(" LIMIT ");
        let explained = format!("EXPLAIN QUERY PLAN {}", sql.text);
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(AssertSqlSafe(explained))
            .fetch_all(&mut conn)
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", sql.name));
        let sorted = plan.iter().any(|step| step.3.contains("TEMP B-TREE"));
        for (_, _, _, step) in plan {
            if wrong(&step, sorted, paged) {
                findings.push(format!("{}: {step}", sql.name));
            }
        }
    }
    assert!(looked > 100, "only {looked} statements");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// SQLite prepares a statement anew at each run if a bare parameter stands behind its LIMIT: it looks
/// at the value (docs/decisions/0004).
#[test]
fn no_limit_is_a_bare_parameter_on_sqlite() {
    let bare = |sql: &Sql| sql.text.contains("LIMIT $");
    let found = for_sqlite(constants()).filter(bare);
    let found: Vec<String> = found.map(|sql| sql.name).collect();
    assert!(found.is_empty(), "LIMIT CAST($n AS BIGINT): {found:?}");
}

/// What each statement of a list, a search or a report of usage reads: the index, and how many
/// conditions at least narrow what is read of it. A filter, alone or with others, is one of
/// these statements and then a look at rows by their ids, of so many at most
/// (host/store/src/tables/documents/page.rs).
const INDEXES: [(&str, &str, usize); 53] = [
    ("lanes.rs ACCOUNT_DOWN", "notas_runs", 5),
    ("lanes.rs ACCOUNT_UP", "notas_runs", 5),
    ("lanes.rs EMITTER_DOWN", "notas_company_runs", 5),
    ("lanes.rs EMITTER_UP", "notas_company_runs", 5),
    ("lanes.rs PARTY_DOWN", "notas_party", 3),
    ("lanes.rs PARTY_UP", "notas_party", 3),
    ("lanes.rs VALUE_DOWN", "notas_value", 3),
    ("lanes.rs VALUE_UP", "notas_value", 3),
    ("lanes.rs VALUES", "notas_value", 2),
    ("lanes.rs HOW_MANY_VALUES", "notas_value", 2),
    ("lanes.rs EXACT", "notas_chave", 1),
    ("notas.rs BY_CHAVE", "notas_chave", 1),
    ("lanes.rs EXACT", "notas_number_returned", 2),
    ("lanes.rs EXACT", "notas_numero_nfse", 2),
    ("lanes.rs EXACT", "notas_reference_free", 2),
    ("documents/summary.rs KNOWN_BY_DAY", "document_days", 3),
    ("documents/summary.rs KNOWN_BY_DAY", "document_sums", 4),
    ("documents/summary.rs KNOWN_BY_EMITTER", "document_sums", 3),
    ("documents/days.rs OPEN", "document_days_open", 1),
    ("packed.rs OF_NOTA", "packed_records", 1),
    ("flows.rs STEPS_OF", "flows_of", 1),
    ("ledger.rs OF_SUBJECT", "transfers_hold", 1),
    ("ledger.rs OF_SUBJECT", "transfers_pending", 1),
    ("ledger.rs OF_NOTA", "transfers_hold", 1),
    ("ledger.rs OF_NOTA", "transfers_pending", 1),
    ("ledger.rs DIRECT_OF", "transfers_ref", 3),
    ("ledger.rs GIFT", "transfers_ref", 3),
    ("outbox.rs OF_SUBJECT", "outbox_subject", 1),
    ("usage.rs BY_DAY", "usage_calls", 3),
    ("usage.rs BY_DAY", "usage_credits", 3),
    ("usage.rs BY_OPERATION", "usage_calls", 3),
    ("usage.rs BY_KEY", "usage_calls", 3),
    ("usage.rs BY_EMITTER", "usage_calls", 3),
    // A later page begins where it begins, not at the newest.
    ("requests.rs LIST", "requests_account", 2),
    ("requests.rs LAST_OF_PAGE", "requests_account", 3),
    ("requests.rs OF_PAGE", "requests_account", 3),
    ("requests.rs NEXT_ACCOUNT", "requests_account", 1),
    ("pages.rs BELOW", "packed_pages", 4),
    ("pages.rs HOLDING", "packed_pages", 3),
    ("ledger.rs STATEMENT", "transfers_account", 2),
    ("deliveries.rs LIST", "deliveries_account", 2),
    ("deliveries.rs FRESH", "outbox_order", 3),
    ("pessoas.rs LIST", "pessoas_account", 2),
    ("recebidas.rs LIST", "recebidas_account", 2),
    ("recebidas.rs LIST_OF_ISSUER", "recebidas_issuer", 3),
    ("recebidas.rs LIST_OF_COMPANY", "recebidas_company", 2),
    ("pessoas.rs LIST_OF_DOCUMENTO", "pessoas_of_documento", 3),
    ("deliveries.rs LIST_FAILED", "deliveries_failed", 2),
    ("recebidas.rs EVENTOS", "recebidas_eventos_account", 2),
    ("outbox.rs FEED", "outbox_order", 2),
    ("outbox.rs TOLD", "outbox_subject", 1),
    // Along the ids, which sort by age.
    ("outbox.rs OLD", "outbox", 2),
    ("outbox.rs PURGE", "outbox", 2),
];

/// What PostgreSQL does not choose as long as it has counted no rows, or is not asked.
const INDEXES_SQLITE: [(&str, &str, usize); 14] = [
    ("documents/summary.rs BY_DAY", "notas_runs", 6),
    ("documents/days.rs COUNTS", "notas_runs", 6),
    (
        "documents/summary.rs BY_EMITTER_SQLITE",
        "notas_company_runs",
        6,
    ),
    (
        "documents/summary.rs BY_DAY_OF_EMITTER_SQLITE",
        "notas_company_runs",
        6,
    ),
    ("documents/days.rs GROUPS_SQLITE", "notas_company_runs", 6),
    ("lanes.rs ACCOUNT_JOINED_DOWN_SQLITE", "notas_runs", 6),
    ("lanes.rs ACCOUNT_JOINED_UP_SQLITE", "notas_runs", 6),
    (
        "lanes.rs EMITTER_JOINED_DOWN_SQLITE",
        "notas_company_runs",
        6,
    ),
    ("lanes.rs EMITTER_JOINED_UP_SQLITE", "notas_company_runs", 6),
    ("lanes.rs PARTIES_DOWN_SQLITE", "notas_party", 4),
    ("lanes.rs PARTIES_UP_SQLITE", "notas_party", 4),
    ("exportacoes.rs COUNT_NOTAS", "notas_runs", 5),
    ("ledger.rs BOUGHT", "transfers_ref", 2),
    ("pessoas.rs AMONG_SQLITE", "pessoas_account", 2),
];

/// Statements that PostgreSQL alone is asked.
const INDEXES_POSTGRES: [(&str, &str, usize); 9] = [
    ("lanes.rs PARTIES_DOWN_POSTGRES", "notas_party", 4),
    ("lanes.rs PARTIES_UP_POSTGRES", "notas_party", 4),
    ("lanes.rs ACCOUNT_RUNS_DOWN_POSTGRES", "notas_runs", 5),
    ("lanes.rs ACCOUNT_RUNS_UP_POSTGRES", "notas_runs", 5),
    (
        "lanes.rs EMITTER_RUNS_DOWN_POSTGRES",
        "notas_company_runs",
        5,
    ),
    ("lanes.rs EMITTER_RUNS_UP_POSTGRES", "notas_company_runs", 5),
    // Each of environment, model and state is looked for, whatever the server has counted: else
    // it reads all documents of a company for those of a day.
    (
        "documents/summary.rs BY_EMITTER_POSTGRES",
        "notas_company_runs",
        6,
    ),
    (
        "documents/summary.rs BY_DAY_OF_EMITTER_POSTGRES",
        "notas_company_runs",
        6,
    ),
    ("documents/days.rs GROUPS_POSTGRES", "notas_company_runs", 6),
];

fn of_a_list(name: &str) -> Option<Sql> {
    constants().into_iter().find(|sql| sql.name.ends_with(name))
}

#[tokio::test]
async fn every_filter_reads_its_index_on_sqlite() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let _db = store::Db::open(&url, 1).await.expect("migrated");
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    for (name, index, narrowed) in INDEXES.into_iter().chain(INDEXES_SQLITE) {
        let sql = of_a_list(name).unwrap_or_else(|| panic!("no statement {name}"));
        let explained = format!("EXPLAIN QUERY PLAN {}", sql.text);
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(AssertSqlSafe(explained))
            .fetch_all(&mut conn)
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let table = |step: &str| match index {
            "usage_calls" => step.starts_with("SEARCH c USING PRIMARY KEY"),
            "usage_credits" | "document_days" => step.starts_with("SEARCH d USING PRIMARY KEY"),
            "document_sums" => step.starts_with("SEARCH s USING PRIMARY KEY"),
            "packed_records" | "packed_pages" | "outbox" => {
                step.contains(&format!(" INDEX sqlite_autoindex_{index}_1 ("))
            }
            index => step.contains(&format!(" INDEX {index} (")),
        };
        let found = plan.iter().any(|(_, _, _, step)| {
            table(step) && step.matches(['=', '<', '>']).count() >= narrowed
        });
        assert!(found, "{name} does not read {index}: {plan:#?}");
    }
}

/// A connection to an empty database that plans for any values; None: no server is here.
async fn planner(settings: &[&'static str]) -> Option<PgConnection> {
    let url = postgres::database().await?;
    let _db = store::Db::open(&url, 1).await.expect("migrated");
    let mut conn = PgConnection::connect(&url).await.expect("connection");
    // Of empty tables the server would read all.
    let always = [
        "SET enable_seqscan = off",
        "SET plan_cache_mode = force_generic_plan",
    ];
    for setting in always.iter().chain(settings) {
        conn.execute(*setting).await.expect("a setting");
    }
    Some(conn)
}

/// How PostgreSQL runs a statement whatever its values are.
async fn generic_plan(conn: &mut PgConnection, place: usize, sql: &Sql) -> Vec<String> {
    let binds = (1..100).take_while(|bind| sql.text.contains(&format!("${bind}")));
    let nulls = vec!["NULL"; binds.count()].join(", ");
    let prepared = format!("PREPARE filter_{place} AS {}", sql.text);
    conn.execute(AssertSqlSafe(prepared).into_sql_str())
        .await
        .unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    let explained = format!("EXPLAIN (COSTS OFF) EXECUTE filter_{place} ({nulls})");
    sqlx::query_scalar(AssertSqlSafe(explained))
        .persistent(false)
        .fetch_all(conn)
        .await
        .unwrap_or_else(|error| panic!("{}: {error}", sql.name))
}

/// A part of a name is looked for among the pieces of the account's names, and nowhere else.
#[tokio::test]
async fn parts_of_names_read_their_pieces_alone_on_postgres() {
    let Some(mut conn) = planner(&[]).await else {
        return;
    };
    let names = [
        ("parties.rs WITH_PART_POSTGRES", "parties_pieces"),
        ("pessoas.rs WITH_PART_POSTGRES", "pessoas_pieces"),
    ];
    for (place, (name, index)) in names.into_iter().enumerate() {
        let sql = of_a_list(name).unwrap_or_else(|| panic!("no statement {name}"));
        let plan = generic_plan(&mut conn, place, &sql).await;
        let read: Vec<&str> = plan
            .iter()
            .filter_map(|line| line.split_once("Index Scan "))
            .map(|(_, index)| index)
            .collect();
        assert_eq!(read, [format!("on {index}")], "{name}: {plan:#?}");
    }
}

#[tokio::test]
async fn every_filter_reads_its_index_on_postgres() {
    let Some(mut conn) = planner(&["SET enable_bitmapscan = off"]).await else {
        return;
    };
    let all = INDEXES.into_iter().chain(INDEXES_POSTGRES);
    for (place, (name, index, narrowed)) in all.enumerate() {
        let sql = of_a_list(name).unwrap_or_else(|| panic!("no statement {name}"));
        let plan = generic_plan(&mut conn, place, &sql).await;
        let reads = |line: &str| {
            let (_, read) = line.split_once(" using ").unwrap_or_default();
            let used = read.split(' ').next().unwrap_or_default();
            used == index || used == format!("{index}_pkey")
        };
        let found = plan
            .windows(2)
            .any(|lines| reads(&lines[0]) && lines[1].matches(['=', '<', '>']).count() >= narrowed);
        assert!(found, "{name} does not read {index}: {plan:#?}");
    }
}

/// The conditions of a statement on events, up to these words.
fn conditions(sql: &Sql, end: &str) -> String {
    let from = sql.text.find("WHERE o.account_id").expect("conditions");
    let upto = sql.text.find(end).expect("an end");
    sql.text[from..upto].trim_end().to_owned()
}

/// An event is sent without a delivery where it would have been made one, and nowhere else.
#[test]
fn what_has_no_delivery_yet_is_chosen_as_deliveries_are_made() {
    let made = of_a_list("deliveries.rs FAN_OUT").expect("a statement");
    let fresh = of_a_list("deliveries.rs FRESH").expect("a statement");
    assert_eq!(
        conditions(&made, "ON CONFLICT"),
        conditions(&fresh, "AND NOT EXISTS")
    );
}

/// SQLite begins at the first of two lower bounds of an index: where that is 0, it reads all
/// events that the account ever had.
#[test]
fn events_are_read_from_their_place_on() {
    let bounded: Vec<Sql> = constants()
        .into_iter()
        .filter(|sql| {
            sql.text.contains("sequencia > CAST($2") || sql.text.contains("sequencia > $2")
        })
        .collect();
    assert_eq!(bounded.len(), 4);
    for sql in bounded {
        let place = sql
            .text
            .find("sequencia > 0")
            .expect("the condition of the index");
        assert!(sql.text[..place].contains("$2"), "{}", sql.name);
    }
}

#[test]
fn plans_that_read_too_much_are_seen() {
    assert!(wrong("SCAN notas", false, true));
    assert!(wrong("SCAN n USING INDEX notas_number", false, true));
    assert!(wrong(
        "SEARCH requests USING INDEX requests_account (account_id=?)",
        true,
        true
    ));
    assert!(wrong(
        "SEARCH requests USING INDEX requests_account (account_id=?)",
        false,
        false
    ));
    assert!(!wrong(
        "SEARCH transfers USING INDEX transfers_account (account_id=?)",
        false,
        true
    ));
    assert!(!wrong(
        "SEARCH transfers USING INDEX transfers_account (account_id=? AND id<?)",
        true,
        true
    ));
    assert!(!wrong("SCAN outbox USING INDEX outbox_new", false, true));
    for table in ["SCAN flows", "SCAN mails", "SCAN f", "SCAN xml"] {
        assert!(wrong(table, false, true), "{table}");
    }
    assert!(!wrong("SCAN (subquery-3)", false, true) && !wrong("SCAN y", false, true));
}
