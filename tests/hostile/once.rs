//! What operators ask twice, ask of another release than they mean, or ask while the
//! database is held.

use crate::admin::{Desk, said};
use crate::components::component;
use crate::releases::{Stage, revision, slipped_in};
use hub::admin::strangers::Strangers;
use hub::releases::change::{self, Actor, Change, Consent, Refused};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use std::convert::Infallible;
use store::TxError;
use store::tables::releases::{self, NewComponent, ReleaseRow, ReleaseStatus};
use tests::app::Backend;

/// Releases that were staged and never used.
const MANY: usize = 1_001;

/// As many releases of a name as somebody's pipeline installs in some months.
async fn staged(stage: &Stage) {
    let written = stage.app.app.db.write((), |(), conn| {
        Box::pin(async move {
            for number in 0..MANY {
                let row = NewComponent {
                    name: "abc".to_owned(),
                    digest: format!("{number:064x}"),
                    version: "1.0.0".to_owned(),
                    signed_by: String::new(),
                    permissions: String::new(),
                    component: if number == 0 { revision(1) } else { Vec::new() },
                    now_ms: i64::try_from(number).expect("small"),
                };
                releases::install(conn, &row).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}

async fn many_staged_releases_push_no_active_one_out(desk: Desk) {
    let stage = &desk.stage;
    let active = slipped_in(stage, revision(1)).await;
    let body = json!({ "digest": active });
    assert_eq!(desk.post("/dps/activate", body).await.0, 200);
    staged(stage).await;
    let app = &stage.app.app;
    hub::releases::look(&app.issuing.gateway, &app.releases)
        .await
        .expect("look");
    assert_eq!(stage.current(), active);
    // Changes and inspections find what is beyond the list.
    let last = format!("/abc/inspect?digest={:064x}", 0);
    let (status, inspected) = said(desk.request(Method::GET, &last)).await;
    assert_eq!(status, 200, "{inspected}");
    let (status, listed) = said(desk.request(Method::GET, "")).await;
    let listed = listed["versoes"].as_array().expect("releases").clone();
    assert_eq!((status, listed.len()), (200, 1_001));
    let has = |digest: &str| listed.iter().any(|row| row["digest"] == digest);
    assert!(has(&active) && has(&format!("{:064x}", MANY - 1)));
    assert!(!has(&format!("{:064x}", 0)), "the oldest is not shown");
    let (status, made) = desk.post("/dps/rollback", json!({})).await;
    assert_eq!(status, 200, "{made}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_staged_releases_push_no_active_one_out_on_sqlite() {
    let desk = Desk::open(Backend::Sqlite).await;
    many_staged_releases_push_no_active_one_out(desk.expect("always there")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_staged_releases_push_no_active_one_out_on_postgres() {
    if let Some(desk) = Desk::open(Backend::Postgres).await {
        many_staged_releases_push_no_active_one_out(desk).await;
    }
}

/// Two releases of which the second is active.
async fn two(desk: &Desk) -> [String; 2] {
    let mut digests = Vec::new();
    for number in 1..=2 {
        let digest = slipped_in(&desk.stage, revision(number)).await;
        let body = json!({ "digest": digest });
        assert_eq!(desk.post("/dps/activate", body).await.0, 200);
        digests.push(digest);
    }
    digests.try_into().expect("two")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_names_its_release_is_done_once() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let [first, second] = two(&desk).await;
    let back = json!({ "digest": &second[..12] });
    let (status, made) = desk.post("/dps/rollback", back.clone()).await;
    assert_eq!(
        (status, desk.stage.current()),
        (200, first.clone()),
        "{made}"
    );
    // The answer was lost, and the client asks again.
    let conflict = async |path: &str, body: Value| {
        let (status, answer) = desk.post(path, body).await;
        assert_eq!(
            (status, &answer["codigo"]),
            (409, &json!("estado_invalido")),
            "{path}: {answer}"
        );
        let hint = answer["dica"].as_str().expect("a hint");
        assert!(hint.contains("GET /admin/v1/adapters"), "{hint}");
    };
    conflict("/dps/rollback", back).await;
    assert_eq!(desk.stage.current(), first);
    for path in ["/dps/rollback", "/dps/promote"] {
        let (status, answer) = desk.post(path, json!({ "digest": "" })).await;
        assert_eq!(
            (status, &answer["codigo"], &answer["campos"][0]["campo"]),
            (400, &json!("parametro_invalido"), &json!("digest")),
            "{path}: {answer}"
        );
    }
    assert_eq!(desk.stage.current(), first);

    let third = slipped_in(&desk.stage, revision(3)).await;
    let body = json!({ "digest": third, "percentual": 10 });
    assert_eq!(desk.post("/dps/canary", body).await.0, 200);
    conflict("/dps/promote", json!({ "digest": second })).await;
    let meant = json!({ "digest": third });
    assert_eq!(desk.post("/dps/promote", meant.clone()).await.0, 200);
    assert_eq!(desk.stage.current(), third);
    conflict("/dps/promote", meant).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_install_that_is_repeated_is_no_error() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let signature = desk.stage.key.sign(&revision(1));
    for expected in [201, 200] {
        let upload = desk.request(Method::POST, "?ativar=true");
        let upload = upload
            .header("content-type", "application/wasm")
            .header("x-minisig", crate::admin::base64(&signature));
        let (status, answer) = said(upload.body(revision(1))).await;
        assert_eq!(status, expected, "{answer}");
        assert_eq!(desk.stage.current(), answer["digest"]);
    }
    assert_eq!(desk.stage.statuses().await, [ReleaseStatus::Active]);
}

/// The hint of the API speaks of a key that nothing here reads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_is_held_the_list_is_the_way_to_know() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    two(&desk).await;
    let url = desk.stage.app.app.config.database_url();
    let mut other = SqliteConnection::connect(&url).await.expect("connection");
    other.execute("BEGIN IMMEDIATE").await.expect("held");
    let (status, answer) = desk.post("/dps/rollback", json!({})).await;
    assert_eq!(status, 503, "{answer}");
    let hint = answer["dica"].as_str().expect("a hint");
    assert!(hint.contains("GET /admin/v1/adapters"), "{hint}");
    assert!(!hint.contains("Idempotency-Key"), "{hint}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_are_read_page_by_page() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    two(&desk).await;
    let page = async |query: &str| {
        let (status, body) = said(desk.request(Method::GET, &format!("/acoes{query}"))).await;
        assert_eq!(status, 200, "{body}");
        body["acoes"].as_array().expect("actions").clone()
    };
    let all = page("").await;
    let id = |row: &Value| row["id"].as_str().expect("an id").to_owned();
    let older = page(&format!("?antes={}", id(&all[0]))).await;
    assert_eq!(older, all[1..]);
    assert!(page("?antes=act_nenhum").await.is_empty());
}

async fn taken_back(stage: &Stage, consent: &Consent) -> Result<(), TxError<Refused>> {
    let actor = Actor {
        name: "operadora".to_owned(),
        now_ms: stage.app.app.now_ms(),
    };
    let made = change::make(&stage.app.app.db, "dps", Change::Rollback, consent, &actor);
    made.await.map(|_| ())
}

/// With no release before and none in the folder, a rollback would end the issuing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rollback_leaves_something_in_use_unless_asked_otherwise() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let [first, second] = two(&desk).await;
    let alone = Consent::default();
    taken_back(&desk.stage, &alone)
        .await
        .expect("the one before is left");
    let refused = taken_back(&desk.stage, &alone).await;
    let Err(TxError::Abort(refused @ Refused::NothingLeft(_))) = refused else {
        panic!("{refused:?}");
    };
    assert!(refused.to_string().contains("--nothing"), "{refused}");
    let statuses = [ReleaseStatus::Active, ReleaseStatus::Retired];
    assert_eq!(desk.stage.statuses().await, statuses);
    // A canary leaves the active one.
    let body = json!({ "digest": second, "percentual": 10 });
    assert_eq!(desk.post("/dps/canary", body).await.0, 200);
    taken_back(&desk.stage, &alone)
        .await
        .expect("the active one is left");
    let yes = Consent {
        nothing: true,
        meant: Some(first),
        ..Consent::default()
    };
    taken_back(&desk.stage, &yes).await.expect("asked for");
    assert_eq!(desk.stage.statuses().await, [ReleaseStatus::Retired; 2]);
}

/// An adapter of which the folder has nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_says_so_leaves_nothing_in_use() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let digest = slipped_in(&desk.stage, component("good")).await;
    let body = json!({ "digest": digest });
    let (status, made) = desk.post("/hostil-good/activate", body).await;
    assert_eq!(status, 200, "{made}");
    let catalog = &desk.stage.app.app.catalog;
    assert!(catalog.current("hostil-good").is_some());
    for query in ["", "?nada=false"] {
        let path = format!("/hostil-good/rollback{query}");
        let (status, answer) = desk.post(&path, json!({})).await;
        assert_eq!(
            (status, &answer["codigo"]),
            (409, &json!("estado_invalido")),
            "{path}: {answer}"
        );
        let hint = answer["dica"].as_str().expect("a hint");
        assert!(hint.contains("?nada=true"), "{hint}");
    }
    assert!(catalog.current("hostil-good").is_some());
    let path = "/hostil-good/rollback?nada=true";
    let (status, made) = desk.post(path, json!({})).await;
    assert_eq!(status, 200, "{made}");
    assert_eq!(made["versoes"][0]["estado"], "retired");
    assert!(catalog.current("hostil-good").is_none());
}

/// An installation that activates and is repeated; what does not install hears no.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_active_already_is_told_apart() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let [_, second] = two(&desk).await;
    let actor = Actor {
        name: "operadora".to_owned(),
        now_ms: desk.stage.app.app.now_ms(),
    };
    let again = async |digest: &str| {
        let (change, consent) = (Change::Activate(digest.to_owned()), Consent::default());
        change::make(&desk.stage.app.app.db, "dps", change, &consent, &actor).await
    };
    let made = again(&second).await;
    assert!(matches!(made, Err(TxError::Abort(Refused::Active(_)))));
    assert!(matches!(change::or_active(made), Ok(None)));
    let other = change::or_active(again("ffff").await);
    assert!(matches!(other, Err(TxError::Abort(Refused::Unknown(..)))));
    let (status, answer) = desk
        .post("/dps/activate", json!({ "digest": second }))
        .await;
    assert_eq!(status, 409, "{answer}");
}

/// A change between the two reads of a list.
#[test]
fn a_list_shows_what_its_fingerprint_is_of() {
    use ReleaseStatus::{Active, Canary, Previous, Staged};
    let row = |digest: &str, status| ReleaseRow {
        name: "dps".to_owned(),
        digest: digest.to_owned(),
        version: "1.0.0".to_owned(),
        signed_by: String::new(),
        permissions: String::new(),
        status,
        percent: 0,
        changed_at_ms: 0,
    };
    let listed = vec![row("a", Active), row("b", Staged), row("gone", Staged)];
    let own = [
        row("a", Previous),
        row("b", Staged),
        // Beyond the list.
        row("old", Staged),
        row("c", Active),
        row("d", Canary),
    ];
    let shown = change::as_now(listed, &own);
    let shown: Vec<_> = shown
        .iter()
        .map(|row| (row.digest.as_str(), row.status))
        .collect();
    let expected = [("c", Active), ("d", Canary), ("a", Previous), ("b", Staged)];
    assert_eq!(shown, expected);
}

/// Somebody who tries tokens writes no log of his own.
#[test]
fn strangers_get_one_line_a_second() {
    let strangers = Strangers::default();
    assert_eq!(strangers.line(0), Some(0));
    for at_ms in [0, 1, 999] {
        assert_eq!(strangers.line(at_ms), None);
    }
    assert_eq!(strangers.line(1_000), Some(3));
    assert_eq!(strangers.line(1_500), None);
    // A clock that was set back.
    assert_eq!(strangers.line(10), Some(1));
}
