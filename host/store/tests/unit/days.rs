//! Sums of past days answer what their documents would.

use store::ids::{AccountId, EmitterId};
use store::tables::documents::days::{self, Day};
use store::tables::documents::{SumRow, sum_by_day, sum_by_emitter};
use store::words::Maybe;
use store::{Conn, checks, copy};
use tempfile::TempDir;

const DAY_MS: i64 = 86_400_000;
/// The first day of the documents, and how many days they are spread over.
const FIRST: i64 = 20_454;
const DAYS: i64 = 40;
/// Documents of a day, of which one of five is not counted.
const MANY: i64 = 90;
/// All days of the documents, and one more, ended a day ago.
const NOW_MS: i64 = (FIRST + DAYS + 3) * DAY_MS;
const RULE: &str = "sums of a past day are those of its documents";

const ACCOUNTS: &str = "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ('con_1', '', 1, 0), ('con_2', '', 1, 0); \
     INSERT INTO emitters (id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, version, created_at_ms, updated_at_ms) \
     VALUES ('emi_1', 'con_1', '1', '', '', 'producao', 1, '{}', 0, 0, 0), ('emi_2', 'con_1', '2', '', '', 'producao', 0, '{}', 0, 0, 0), \
     ('emi_3', 'con_2', '3', '', '', 'producao', 1, '{}', 0, 0, 0);";

/// Documents of a day: their companies, environments, models and states take turns.
fn documents(day: i64, many: i64) -> String {
    let first_ms = days::first_ms(day);
    format!(
        "WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < {many}) \
         INSERT INTO notas (id, account_id, emitter_id, modelo, ambiente, simulada, status, serie, numero, number_active, referencia, municipio, via, sistema, \
         conteudo, context, competencia, valor, tomador_documento, tomador_nome, preco, hold_id, chave, numero_nfse, codigo_verificacao, protocolo, url_consulta, autorizada_em, \
         valores, rejeicao, substitui_id, substituida_por, request_id, created_at_ms, updated_at_ms, valor_centavos) \
         SELECT 'nfe_{day}_' || i, 'con_1', CASE WHEN i % 3 = 0 THEN 'emi_2' ELSE 'emi_1' END, CASE WHEN i % 2 = 0 THEN '55' ELSE 'nfse' END, \
         CASE i % 7 WHEN 0 THEN 'homologacao' WHEN 1 THEN 'simulado' ELSE 'producao' END, 0, CASE i % 5 WHEN 0 THEN 'nao_enviada' WHEN 1 THEN 'cancelada' ELSE 'rascunho' END, \
         '1', i, 0, '', '', 'nacional', '', '', '', '', '1.00', '', '', 0, '', '', '', '', '', '', '', '', '', '', '', '', {first_ms} + i * 86400000 / {many} - 1, 0, i FROM k;"
    )
}

/// Runs what no module of a table says.
fn run(conn: &Conn, sql: &str) {
    let Conn::Sqlite(conn) = conn else {
        panic!("a SQLite file");
    };
    conn.with(|own| own.execute_batch(sql)).expect("done");
}

fn count(conn: &Conn, sql: &str) -> i64 {
    let Conn::Sqlite(conn) = conn else {
        panic!("a SQLite file");
    };
    let counted = conn.with(|own| own.query_row(sql, [], |row| row.get(0)));
    counted.expect("a number")
}

/// A store whose first account has so many documents each day.
async fn store(many: i64) -> (TempDir, Conn) {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    let conn = copy::migrated(&url).await.expect("database");
    let all: String = (FIRST..FIRST + DAYS)
        .map(|day| documents(day, many))
        .collect();
    run(&conn, &format!("BEGIN; {ACCOUNTS} {all} COMMIT;"));
    (folder, conn)
}

/// What is looked at of all accounts, one turn after the other: how many days each turn found.
async fn look(conn: &mut Conn, until: i64) -> Vec<u64> {
    let mut found = Vec::new();
    run(conn, "BEGIN");
    while let Some(behind) = days::behind(conn, &AccountId::default(), until)
        .await
        .expect("an account")
    {
        let looked = days::look(conn, &behind, until).await.expect("looked at");
        looked.write(conn).await.expect("written");
        found.push(looked.days());
    }
    run(conn, "COMMIT");
    found
}

/// Adds up what is to be added up; how many days.
async fn add_up(conn: &mut Conn) -> u64 {
    let (mut day, mut added) = (Day::default(), 0);
    run(conn, "BEGIN");
    while let Some(next) = days::open(conn, &day).await.expect("a day") {
        let sums = days::sums(conn, &next)
            .await
            .expect("sums")
            .expect("an open day");
        assert!(sums.write(conn).await.expect("written"));
        day = next;
        added += 1;
    }
    run(conn, "COMMIT");
    added
}

/// What is summed up of the account, asked in every way.
async fn answers(conn: &mut Conn) -> Vec<Vec<SumRow>> {
    let account = AccountId::from("con_1");
    let mut all = Vec::new();
    for emitter in ["", "emi_1", "emi_2", "emi_3"] {
        let emitter: Maybe<EmitterId> = Maybe::of(emitter);
        for left_out in [
            "",
            "producao",
            "homologacao,simulado",
            "homologacao,producao,simulado",
        ] {
            for (from, to) in [(0, 5 * DAY_MS), (7 * 3_600_000, -1)] {
                let period = (
                    days::first_ms(FIRST) + from,
                    days::first_ms(FIRST + DAYS) + to,
                );
                let by_day = sum_by_day(conn, &account, left_out, period, &emitter).await;
                all.push(by_day.expect("sums"));
                let by_emitter = sum_by_emitter(conn, &account, left_out, period, &emitter).await;
                all.push(by_emitter.expect("sums"));
            }
        }
    }
    all
}

/// The same, of the documents alone.
async fn of_rows(conn: &mut Conn) -> Vec<Vec<SumRow>> {
    run(conn, "BEGIN; UPDATE document_days SET state = 0");
    let all = answers(conn).await;
    run(conn, "ROLLBACK");
    all
}

#[tokio::test]
async fn days_answer_the_same_before_and_after_they_are_added_up() {
    let (_folder, mut conn) = store(MANY).await;
    let before = answers(&mut conn).await;
    let documents = count(
        &conn,
        "SELECT COUNT(*) FROM notas WHERE status <> 'nao_enviada'",
    );
    let counted: i64 = before[0].iter().map(|row| row.documentos).sum();
    assert_eq!(counted, documents);
    assert!(before[0].is_sorted_by_key(|row| row.grupo.clone()));
    let until = days::until(NOW_MS);
    look(&mut conn, until).await;
    assert_eq!(answers(&mut conn).await, before, "not added up yet");
    let found = count(
        &conn,
        "SELECT COUNT(*) FROM document_days WHERE account_id = 'con_1'",
    );
    assert_eq!(found, until - FIRST, "every day from the first one on");
    assert_eq!(add_up(&mut conn).await, found.unsigned_abs());
    assert_eq!(answers(&mut conn).await, before);
    assert_eq!(of_rows(&mut conn).await, before);
    assert_eq!(add_up(&mut conn).await, 0);
    assert_eq!(checks::run(&mut conn).await.expect("checks"), []);

    // It is the sums that are read.
    run(
        &conn,
        "UPDATE document_sums SET documentos = documentos + 1",
    );
    let wrong = answers(&mut conn).await;
    assert_ne!(wrong, before);
    assert_eq!(of_rows(&mut conn).await, before);
}

#[tokio::test]
async fn what_changes_in_an_old_day_is_told_at_once() {
    let (_folder, mut conn) = store(MANY).await;
    look(&mut conn, days::until(NOW_MS)).await;
    add_up(&mut conn).await;
    let open = "SELECT COUNT(*) FROM document_days WHERE state = 0";
    let note = format!("nfe_{}_2", FIRST + 5);
    let mut last = answers(&mut conn).await;
    for (change, days) in [
        (
            format!("UPDATE notas SET status = 'cancelada' WHERE id = '{note}'"),
            1,
        ),
        (
            format!("UPDATE notas SET valor_centavos = 900 WHERE id = '{note}'"),
            1,
        ),
        (
            format!("UPDATE notas SET emitter_id = 'emi_2' WHERE id = '{note}'"),
            1,
        ),
        (
            format!("UPDATE notas SET ambiente = 'simulado', modelo = '65' WHERE id = '{note}'"),
            1,
        ),
        (
            format!(
                "UPDATE notas SET created_at_ms = created_at_ms + 86400000 WHERE id = '{note}'"
            ),
            2,
        ),
        (format!("DELETE FROM notas WHERE id = '{note}'"), 1),
        (documents(FIRST + 9, 80).replace("'nfe_", "'late_"), 1),
    ] {
        run(&conn, &change);
        assert_eq!(count(&conn, open), days, "{change}");
        let told = answers(&mut conn).await;
        assert_ne!(told, last, "{change}");
        assert_eq!(told, of_rows(&mut conn).await, "{change}");
        assert_eq!(add_up(&mut conn).await, days.unsigned_abs());
        assert_eq!(answers(&mut conn).await, told, "{change}");
        assert_eq!(checks::run(&mut conn).await.expect("checks"), []);
        last = told;
    }
    // What a summary does not tell.
    for change in [
        "UPDATE notas SET packed = 2, detalhes = '', valores = ''",
        "UPDATE notas SET status = status, valor_centavos = valor_centavos, updated_at_ms = 7",
        "UPDATE notas SET updated_at_ms = 9 WHERE status = 'rascunho'",
    ] {
        run(&conn, change);
        assert_eq!(count(&conn, open), 0, "{change}");
    }
}

#[tokio::test]
async fn sums_of_before_a_change_are_not_written() {
    let (_folder, mut conn) = store(MANY).await;
    look(&mut conn, days::until(NOW_MS)).await;
    let before = answers(&mut conn).await;
    let day = days::open(&mut conn, &Day::default())
        .await
        .expect("asked")
        .expect("a day");
    let old = days::sums(&mut conn, &day)
        .await
        .expect("sums")
        .expect("an open day");
    run(
        &conn,
        &format!("UPDATE notas SET valor_centavos = 900 WHERE id = 'nfe_{FIRST}_2'"),
    );
    assert!(!old.write(&mut conn).await.expect("asked"));
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM document_sums"), 0);
    let one = days::sums(&mut conn, &day)
        .await
        .expect("sums")
        .expect("an open day");
    let other = days::sums(&mut conn, &day)
        .await
        .expect("sums")
        .expect("an open day");
    assert!(one.write(&mut conn).await.expect("written"));
    assert!(
        !other.write(&mut conn).await.expect("asked"),
        "another one was first"
    );
    assert!(days::sums(&mut conn, &day).await.expect("asked").is_none());
    assert_ne!(answers(&mut conn).await, before);
    assert_eq!(answers(&mut conn).await, of_rows(&mut conn).await);
}

#[tokio::test]
async fn small_accounts_and_young_days_have_no_sums() {
    // 63 of them are counted.
    let (_folder, mut conn) = store(78).await;
    let rows = "SELECT COUNT(*) FROM document_days";
    let until = days::until(NOW_MS);
    assert_eq!(look(&mut conn, until).await.iter().sum::<u64>(), 0);
    assert_eq!(count(&conn, rows), 0);
    let progress = "SELECT COUNT(*) FROM document_progress WHERE before_day = ";
    assert_eq!(count(&conn, &format!("{progress}{until}")), 2);

    // A day ended a day ago when two midnights have gone by.
    let day = until + 3;
    let ended_ms = days::first_ms(day + 2);
    assert_eq!(days::until(ended_ms - 1), day);
    assert_eq!(days::until(ended_ms), day + 1);
    run(&conn, &documents(day, 80));
    assert_eq!(look(&mut conn, days::until(ended_ms - 1)).await, [0, 0]);
    assert_eq!(look(&mut conn, days::until(ended_ms)).await, [1, 0]);
    // The days after it have sums, too, and be it none.
    assert_eq!(look(&mut conn, day + 4).await, [3, 0]);
    assert_eq!(add_up(&mut conn).await, 4);
    let sums = "SELECT COUNT(DISTINCT day) FROM document_sums";
    assert_eq!((count(&conn, rows), count(&conn, sums)), (4, 1));
    assert_eq!(answers(&mut conn).await, of_rows(&mut conn).await);
    assert_eq!(checks::run(&mut conn).await.expect("checks"), []);
}

#[tokio::test]
async fn years_are_looked_at_in_short_turns_and_empty_ones_are_passed() {
    let (_folder, mut conn) = store(MANY).await;
    let early = FIRST - 3_000;
    run(&conn, &documents(early, 3));
    let until = FIRST + DAYS;
    let found = look(&mut conn, until).await;
    // The three old ones, the first month, the rest; and the account that has nothing.
    assert_eq!(found.iter().sum::<u64>(), DAYS.unsigned_abs());
    assert_eq!(found, [0, 31, 9, 0]);

    // Looked at again, as after documents were written past the hub (`hub load fill`).
    add_up(&mut conn).await;
    let account = AccountId::from("con_1");
    let set = copy::bulk::set_account(&mut conn, &account, 0, 0).await;
    set.expect("forgotten");
    assert_eq!(look(&mut conn, until).await, [0, 31, 9]);
    let open = "SELECT COUNT(*) FROM document_days WHERE state = 0";
    assert_eq!(count(&conn, open), 0, "they have their sums");
}

#[tokio::test]
async fn wrong_sums_are_found_and_named() {
    let (_folder, mut conn) = store(MANY).await;
    look(&mut conn, days::until(NOW_MS)).await;
    add_up(&mut conn).await;
    let second = FIRST + 1;
    for (damage, rows) in [
        (
            format!(
                "UPDATE document_sums SET centavos = centavos + 1 WHERE day = {second} AND emitter_id = 'emi_1' AND modelo = '55'"
            ),
            vec![format!("con_1/{second}")],
        ),
        (
            format!(
                "UPDATE document_sums SET documentos = documentos + 1 WHERE day = {FIRST} AND emitter_id = ''"
            ),
            vec![format!("con_1/{FIRST}")],
        ),
        (
            format!("DELETE FROM document_sums WHERE day = {second}"),
            vec![format!("con_1/{second}")],
        ),
        (
            format!("DELETE FROM document_days WHERE day = {second}"),
            vec![format!("con_1/{second}")],
        ),
    ] {
        run(&conn, &format!("BEGIN; {damage}"));
        let findings = checks::run(&mut conn).await.expect("checks");
        run(&conn, "ROLLBACK");
        let told: Vec<String> = findings
            .into_iter()
            .map(|finding| {
                assert_eq!(finding.rule, RULE, "{damage}");
                finding.row
            })
            .collect();
        assert_eq!(told, rows, "{damage}");
    }
    // A day that is to be added up is counted from its documents, whatever its sums say.
    run(
        &conn,
        "UPDATE document_sums SET documentos = 7; UPDATE document_days SET state = 0",
    );
    assert_eq!(checks::run(&mut conn).await.expect("checks"), []);
    assert_eq!(answers(&mut conn).await, of_rows(&mut conn).await);
}

#[tokio::test]
async fn an_account_that_is_used_no_more_gets_no_more_rows() {
    let (_folder, mut conn) = store(MANY).await;
    let before = answers(&mut conn).await;
    let until = FIRST + DAYS + 500;
    assert_eq!(look(&mut conn, until).await, [31, 31, 31, 0, 0]);
    assert_eq!(look(&mut conn, until + 1).await, [0, 0]);
    // It is used again.
    run(&conn, &documents(until + 2, 3));
    assert_eq!(look(&mut conn, until + 3).await, [2, 0]);
    assert_eq!(add_up(&mut conn).await, 93 + 2);
    assert_eq!(answers(&mut conn).await, before);
    assert_eq!(checks::run(&mut conn).await.expect("checks"), []);
}
