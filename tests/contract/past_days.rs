//! Sums of past days on both engines: they answer what the documents do, whoever changes one
//! meanwhile, and go along when the database is moved.

use objects::archive::{self, Added, DaysPlace};
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqlSafeStr as _, SqliteConnection,
};
use std::cell::Cell;
use std::convert::Infallible;
use store::ids::{AccountId, EmitterId};
use store::tables::documents::days::{self, Day, Sums};
use store::tables::documents::{SumRow, sum_by_day, sum_by_emitter};
use store::words::Maybe;
use store::{Db, TxError, checks, copy};
use tests::postgres;

const DAY_MS: i64 = 86_400_000;
/// The first day of the documents, and how many days they are spread over.
const FIRST: i64 = 20_454;
const DAYS: i64 = 35;
/// When all of these days and one more ended a day ago.
const NOW_MS: i64 = (FIRST + DAYS + 3) * DAY_MS;
const ACCOUNTS: &str = "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ('con_1', '', 1, 0), ('con_2', '', 1, 0)";
const EMITTERS: &str = "INSERT INTO emitters (id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, version, created_at_ms, updated_at_ms) \
     VALUES ('emi_1', 'con_1', '1', '', '', 'producao', 1, '{}', 0, 0, 0), ('emi_2', 'con_1', '2', '', '', 'producao', 0, '{}', 0, 0, 0)";
const OPEN: &str = "SELECT COUNT(*) FROM document_days WHERE state = 0";
/// A document of the first day, and another state for it.
const CANCEL: &str = "UPDATE notas SET status = 'cancelada' WHERE id = 'nfe_20454_2'";
const RETURN: &str = "UPDATE notas SET status = 'rascunho' WHERE id = 'nfe_20454_2'";

/// Documents of a day: their companies, environments, models and states take turns.
fn documents(day: i64, many: i64) -> String {
    let first_ms = days::first_ms(day);
    format!(
        "WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < {many}) \
         INSERT INTO notas (id, account_id, emitter_id, modelo, ambiente, simulada, status, serie, numero, number_active, referencia, municipio, via, sistema, \
         conteudo, context, competencia, valor, tomador_documento, tomador_nome, preco, hold_id, chave, numero_nfse, codigo_verificacao, protocolo, url_consulta, autorizada_em, \
         valores, rejeicao, substitui_id, substituida_por, request_id, created_at_ms, updated_at_ms, valor_centavos) \
         SELECT 'nfe_{day}_' || CAST(i AS TEXT), 'con_1', CASE WHEN i % 3 = 0 THEN 'emi_2' ELSE 'emi_1' END, CASE WHEN i % 2 = 0 THEN '55' ELSE 'nfse' END, \
         CASE i % 7 WHEN 0 THEN 'homologacao' WHEN 1 THEN 'simulado' ELSE 'producao' END, 0, CASE i % 5 WHEN 1 THEN 'cancelada' ELSE 'rascunho' END, \
         '1', i, 0, '', '', 'nacional', '', '', '', '', '1.00', '', '', 0, '', '', '', '', '', '', '', '', '', '', '', '', {first_ms} + i, 0, i FROM k"
    )
}

/// A database past the code that writes it.
enum Raw {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Raw {
    async fn open(url: &str) -> Raw {
        if url.starts_with("sqlite:") {
            Raw::Sqlite(SqliteConnection::connect(url).await.expect("connection"))
        } else {
            Raw::Postgres(PgConnection::connect(url).await.expect("connection"))
        }
    }

    async fn write(&mut self, sql: &str) {
        let text = AssertSqlSafe(sql.to_owned()).into_sql_str();
        let failed = match self {
            Raw::Sqlite(conn) => conn.execute(text).await.err(),
            Raw::Postgres(conn) => conn.execute(text).await.err(),
        };
        assert!(failed.is_none(), "{sql}: {failed:?}");
    }

    async fn count(&mut self, sql: &'static str) -> i64 {
        let counted = match self {
            Raw::Sqlite(conn) => sqlx::query_scalar(sql).fetch_one(conn).await,
            Raw::Postgres(conn) => sqlx::query_scalar(sql).fetch_one(conn).await,
        };
        counted.expect(sql)
    }
}

/// A store whose first account has a month of many documents a day, and a hole of days in it.
async fn filled(url: &str) -> (Db, Raw) {
    let db = Db::open(url, 4).await.expect("database");
    let mut raw = Raw::open(url).await;
    raw.write(ACCOUNTS).await;
    raw.write(EMITTERS).await;
    for day in (FIRST..FIRST + DAYS).filter(|day| (day - FIRST) % 7 != 6) {
        raw.write(&documents(day, 70)).await;
    }
    (db, raw)
}

/// Adds up what there is, as `hub compact` does.
async fn pass(db: &Db) -> Added {
    let (mut place, mut all) = (DaysPlace::default(), Added::default());
    loop {
        let added = archive::days(db, &mut place, NOW_MS).await;
        let added = added.expect("added up");
        assert!(added.days + added.lost <= 1, "{added:?}");
        assert!(added.found <= 31, "{added:?}");
        all.add(&added);
        if added.is_last {
            return all;
        }
    }
}

/// The same until no day is left: where other tests write into databases of the same server, a
/// day may have to wait.
async fn add_up(db: &Db) -> Added {
    let mut all = Added::default();
    tests::until(async || {
        let added = pass(db).await;
        all.add(&added);
        (added.lost == 0).then_some(()).ok_or(added)
    })
    .await;
    all
}

/// What the first day is added up to; None: it needs none, or has to wait.
async fn sums(db: &Db) -> Option<Sums> {
    let day = Day {
        account_id: "con_1".into(),
        day: FIRST,
    };
    let mut conn = db.read().await.expect("connection");
    days::sums(&mut conn, &day).await.expect("asked")
}

/// False: something changed meanwhile.
async fn write(db: &Db, sums: Sums) -> bool {
    let written = db.write(sums, |sums, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(sums.write(conn).await?) })
    });
    written.await.expect("asked")
}

/// Adds the first day up.
async fn add_one(db: &Db) -> bool {
    match sums(db).await {
        Some(sums) => write(db, sums).await,
        None => false,
    }
}

async fn until_added(db: &Db) {
    tests::until(async || add_one(db).await.then_some(()).ok_or("the day waits")).await;
}

/// What is summed up of the account, asked in every way.
async fn answers(db: &Db) -> Vec<Vec<SumRow>> {
    let account = AccountId::from("con_1");
    let mut walk = db.walk(&account).await.expect("connection");
    let period = (
        days::first_ms(FIRST) - 3 * DAY_MS,
        days::first_ms(FIRST + DAYS) + 3 * DAY_MS,
    );
    let mut all = Vec::new();
    for emitter in ["", "emi_1", "emi_2", "emi_3"] {
        let emitter: Maybe<EmitterId> = Maybe::of(emitter);
        for left_out in ["", "simulado", "homologacao,simulado", "producao,simulado"] {
            let rows = sum_by_day(&mut walk, &account, left_out, period, &emitter).await;
            all.push(rows.expect("sums"));
            let rows = sum_by_emitter(&mut walk, &account, left_out, period, &emitter).await;
            all.push(rows.expect("sums"));
        }
    }
    all
}

async fn is_clean(db: &Db) {
    let mut conn = db.read().await.expect("connection");
    assert_eq!(checks::run(&mut conn).await.expect("checks"), []);
}

async fn days_answer_what_their_documents_do(url: &str) {
    let (db, mut raw) = filled(url).await;
    let before = answers(&db).await;
    let counted: i64 = before[0].iter().map(|row| row.documentos).sum();
    assert_eq!(counted, raw.count("SELECT COUNT(*) FROM notas").await);
    // Every day from the first one on, and be it without documents.
    let added = add_up(&db).await;
    let expected = (DAYS + 1).unsigned_abs();
    assert_eq!((added.found, added.days), (expected, expected));
    assert_eq!(raw.count(OPEN).await, 0);
    assert_eq!(answers(&db).await, before);
    is_clean(&db).await;

    // What changes is told at once, and then added up again.
    for change in [
        "UPDATE notas SET status = 'rascunho' WHERE id = 'nfe_20461_1'".to_owned(),
        "UPDATE notas SET created_at_ms = created_at_ms + 86400000 WHERE id = 'nfe_20461_7'"
            .to_owned(),
        "DELETE FROM notas WHERE id = 'nfe_20462_8'".to_owned(),
        documents(FIRST + 12, 80).replace("'nfe_", "'late_"),
    ] {
        let last = answers(&db).await;
        raw.write(&change).await;
        let open = raw.count(OPEN).await;
        assert!((1..=2).contains(&open), "{change}: {open}");
        let told = answers(&db).await;
        assert_ne!(told, last, "{change}");
        assert_eq!(add_up(&db).await.days, open.unsigned_abs(), "{change}");
        assert_eq!(answers(&db).await, told, "{change}");
        is_clean(&db).await;
    }
    raw.write("UPDATE notas SET packed = 2, updated_at_ms = 9, status = status")
        .await;
    assert_eq!(raw.count(OPEN).await, 0, "no summary tells it");
    raw.write("UPDATE notas SET packed = 0").await;

    // It is the sums that are read, and they are counted again.
    let told = answers(&db).await;
    raw.write("UPDATE document_sums SET centavos = centavos + 1 WHERE day = 20470")
        .await;
    assert_ne!(answers(&db).await, told);
    let mut conn = db.read().await.expect("connection");
    let findings = checks::run(&mut conn).await.expect("checks");
    let found: Vec<&str> = findings.iter().map(|one| one.row.as_str()).collect();
    assert_eq!(found, ["con_1/20470"]);
}

#[tokio::test]
async fn days_answer_what_their_documents_do_on_sqlite() {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    days_answer_what_their_documents_do(&url).await;
}

#[tokio::test]
async fn days_answer_what_their_documents_do_on_postgres() {
    if let Some(url) = postgres::database().await {
        days_answer_what_their_documents_do(&url).await;
    }
}

/// Rows that triggers change stay as they were read.
#[tokio::test]
async fn sums_of_days_are_moved_with_a_database() {
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| copy::sqlite_url(&folder.path().join(name));
    let mut urls = vec![at("first.db"), at("second.db")];
    urls.extend(postgres::database().await);
    let (db, _raw) = filled(&urls[0]).await;
    add_up(&db).await;
    let before = answers(&db).await;
    drop(db);
    for pair in urls.windows(2) {
        let mut from = copy::connect(&pair[0]).await.expect("source");
        let mut to = copy::migrated(&pair[1]).await.expect("target");
        copy::copy(&mut from, &mut to).await.expect("copied");
        drop((from, to));
        let mut raw = Raw::open(&pair[1]).await;
        assert_eq!(raw.count(OPEN).await, 0, "{}", pair[1]);
        let summed = raw.count("SELECT COUNT(*) FROM document_days").await;
        assert!(summed >= DAYS, "{summed}");
        let db = Db::open(&pair[1], 2).await.expect("database");
        assert_eq!(answers(&db).await, before);
        is_clean(&db).await;
    }
}

/// What changes between the look at the documents and the sums is in no sum that stays.
async fn a_change_meanwhile_is_noticed(url: &str) {
    let (db, mut raw) = filled(url).await;
    raw.write("INSERT INTO document_days (account_id, day, state) VALUES ('con_1', 20454, 0)")
        .await;
    let old = tests::until(async || sums(&db).await.ok_or("the day waits")).await;
    raw.write(CANCEL).await;
    assert!(!write(&db, old).await);
    let before = answers(&db).await;
    let one = tests::until(async || sums(&db).await.ok_or("the day waits")).await;
    let other = one.clone();
    assert!(write(&db, one).await);
    assert!(!write(&db, other).await, "another node was first");
    assert_eq!(raw.count(OPEN).await, 0);
    assert_eq!(answers(&db).await, before);
    is_clean(&db).await;
}

#[tokio::test]
async fn a_change_meanwhile_is_noticed_on_sqlite() {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    a_change_meanwhile_is_noticed(&url).await;
}

#[tokio::test]
async fn a_change_meanwhile_is_noticed_on_postgres() {
    if let Some(url) = postgres::database().await {
        a_change_meanwhile_is_noticed(&url).await;
    }
}

/// A transaction that changed a document before the day had a row counted nothing: the day waits
/// until it is over. One that changes a document while sums are written waits for them.
#[tokio::test]
async fn a_change_that_is_under_way_is_in_no_sum_that_stays() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let (db, mut raw) = filled(&url).await;
    let mut other = PgConnection::connect(&url).await.expect("connection");
    other.execute("BEGIN").await.expect("begun");
    other.execute(CANCEL).await.expect("changed");
    raw.write("INSERT INTO document_days (account_id, day, state) VALUES ('con_1', 20454, 0)")
        .await;
    assert!(
        !add_one(&db).await,
        "a change is under way that counted nothing"
    );
    assert_eq!(raw.count(OPEN).await, 1);
    other.execute("COMMIT").await.expect("committed");
    let before = answers(&db).await;
    until_added(&db).await;
    assert_eq!(raw.count(OPEN).await, 0);
    assert_eq!(answers(&db).await, before);
    is_clean(&db).await;

    // One that counted is not waited for.
    other.execute("BEGIN").await.expect("begun");
    other.execute(RETURN).await.expect("changed");
    assert!(!add_one(&db).await);
    assert_eq!(answers(&db).await, before, "it is not committed");
    other.execute("COMMIT").await.expect("committed");
    assert_ne!(answers(&db).await, before);
    until_added(&db).await;
    assert!(!add_one(&db).await, "it was added up");

    // While another node writes the sums, a change waits, and opens the day afterwards.
    raw.write("UPDATE document_days SET state = 0").await;
    let Raw::Postgres(adding) = &mut raw else {
        panic!("a server");
    };
    adding.execute("BEGIN").await.expect("begun");
    let exact = "UPDATE document_days SET state = 1";
    adding.execute(exact).await.expect("written");
    assert!(!add_one(&db).await, "another node is at it");
    let change = tokio::spawn(async move {
        other.execute(CANCEL).await.expect("changed");
    });
    let mut looking = Raw::open(&url).await;
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    tests::until(async || {
        let waits = looking.count(waiting).await;
        (waits > 0).then_some(()).ok_or("nobody waits")
    })
    .await;
    adding.execute("COMMIT").await.expect("committed");
    change.await.expect("changed");
    assert_eq!(raw.count(OPEN).await, 1);
    until_added(&db).await;
    is_clean(&db).await;
}

/// Two transactions that change documents of one old day, and lock other rows before and after, do
/// not wait for each other: the day is locked when they end.
#[tokio::test]
async fn changes_of_an_old_day_lock_it_last() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let (db, mut raw) = filled(&url).await;
    raw.write("INSERT INTO document_days (account_id, day, state) VALUES ('con_1', 20454, 0)")
        .await;
    until_added(&db).await;
    let mut one = PgConnection::connect(&url).await.expect("connection");
    let mut other = PgConnection::connect(&url).await.expect("connection");
    // The first one changes a document and then wants what the other has already.
    one.execute("BEGIN").await.expect("begun");
    one.execute(CANCEL).await.expect("changed");
    let begin = "BEGIN; SET LOCAL lock_timeout = '10s'; SELECT * FROM accounts WHERE id = 'con_1' FOR UPDATE";
    other.execute(begin).await.expect("begun");
    let change = "UPDATE notas SET status = 'cancelada' WHERE id = 'nfe_20454_3'";
    other.execute(change).await.expect("changed");
    let waits = tokio::spawn(async move {
        let want = "SELECT * FROM accounts WHERE id = 'con_1' FOR UPDATE";
        one.execute(want).await.expect("locked");
        one.execute("COMMIT").await.expect("committed");
    });
    other.execute("COMMIT").await.expect("committed");
    waits.await.expect("committed");
    assert_eq!(raw.count(OPEN).await, 1);
    until_added(&db).await;
    is_clean(&db).await;
}

/// On a busy server some transaction always writes. Only those are waited for that began before.
#[tokio::test]
async fn a_day_is_added_up_while_others_never_stop_writing() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let (db, mut raw) = filled(&url).await;
    raw.write("INSERT INTO document_days (account_id, day, state) VALUES ('con_1', 20454, 0)")
        .await;
    let before = answers(&db).await;
    // Has a number from its begin on, as one that writes.
    let begin = "BEGIN; SELECT pg_current_xact_id()";
    let mut one = PgConnection::connect(&url).await.expect("connection");
    let mut another = PgConnection::connect(&url).await.expect("connection");
    one.execute(begin).await.expect("begun");
    let is_added = Cell::new(false);
    let adding = async {
        until_added(&db).await;
        is_added.set(true);
    };
    let writing = async {
        while !is_added.get() {
            another.execute(begin).await.expect("begun");
            one.execute("COMMIT").await.expect("committed");
            one.execute(begin).await.expect("begun");
            another.execute("COMMIT").await.expect("committed");
        }
        one.execute("COMMIT").await.expect("committed");
    };
    tokio::join!(adding, writing);
    assert_eq!(raw.count(OPEN).await, 0);
    assert_eq!(answers(&db).await, before);
    is_clean(&db).await;
}

/// One that takes long is not waited for day after day.
#[tokio::test]
async fn few_days_wait_for_a_transaction_that_takes_long() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let (db, mut raw) = filled(&url).await;
    let mut other = PgConnection::connect(&url).await.expect("connection");
    let begin = "BEGIN; SELECT pg_current_xact_id()";
    other.execute(begin).await.expect("begun");
    let added = pass(&db).await;
    assert_eq!((added.days, added.lost), (0, 8), "{added:?}");
    other.execute("COMMIT").await.expect("committed");
    add_up(&db).await;
    assert_eq!(raw.count(OPEN).await, 0);
    is_clean(&db).await;
}
