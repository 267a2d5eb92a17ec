//! Old calls and uses of keys become pages beside a hub that answers: lists and single calls are
//! the same before and after, whenever a process that packs them dies.

use crate::lane::{City, Lane, Node};
use crate::sql::{count, execute};
use base::ids::several;
use objects::archive::{self, Paged, RowsPlace};
use serde_json::Value;
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::ids::{AccountId, RequestId};
use store::tables::adapter_uses::{self, PREFIX, UseRow};
use store::tables::requests::{self, RequestRow};
use store::tables::usage;
use store::{Db, TxError, copy};
use tests::app::Backend;
use tests::both;

const DAY_MS: i64 = 86_400_000;
/// Rows of a test: two pages of calls, and one of uses.
const CALLS: usize = 600;
const USES: usize = 300;
const PAGES: &str = "SELECT COUNT(*) FROM packed_pages";
/// The kind of the key of the oldest call that is no page yet.
const STRANGE: &str = "UPDATE requests SET kind = 'strange' WHERE id = (SELECT MIN(id) FROM requests WHERE operation = 'documentos.get')";
const READABLE: &str = "UPDATE requests SET kind = 'live' WHERE kind = 'strange'";
/// As many of the oldest calls as a page has, and four more.
const MANY_STRANGE: &str = "UPDATE requests SET kind = 'strange' WHERE id IN (SELECT r.id FROM requests r WHERE r.operation = 'documentos.get' ORDER BY r.id LIMIT 260)";
/// Most of each page is gone.
const DAMAGE: &str = "UPDATE packed_pages SET bytes = SUBSTR(bytes, 1, 50)";
/// Rows only, whatever documents there are.
const COMPACT: [&str; 5] = [
    "compact",
    "--older-than-hours",
    "87600",
    "--rows-older-than-days",
    "35",
];

/// Writes calls and uses of keys of a day; the id of the newest call.
async fn written(db: &Db, account: &AccountId, at_ms: i64) -> String {
    let ids = RequestId::several(at_ms, CALLS);
    let newest = ids[CALLS - 1].to_string();
    let calls = ids.into_iter().zip(0..).map(|(id, number)| RequestRow {
        id,
        account_id: account.clone(),
        key_hint: "0000".to_owned(),
        operation: "documentos.get".to_owned(),
        method: "GET".to_owned(),
        path: format!("/api/v1/documentos/{number}"),
        status: 404,
        error_code: "nao_encontrado".to_owned(),
        duration_ms: number % 9,
        created_at_ms: at_ms,
        ..RequestRow::default()
    });
    let uses = several(PREFIX, at_ms, USES).into_iter().map(|id| UseRow {
        sha256: format!("{:064x}", id.len()),
        id,
        account_id: account.clone(),
        component: "dps".to_owned(),
        what: "infDPS".to_owned(),
        at_ms,
        ..UseRow::default()
    });
    let rows = (calls.collect::<Vec<_>>(), uses.collect::<Vec<_>>());
    let written = db.write(rows, |(calls, uses), conn| {
        Box::pin(async move {
            for call in calls {
                requests::insert(conn, call).await?;
            }
            let ids: Vec<&RequestId> = calls.iter().map(|call| &call.id).collect();
            usage::count(conn, &ids).await?;
            adapter_uses::insert(conn, uses).await?;
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
    newest
}

async fn asked(lane: &Lane, node: &Node, path: &str) -> Value {
    let text = lane.asked(node, &format!("usage/chamadas{path}")).await;
    serde_json::from_str(&text).expect("JSON")
}

/// What the hub tells of the calls up to one, each in its list and some alone; and all uses.
async fn told(lane: &Lane, node: &Node, newest: &str) -> (Vec<Value>, Vec<UseRow>) {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = asked(lane, node, &format!("?limite=100{cursor}")).await;
        let items = page["itens"].as_array().cloned().unwrap_or_default();
        let is_older = |item: &Value| item["request_id"].as_str().is_some_and(|id| id <= newest);
        all.extend(items.into_iter().filter(is_older));
        if page["tem_mais"] != true {
            break;
        }
        cursor = format!(
            "&cursor={}",
            page["proximo_cursor"].as_str().expect("a cursor")
        );
    }
    for place in [0, CALLS / 2, CALLS - 1] {
        let id = all[place]["request_id"].as_str().expect("an id").to_owned();
        let mut call = asked(lane, node, &format!("/{id}")).await;
        all.push(call["registro"].take());
    }
    let mut conn = lane.db.read().await.expect("connection");
    let uses = adapter_uses::newest(&mut conn, 0, 1_000).await;
    (all, uses.expect("uses"))
}

async fn run(backend: Backend) {
    let packs_none = ("HUB_PACKING_ROWS_AFTER_DAYS", "0");
    let Some(lane) = Lane::open_with(backend, &[City::National], &[packs_none]).await else {
        return;
    };
    let mut node = lane.node().await;
    let at_ms = base::when::system_clock()() - 40 * DAY_MS;
    let newest = written(&lane.db, &lane.account_id, at_ms).await;
    let before = told(&lane, &node, &newest).await;
    assert_eq!((before.0.len(), before.1.len()), (CALLS + 3, USES));
    for step in [
        "page, read",
        "page, before writing",
        "page, before commit",
        "page, committed",
    ] {
        lane.command_dying_at(step, &COMPACT).await;
        assert!(told(&lane, &node, &newest).await == before, "{step}");
        lane.check(step).await;
    }
    assert_eq!(lane.count(PAGES).await, 1, "the last one died behind it");
    // Two at a time: none of them packs what the other one did.
    let (one, other) = tokio::join!(lane.command(&COMPACT), lane.command(&COMPACT));
    assert!(one.0 && one.1.contains("rows packed: "), "{}", one.1);
    assert!(other.0 && other.1.contains("rows packed: "), "{}", other.1);
    assert_eq!(lane.count(PAGES).await, 3, "{}\n{}", one.1, other.1);
    let old = "SELECT COUNT(*) FROM requests WHERE operation = 'documentos.get'";
    assert_eq!(lane.count(old).await, 600 - 2 * 256);
    assert_eq!(
        lane.count("SELECT COUNT(*) FROM adapter_uses").await,
        300 - 256
    );
    assert!(told(&lane, &node, &newest).await == before);
    lane.check("all is packed").await;
    let (well, said) = lane.command(&["doctor", "--all-records"]).await;
    assert!(well, "{said}");
    assert_eq!(node.stop().await, Some(0));

    // A copy of the database has the pages.
    let copied = copy::unload(&lane.database_url(), &lane.file("copy.db")).await;
    let copied = copied.expect("copied");
    assert_eq!(copied.findings, []);
    let pages = copied.tables.iter().find(|one| one.table == "packed_pages");
    assert_eq!(pages.map(|one| one.rows), Some(3));

    // A row that cannot be read stays a row, the others become pages, and it is told.
    execute(&lane.db, STRANGE).await;
    written(&lane.db, &lane.account_id, at_ms + 1).await;
    let (well, said) = lane.command(&COMPACT).await;
    assert!(!well && said.contains(", 1 cannot be packed"), "{said}");
    assert_eq!(lane.count(PAGES).await, 6, "{said}");
    execute(&lane.db, READABLE).await;

    // Damage is told.
    execute(&lane.db, DAMAGE).await;
    let (well, said) = lane.command(&["doctor", "--all-records"]).await;
    assert!(!well && said.contains("uses of keys until use_"), "{said}");
    let call = format!("packed page requests {}", lane.account_id);
    assert!(
        said.contains("a page of old rows can be read: con_"),
        "{said}"
    );
    let mut conn = lane.db.read().await.expect("connection");
    let listed = requests::list(&mut conn, &lane.account_id, "", 1_000).await;
    let told = listed.expect_err("damaged").to_string();
    assert!(told.contains(&call), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}

both! {
    async fn a_node_packs_rows_that_are_old_enough(app: TestApp) {
        let at_ms = app.app.now_ms() - 30 * DAY_MS;
        written(&app.app.db, &app.account_id, at_ms).await;
        let mut place = RowsPlace::default();
        let packed = async |place: &mut RowsPlace| {
            archive::round_of_rows(&app.app.objects, place).await.expect("a round");
            count(&app.app.db, PAGES).await
        };
        assert_eq!(packed(&mut place).await, 0, "not yet");
        app.ahead_ms.store(6 * DAY_MS, Ordering::Relaxed);
        assert_eq!(packed(&mut place).await, 3);
        app.check_invariants().await;
        let list = app.get("/api/v1/usage/chamadas?limite=100").await;
        assert_eq!(list.body["itens"].as_array().map(Vec::len), Some(100), "{}", list.text);
    }
}

both! {
    async fn rows_that_cannot_be_read_do_not_hold_up_those_behind_them(app: TestApp) {
        let db = &app.app.db;
        let now_ms = app.app.now_ms();
        // Younger than what the hub packs by itself.
        written(db, &app.account_id, now_ms - 30 * DAY_MS).await;
        execute(db, MANY_STRANGE).await;
        let mut place = RowsPlace::default();
        let all = async |place: &mut RowsPlace| {
            let mut all = Paged::default();
            loop {
                let part = archive::rows(db, place, now_ms - DAY_MS).await.expect("rows");
                all.add(&part);
                if part.is_last {
                    return (all.failed, all.rows, all.pages);
                }
            }
        };
        // A page of calls, and one of uses.
        assert_eq!(all(&mut place).await, (260, 252 + 256, 2));
        assert_eq!(all(&mut place).await, (0, 0, 0), "each is told once");
        execute(db, READABLE).await;
        app.check_invariants().await;
    }
}
