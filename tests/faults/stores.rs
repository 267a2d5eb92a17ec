//! `hub load` on hubs of these tests: a load of few operations, and a store that is filled
//! with copies of a few notes.

use crate::sql::count;
use hub::demo::{NewAccount, open_account};
use issuing::emitters::profile::Numbering;
use load::fill::{self, ACCOUNT, FIRST, FIRST_OF_MODELS, Plan};
use load::people::{cnpj, person};
use load::receiver::Receiver;
use load::run::mix::Mix;
use load::run::plan::Plan as LoadPlan;
use load::run::schedule::Gaps;
use load::{ask, bodies};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::copy;
use store::ids::AccountId;
use store::tables::artifacts;
use tests::app::{Backend, profile};
use tests::{TestApp, on_sqlite};

const CNPJ: &str = "11222333000181";
/// Copies of the test.
const NOTES: u64 = 300;
/// Tables of which every copy has rows.
const ROWS: [&str; 10] = [
    "SELECT COUNT(*) FROM adapter_uses",
    "SELECT COUNT(*) FROM artifacts",
    "SELECT COUNT(*) FROM deliveries",
    "SELECT COUNT(*) FROM delivery_attempts",
    "SELECT COUNT(*) FROM flow_turns",
    "SELECT COUNT(*) FROM flows",
    "SELECT COUNT(*) FROM idempotency_keys",
    "SELECT COUNT(*) FROM outbox",
    "SELECT COUNT(*) FROM requests",
    "SELECT COUNT(*) FROM transfers",
];
/// First of January 2026 in Brasília, and a month later.
const FROM_MS: i64 = 1_767_236_400_000;
const TO_MS: i64 = 1_769_914_800_000;

on_sqlite! {
    async fn a_load_reports_every_operation(app: TestApp) {
        app.emitter(CNPJ, bodies::CITY).await;
        let first = app.post("/api/v1/nfse", &tests::bodies::nfse()).await;
        assert_eq!(first.status, 201, "{}", first.text);
        let plan = LoadPlan {
            url: app.base_url.clone(),
            key: app.live_key.clone(),
            rate: 20.0,
            seconds: 1,
            gaps: Gaps::Even,
            seed: 3,
            mix: Mix::read("issue=4,nfe=1,cancel=1,list=1,pdf=1,get=1,usage=1").expect("a mix"),
            connections: 4,
            waiting: 100,
            tolerate_restart: true,
            webhook: true,
            every_minute: false,
            processes: Vec::new(),
        };
        let report = load::run::run(plan, base::when::system_clock(), |_| {}).await.expect("a load");
        let text = report.text();
        assert!(report.is_good(), "{text}");
        assert_eq!((report.total.answered, report.not_begun), (20, 0), "{text}");
        let documents = report.documents.expect("documents");
        assert!(documents.acknowledged > 0, "{text}");
        assert_eq!(documents.found, documents.acknowledged, "{text}");
        let events = report.events.expect("events");
        assert!(events.events >= documents.found, "{text}");
        assert_eq!(events.forged, 0, "{text}");
        let webhooks = app.get("/api/v1/webhooks").await;
        assert_eq!(webhooks.body["itens"], json!([]), "the webhook of the load is gone");
        app.check_invariants().await;
    }
}

/// Registers the companies of a store: one of the national system, where product notes are
/// issued too, and one of a city.
async fn companies(app: &TestApp, account: &AccountId, root: u64, first: u64) -> [String; 2] {
    let mut ids = Vec::new();
    for (place, city) in (0..).zip([bodies::CITY, "1100304"]) {
        let mut perfil = profile(city);
        perfil.nfe = Some(Numbering {
            serie: Some(1),
            proximo_numero: Some(first),
        });
        if let Some(nfse) = &mut perfil.nfse {
            nfse.proximo_numero = Some(first);
        }
        ids.push(
            app.emitter_with(account, &cnpj(root + place, 1), perfil)
                .await,
        );
    }
    ids.try_into().expect("two")
}

/// A webhook of a key that nobody need listen to.
async fn webhook(app: &TestApp, key: &str, url: &str) -> String {
    let wish = json!({ "url": url, "eventos": ["nfse.*", "nfe.*"] });
    let answer = app.post_as(key, "/api/v1/webhooks", &wish, None).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.text_at("/segredo").to_owned()
}

/// Issues the notes that are copied: of two systems, one of them cancelled, one refused, and
/// product notes.
async fn models(app: &TestApp) {
    let [national, city] = companies(app, &app.account_id, 49_000_000, FIRST_OF_MODELS).await;
    let receiver = Receiver::start(base::when::system_clock())
        .await
        .expect("a port");
    receiver.expect(webhook(app, &app.live_key, &receiver.url()).await);
    let value = |number: u64| 200_011 + number * 130;
    let reference = |number: u64| format!("referencia-do-modelo-{number:05}");
    let to = |number: u64| person(900_000_000 + number);
    for number in 0..6 {
        let (path, mut body, status) = match number {
            0 | 1 => (
                "/api/v1/nfse",
                bodies::service(&reference(number), &to(number), value(number), bodies::CITY),
                201,
            ),
            2 => (
                "/api/v1/nfse",
                bodies::refused(&reference(number), &to(number), value(number)),
                422,
            ),
            3 => (
                "/api/v1/nfse",
                bodies::service(&reference(number), &to(number), value(number), "1100304"),
                201,
            ),
            _ => (
                "/api/v1/nfe",
                bodies::product(&reference(number), &to(number), value(number), number - 3),
                201,
            ),
        };
        body["emitente_id"] = json!(if number == 3 { &city } else { &national });
        let key = format!("model-{number:06}");
        let answer = app.post_as(&app.live_key, path, &body, Some(&key)).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        if number == 0 {
            let id = answer.text_at("/id").to_owned();
            let cancelled = app
                .post("/api/v1/nfse/cancelar", &bodies::cancellation(&id))
                .await;
            assert_eq!(cancelled.status, 200, "{}", cancelled.text);
        }
    }
    // One event each, and one of the cancellation.
    app.until("/api/v1/webhooks/entregas?status=entregue", |list| {
        list.body["itens"]
            .as_array()
            .is_some_and(|items| items.len() >= 7)
    })
    .await;
    app.calls_logged().await;
}

async fn filled(backend: Backend) {
    let Some(target) =
        TestApp::start_with(backend, |config| config.accounts.gift_credits = 100_000).await
    else {
        return;
    };
    let source = TestApp::start(Backend::Sqlite).await.expect("SQLite");
    models(&source).await;
    let mut owners = Vec::new();
    for number in 1..=3 {
        let account = open_account(&target.app, &format!("{ACCOUNT}{number}"), 60_000)
            .await
            .expect("account");
        companies(&target, &account.id, 50_000_000 + number * 10, FIRST).await;
        webhook(&target, &account.live_key, "http://127.0.0.1:9/avisos").await;
        owners.push(account);
    }
    let plan = Plan {
        notes: NOTES,
        largest: 0.5,
        seed: 5,
        from_ms: FROM_MS,
        to_ms: TO_MS,
        batch: 100,
    };
    let mut models = copy::connect(&source.app.config.database_url())
        .await
        .expect("models");
    let mut conn = copy::connect(&target.app.config.database_url())
        .await
        .expect("target");
    // Stopped after a transaction, taken up again, and then there is nothing left to do.
    for (go_on, done) in [(false, 100), (true, NOTES), (true, NOTES)] {
        let filled = fill::fill(&mut models, &mut conn, &plan, &mut |_| go_on).await;
        assert_eq!(filled.expect("filled").done, done);
    }
    let notes = count(&target.app.db, "SELECT COUNT(*) FROM notas").await;
    assert_eq!(notes, i64::try_from(NOTES).expect("few"));
    target.check_invariants().await;
    everything_is_read(&target, &owners[0]).await;
    for rows in ROWS {
        let found = count(&target.app.db, rows).await;
        assert!(found >= notes / 2, "{rows}: {found}");
    }
}

/// Documents of the largest account are listed, opened, printed and found by what they say.
async fn everything_is_read(app: &TestApp, owner: &NewAccount) {
    let key = &owner.live_key;
    let get = async |path: &str| {
        let request = app
            .http()
            .get(format!("{}/api/v1{path}", app.base_url))
            .bearer_auth(key);
        app.send(request).await
    };
    let list = get("/documentos?limite=100&modelo=nfse&status=autorizada").await;
    let items = list.body["itens"].as_array().cloned().unwrap_or_default();
    assert!(items.len() > 20, "{}", list.text);
    for item in items.iter().take(5) {
        let (id, reference) = (
            item["id"].as_str().expect("id"),
            item["referencia"].as_str().expect("reference"),
        );
        let document = get(&format!("/documentos/{id}")).await;
        assert_eq!(document.summary(), "200 autorizada", "{}", document.text);
        let found = get(&format!("/documentos?q={reference}")).await;
        assert!(
            found.body["itens"]
                .as_array()
                .is_some_and(|found| found.iter().any(|found| found["id"] == id)),
            "{}",
            found.text
        );
        let xml = get(&format!("/nfse/{id}/documento?formato=xml&binario=1")).await;
        assert_eq!(xml.status, 200, "{}", xml.text);
        let number = item["rps"]["numero"].to_string();
        assert!(
            number.len() == 9 && xml.text.contains(&number),
            "{number} in {}",
            xml.text
        );
        assert!(
            !xml.text.contains("7310000"),
            "a number of the model: {}",
            xml.text
        );
        assert!(
            xml.text
                .contains(item["tomador"]["nome"].as_str().expect("name")),
            "{}",
            xml.text
        );
        let mut conn = app.app.db.read().await.expect("connection");
        let kept = artifacts::get(&mut conn, &owner.id, id, "nfse")
            .await
            .expect("database");
        let kept = kept.expect("an artifact");
        let digest: String = Sha256::digest(&kept.bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(kept.sha256, digest, "the digest is that of the text");
        assert_eq!(kept.bytes, xml.text.as_bytes());
        let pdf = get(&format!("/nfse/{id}/documento?formato=pdf&binario=1")).await;
        assert_eq!(pdf.status, 200, "{}", pdf.text);
    }
    let plan = ask::Plan {
        url: app.base_url.clone(),
        key: key.clone(),
        operator: None,
        rounds: 1,
        seed: 2,
        limit_ms: None,
    };
    let answered = ask::ask(&plan).await.expect("questions");
    assert!(answered.is_good(), "{}", answered.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_is_filled_on_sqlite() {
    filled(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_is_filled_on_postgres() {
    filled(Backend::Postgres).await;
}
