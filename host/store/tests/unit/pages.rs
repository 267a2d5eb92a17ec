//! Old rows in pages: found as before, or an error.

use base::ids::several;
use store::ids::{AccountId, KeyId, RequestId};
use store::tables::adapter_uses::{self, PREFIX, UseKind, UseRow};
use store::tables::pages::{OldRows, PageKind, PageRow, ROWS};
use store::tables::requests::{self, RequestRow};
use store::tables::{pages, usage};
use store::words::{KeyKind, Maybe};
use store::{Conn, checks, copy};
use tempfile::TempDir;

const BEGUN_MS: i64 = 1_764_471_600_000;
const CALLS: usize = 600;
/// After all rows.
const LATER_MS: i64 = BEGUN_MS + 10_000_000;

async fn database() -> (TempDir, Conn) {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    let conn = copy::migrated(&url).await.expect("database");
    (folder, conn)
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

fn call(account: &AccountId, id: RequestId, number: usize) -> RequestRow {
    let note = format!("nfse_01KB9B7WW06EX2YAF7R5{:06}", number / 3);
    RequestRow {
        id,
        account_id: account.clone(),
        key_id: match number % 5 {
            0 => Maybe(None),
            _ => Maybe(Some(KeyId::from("key_01M8PX8494SSQ3C3KERKZCSY68"))),
        },
        key_hint: "X0K1".to_owned(),
        kind: KeyKind::ALL[number % 2],
        operation: "documentos.get".to_owned(),
        method: "GET".to_owned(),
        path: format!("/api/v1/documentos/{note}?número={number}"),
        status: 200 + i64::try_from(number % 3).expect("small"),
        error_code: String::from(if number.is_multiple_of(7) {
            "invalido"
        } else {
            ""
        }),
        duration_ms: i64::try_from(number % 40).expect("small"),
        subject_id: note,
        created_at_ms: BEGUN_MS + i64::try_from(number).expect("small") * 1_000,
    }
}

/// Writes and counts calls of an account, a second apart.
async fn calls(conn: &mut Conn, account: &AccountId, many: usize) {
    for number in 0..many {
        let at_ms = BEGUN_MS + i64::try_from(number).expect("small") * 1_000;
        let row = call(account, RequestId::new(at_ms), number);
        assert!(requests::insert(conn, &row).await.expect("written"));
        usage::count(conn, &[&row.id]).await.expect("counted");
    }
}

/// The oldest calls of an account behind an id.
async fn oldest(conn: &mut Conn, account: &AccountId, past: &str) -> Option<OldRows> {
    let old = requests::oldest(conn, account, past, LATER_MS).await;
    old.expect("rows")
}

/// Packs all pages of an account; how many.
async fn packed(conn: &mut Conn, account: &AccountId) -> usize {
    let mut packed = 0;
    while let Some(pack) = oldest(conn, account, "").await.and_then(|old| old.pack) {
        assert!(pack.write(conn).await.expect("written"));
        packed += 1;
    }
    packed
}

async fn listed(conn: &mut Conn, account: &AccountId, limit: i64) -> Vec<RequestRow> {
    let (mut all, mut before) = (Vec::new(), String::new());
    loop {
        let page = requests::list(conn, account, &before, limit).await;
        let page = page.expect("calls");
        assert!(i64::try_from(page.len()).expect("small") <= limit);
        let Some(last) = page.last() else {
            return all;
        };
        before = last.id.to_string();
        all.extend(page);
    }
}

#[tokio::test]
async fn calls_are_listed_and_found_as_before() {
    let (_folder, mut conn) = database().await;
    let (account, other) = (AccountId::from("con_1"), AccountId::from("con_2"));
    calls(&mut conn, &account, CALLS).await;
    calls(&mut conn, &other, 10).await;
    let before = listed(&mut conn, &account, 1_000).await;
    assert_eq!(before.len(), CALLS);

    let next = requests::next_account(&mut conn, &AccountId::default()).await;
    assert_eq!(next.expect("an account").as_ref(), Some(&account));
    let next = requests::next_account(&mut conn, &account).await;
    assert_eq!(next.expect("an account").as_ref(), Some(&other));
    let young = requests::oldest(&mut conn, &account, "", BEGUN_MS + 255_000).await;
    assert!(young.expect("rows").is_none(), "255 are too few");
    assert_eq!(packed(&mut conn, &account).await, CALLS / ROWS);
    assert_eq!(packed(&mut conn, &other).await, 0);
    assert_eq!(
        count(
            &conn,
            "SELECT COUNT(*) FROM requests WHERE account_id = 'con_1'"
        ),
        i64::try_from(CALLS % ROWS).expect("small")
    );
    let bytes = count(&conn, "SELECT SUM(LENGTH(bytes)) FROM packed_pages");
    assert!(bytes < 60 * 512, "{bytes}");

    for limit in [1_000, 101, 7] {
        assert_eq!(listed(&mut conn, &account, limit).await, before, "{limit}");
    }
    for call in before.iter().step_by(37) {
        let found = requests::get(&mut conn, &account, &call.id).await;
        assert_eq!(found.expect("a call").as_ref(), Some(call));
        let found = requests::get(&mut conn, &other, &call.id).await;
        assert_eq!(found.expect("no call"), None);
    }

    // Two come late, one of them older than all pages.
    for (number, at_ms) in [(1, BEGUN_MS + 5_500), (2, BEGUN_MS - 1)] {
        let late = call(&account, RequestId::new(at_ms), number);
        assert!(requests::insert(&mut conn, &late).await.expect("written"));
        let found = requests::get(&mut conn, &account, &late.id).await;
        assert_eq!(found.expect("a call"), Some(late.clone()));
        let after = listed(&mut conn, &account, 50).await;
        let mut expected = before.clone();
        expected.push(late);
        if number == 2 {
            expected.extend(
                after
                    .iter()
                    .filter(|row| row.id.moment() == Some(BEGUN_MS + 5_500))
                    .cloned(),
            );
        }
        expected.sort_by(|one, other| other.id.cmp(&one.id));
        assert_eq!(after, expected);
    }
    assert_eq!(packed(&mut conn, &account).await, 0);
}

#[tokio::test]
async fn a_page_takes_the_place_of_its_own_rows_only() {
    let (_folder, mut conn) = database().await;
    let account = AccountId::from("con_1");
    calls(&mut conn, &account, CALLS).await;
    let oldest = async |conn: &mut Conn| {
        let old = oldest(conn, &account, "").await;
        old.and_then(|old| old.pack).expect("a page")
    };
    let (one, another) = (oldest(&mut conn).await, oldest(&mut conn).await);
    assert!(one.write(&mut conn).await.expect("written"));
    assert!(!another.write(&mut conn).await.expect("asked"));

    let third = oldest(&mut conn).await;
    run(
        &conn,
        "DELETE FROM requests WHERE id = (SELECT MIN(id) FROM requests)",
    );
    run(&conn, "BEGIN");
    assert!(!third.write(&mut conn).await.expect("asked"));
    run(&conn, "ROLLBACK");
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM packed_pages"), 1);
    let left = i64::try_from(CALLS - ROWS - 1).expect("small");
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM requests"), left);
}

#[tokio::test]
async fn a_row_that_cannot_be_read_stays_a_row() {
    let (_folder, mut conn) = database().await;
    let (account, other) = (AccountId::from("con_1"), AccountId::from("con_2"));
    calls(&mut conn, &account, CALLS).await;
    calls(&mut conn, &other, CALLS).await;
    let all = listed(&mut conn, &account, 1_000).await;
    let strange = &all[CALLS - 10];
    let damage = format!(
        "UPDATE requests SET kind = 'strange' WHERE account_id = 'con_2' OR id = '{}'",
        strange.id
    );
    run(&conn, &damage);
    let old = oldest(&mut conn, &account, "").await.expect("rows");
    assert_eq!(old.pack.map(|pack| pack.rows()), Some(ROWS as u64 - 1));
    let [row] = old.unreadable.as_slice() else {
        panic!("{:?}", old.unreadable);
    };
    assert_eq!(row.id, strange.id.as_str());
    assert!(!row.why.is_empty());
    assert_eq!(packed(&mut conn, &account).await, CALLS / ROWS);
    // A list that ends before it is answered, though it is among the newest rows of the table.
    let newest = requests::list(&mut conn, &account, "", 200).await;
    assert_eq!(newest.expect("calls"), all[..200]);
    let with_it = requests::list(&mut conn, &account, "", 1_000).await;
    let error = with_it.expect_err("a row that cannot be read");
    assert!(store::is_of_content(&error), "{error}");
    let repair = format!(
        "UPDATE requests SET kind = '{}' WHERE id = '{}'",
        strange.kind, strange.id
    );
    run(&conn, &repair);
    assert_eq!(listed(&mut conn, &account, 1_000).await, all);

    // Of the other account nothing is left for a page, and what is behind is looked at all the
    // same.
    let first = oldest(&mut conn, &other, "").await.expect("rows");
    assert!(first.pack.is_none() && first.unreadable.len() == ROWS);
    let second = oldest(&mut conn, &other, &first.last).await.expect("rows");
    assert!(second.pack.is_none() && second.unreadable.len() == ROWS);
    assert!(second.unreadable.iter().all(|row| row.id > first.last));
    assert!(oldest(&mut conn, &other, &second.last).await.is_none());
}

#[tokio::test]
async fn a_damaged_page_is_an_error_and_no_empty_list() {
    let (_folder, mut conn) = database().await;
    let account = AccountId::from("con_1");
    calls(&mut conn, &account, CALLS).await;
    let all = listed(&mut conn, &account, 1_000).await;
    packed(&mut conn, &account).await;
    assert_eq!(checks::run(&mut conn).await.expect("checks"), []);
    run(
        &conn,
        "UPDATE packed_pages SET bytes = SUBSTR(bytes, 1, LENGTH(bytes) - 1) \
         WHERE last_id = (SELECT MIN(last_id) FROM packed_pages)",
    );
    let newest = requests::list(&mut conn, &account, "", 100).await;
    assert_eq!(newest.expect("calls"), all[..100]);
    let list = requests::list(&mut conn, &account, "", 1_000).await;
    let told = list.expect_err("a damaged page").to_string();
    assert!(told.contains("packed page requests con_1 req_"), "{told}");
    let oldest = &all[CALLS - 1].id;
    assert!(requests::get(&mut conn, &account, oldest).await.is_err());
    let findings = checks::run(&mut conn).await.expect("checks");
    let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["a page of old rows can be read"]);

    // A page of other rows than it says.
    let first = &all[CALLS - ROWS].id;
    let page = pages::after(&mut conn, PageKind::Requests, &account, first).await;
    let page = page.expect("read").expect("a page");
    assert_eq!(page.read::<RequestRow>().expect("rows").len(), ROWS);
    let other = PageRow {
        first_id: "req_0".to_owned(),
        ..page
    };
    assert!(other.read::<RequestRow>().is_err());
}

#[tokio::test]
async fn calls_in_pages_are_counted_again() {
    let (_folder, mut conn) = database().await;
    let (account, other) = (AccountId::from("con_1"), AccountId::from("con_2"));
    calls(&mut conn, &account, CALLS).await;
    calls(&mut conn, &other, 10).await;
    packed(&mut conn, &account).await;
    assert_eq!(checks::run(&mut conn).await.expect("checks"), []);
    let day = BEGUN_MS / 86_400_000;
    for (damage, rows) in [
        (
            "UPDATE usage_calls SET calls = calls + 1 WHERE account_id = 'con_1' AND key_id = ''",
            vec![format!("con_1/{day}/documentos.get/")],
        ),
        (
            "UPDATE usage_calls SET calls = calls - 1 WHERE account_id = 'con_2' AND key_id = ''",
            vec![
                format!("con_2/{day}/documentos.get/"),
                format!("con_1/{day}/documentos.get/"),
            ],
        ),
    ] {
        run(&conn, damage);
        let findings = checks::run(&mut conn).await.expect("checks");
        let told: Vec<String> = findings
            .into_iter()
            .map(|finding| {
                assert_eq!(finding.rule, "usage has counted every call of a day once");
                finding.row
            })
            .collect();
        assert_eq!(told, rows);
    }
}

#[tokio::test]
async fn uses_of_keys_are_read_and_removed_as_before() {
    let (_folder, mut conn) = database().await;
    let mut rows = Vec::new();
    for number in 0..i64::try_from(CALLS).expect("small") {
        let at_ms = BEGUN_MS + number / 2;
        rows.push(UseRow {
            id: several(PREFIX, at_ms, 1).remove(0),
            account_id: AccountId::from("con_1"),
            flow_id: several("flw", BEGUN_MS, 1).remove(0).into(),
            component: "abrasf".to_owned(),
            digest: "0f5d8c73348131852b0e155d55e6e4069ee0f6bc1793e7510ee7b8a499841018".to_owned(),
            kind: UseKind::ALL[usize::try_from(number % 4).expect("small")],
            what: "InfDeclaracaoPrestacaoServico {http://www.abrasf.org.br/nfse.xsd}".to_owned(),
            sha256: format!("{:064x}", number * 7_919),
            refused: String::from(if number % 50 == 0 { "no" } else { "" }),
            at_ms,
        });
    }
    adapter_uses::insert(&mut conn, &rows)
        .await
        .expect("written");
    rows.sort_by(|one, other| other.id.cmp(&one.id));
    while let Some(pack) = adapter_uses::oldest(&mut conn, "", LATER_MS)
        .await
        .expect("rows")
        .and_then(|old| old.pack)
    {
        assert!(pack.write(&mut conn).await.expect("written"));
    }
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM packed_pages"), 2);
    let newest = async |conn: &mut Conn, since_ms, limit| {
        let rows = adapter_uses::newest(conn, since_ms, limit).await;
        rows.expect("uses")
    };
    assert_eq!(newest(&mut conn, 0, 1_000).await, rows);
    assert_eq!(newest(&mut conn, 0, 300).await, rows[..300]);
    assert_eq!(newest(&mut conn, BEGUN_MS + 100, 1_000).await, rows[..400]);

    // In the middle of the second page: the first one goes.
    let purged = adapter_uses::purge(&mut conn, BEGUN_MS + 200, 1_000).await;
    assert_eq!(purged.expect("removed"), 256);
    assert_eq!(newest(&mut conn, 0, 1_000).await, rows[..CALLS - ROWS]);
    let purged = adapter_uses::purge(&mut conn, LATER_MS, 300).await;
    assert_eq!(purged.expect("removed"), 300);
    let purged = adapter_uses::purge(&mut conn, LATER_MS, 300).await;
    assert_eq!(purged.expect("removed"), 44);
    assert_eq!(newest(&mut conn, 0, 1_000).await, []);
}
