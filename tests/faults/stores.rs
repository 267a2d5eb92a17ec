//! `hub load` on hubs of these tests: a load of few operations, and a store that is filled
//! with copies of a few notes.

use crate::sql::count;
use base::config::Config;
use hub::demo::{NewAccount, open_account};
use issuing::emitters::profile::Numbering;
use load::fill::{self, ACCOUNT, FIRST, FIRST_OF_MODELS, Plan, Purged};
use load::people::{cnpj, person};
use load::receiver::Receiver;
use load::run::mix::Mix;
use load::run::plan::Plan as LoadPlan;
use load::run::schedule::Gaps;
use load::{ask, bodies};
use objects::archive::{self, Place};
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
/// Copies that stay unpacked at first.
const UNPACKED: u64 = 100;
/// Tables of which copies have rows.
const ROWS: [&str; 11] = [
    "SELECT COUNT(*) FROM adapter_uses",
    "SELECT COUNT(*) FROM artifacts",
    "SELECT COUNT(*) FROM deliveries",
    "SELECT COUNT(*) FROM deliveries WHERE last_number > 0",
    "SELECT COUNT(*) FROM flow_turns",
    "SELECT COUNT(*) FROM flows",
    "SELECT COUNT(*) FROM idempotency_keys",
    "SELECT COUNT(*) FROM outbox",
    "SELECT COUNT(*) FROM packed_records",
    "SELECT COUNT(*) FROM requests",
    "SELECT COUNT(*) FROM transfers",
];
/// First of January 2026 in Brasília, and a month later.
const FROM_MS: i64 = 1_767_236_400_000;
const TO_MS: i64 = 1_769_914_800_000;
/// What there is none of where copies are packed as the hub packs notes.
const LEFT: [&str; 5] = [
    "SELECT COUNT(*) FROM notas WHERE packed <> 0 AND (conteudo <> '' OR context <> '' OR answer <> '')",
    "SELECT COUNT(*) FROM notas WHERE packed <> 0 AND (packed <> 2 OR detalhes <> '' OR valores <> '' OR busca <> '')",
    "SELECT COUNT(*) FROM flows WHERE packed <> 0 AND (component <> '' OR conteudo <> '' OR way <> '')",
    "SELECT COUNT(*) FROM flow_turns t JOIN flows f ON f.id = t.flow_id WHERE f.packed <> 0",
    "SELECT COUNT(*) FROM artifacts a JOIN packed_records p ON p.subject_id = a.subject_id",
];
/// Documents whose texts are in no record.
const TO_PACK: &str = "SELECT COUNT(*) FROM (SELECT f.subject_id FROM flows f WHERE f.packed = 0 UNION SELECT a.subject_id FROM artifacts a) AS x";
/// Notes whose other party has no name of its own.
const NAMELESS: &str = "SELECT COUNT(*) FROM notas n WHERE n.tomador_nome <> '' AND NOT EXISTS \
     (SELECT 1 FROM parties p WHERE p.account_id = n.account_id AND p.documento = n.tomador_documento)";
/// Calls and credits of the first account until February the second.
const USED: [(&str, &str); 3] = [
    (
        "chamadas",
        "SELECT COUNT(*) FROM requests q JOIN accounts a ON a.id = q.account_id WHERE a.nome = 'Carga 1' AND q.created_at_ms < 1769990400000",
    ),
    (
        "debitado",
        "SELECT CAST(SUM(t.amount) AS BIGINT) FROM transfers t JOIN accounts a ON a.id = t.account_id WHERE a.nome = 'Carga 1' \
         AND t.kind IN ('post', 'direct') AND t.created_at_ms < 1769990400000",
    ),
    (
        "devolvido",
        "SELECT CAST(SUM(t.amount) AS BIGINT) FROM transfers t JOIN accounts a ON a.id = t.account_id WHERE a.nome = 'Carga 1' \
         AND t.kind = 'void' AND t.created_at_ms < 1769990400000",
    ),
];

/// January the 21st: the hub whose store it is has removed what is older.
const PURGED_MS: i64 = 1_768_964_400_000;
/// What such a hub has none of.
const GONE: [&str; 4] = [
    "SELECT COUNT(*) FROM idempotency_keys WHERE created_at_ms < 1768964400000",
    "SELECT COUNT(*) FROM deliveries WHERE created_at_ms < 1768964400000",
    "SELECT COUNT(*) FROM delivery_attempts WHERE at_ms < 1768964400000",
    "SELECT COUNT(*) FROM outbox o JOIN packed_records p ON p.subject_id = o.subject_id WHERE o.created_at_ms < 1768964400000",
];
/// Older events that no record tells yet.
const OLD_EVENTS: &str = "SELECT COUNT(*) FROM outbox WHERE created_at_ms < 1768964400000";

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
    let settings = |config: &mut Config| {
        config.accounts.gift_credits = 100_000;
        // It is packed here, not by the hub meanwhile.
        config.packing.after_hours = 0;
        config.packing.rows_after_days = 0;
    };
    let Some(target) = TestApp::start_with(backend, settings).await else {
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
    let mut plan = Plan {
        notes: NOTES,
        largest: 0.5,
        persons: 20_000,
        seed: 5,
        from_ms: FROM_MS,
        to_ms: TO_MS,
        batch: UNPACKED,
        threads: 4,
        packed_until_ms: None,
        purged: Purged {
            keys_ms: PURGED_MS,
            events_ms: PURGED_MS,
            uses_ms: FROM_MS,
        },
    };
    let mut models = copy::connect(&source.app.config.database_url())
        .await
        .expect("models");
    let mut conn = copy::connect(&target.app.config.database_url())
        .await
        .expect("target");
    // Stopped after a transaction, whose notes are too young to be packed; taken up again, and
    // then there is nothing left to do.
    let old = TO_MS + 86_400_000;
    for (go_on, until_ms, done) in [
        (false, FROM_MS - 1, UNPACKED),
        (true, old, NOTES),
        (true, old, NOTES),
    ] {
        plan.packed_until_ms = Some(until_ms);
        let filled = fill::fill(&mut models, &mut conn, &plan, &mut |_| go_on).await;
        assert_eq!(filled.expect("filled").done, done);
    }
    let notes = count(&target.app.db, "SELECT COUNT(*) FROM notas").await;
    assert_eq!(notes, i64::try_from(NOTES).expect("few"));
    for rows in ROWS {
        let found = count(&target.app.db, rows).await;
        assert!(found >= notes / 6, "{rows}: {found}");
    }
    for rows in GONE {
        assert_eq!(count(&target.app.db, rows).await, 0, "{rows}");
    }
    let unpacked = i64::try_from(UNPACKED).expect("few");
    let events = count(&target.app.db, OLD_EVENTS).await;
    assert!(events >= unpacked, "{events}");
    target.check_invariants().await;
    everything_is_counted(&target, &owners[0]).await;
    let as_issued = "SELECT COUNT(*) FROM notas WHERE packed = 0";
    assert_eq!(count(&target.app.db, as_issued).await, unpacked);
    everything_is_read(&target, &owners[0]).await;
    the_rest_is_packed(&target).await;
    everything_is_read(&target, &owners[0]).await;
    target.check_invariants().await;
}

/// Usage of the copies' month is what their rows say, however it is grouped, and all names are
/// known.
async fn everything_is_counted(app: &TestApp, owner: &NewAccount) {
    for group in ["dia", "operacao", "chave", "emitente"] {
        let path = format!("/api/v1/usage?de=2026-01-01&ate=2026-02-01&agrupar={group}");
        let request = app.http().get(format!("{}{path}", app.base_url));
        let usage = app.send(request.bearer_auth(&owner.live_key)).await;
        let items = usage.body["itens"].as_array().cloned().unwrap_or_default();
        assert!(
            items.len() > usize::from(group != "chave"),
            "{}",
            usage.text
        );
        for (figure, rows) in USED {
            let counted: i64 = items.iter().filter_map(|item| item[figure].as_i64()).sum();
            assert!(counted > 0, "{figure} by {group}: {}", usage.text);
            assert_eq!(
                counted,
                count(&app.app.db, rows).await,
                "{figure} by {group}"
            );
        }
    }
    assert_eq!(count(&app.app.db, NAMELESS).await, 0);
    // None: all names are known.
    let waiting = "SELECT COUNT(*) FROM party_fill WHERE done = 0";
    assert_eq!(count(&app.app.db, waiting).await, 0);
}

/// What was written unpacked is packed by the hub, and nothing else.
async fn the_rest_is_packed(app: &TestApp) {
    for rows in LEFT {
        assert_eq!(count(&app.app.db, rows).await, 0, "{rows}");
    }
    let records = count(&app.app.db, TO_PACK).await;
    assert!(
        records >= i64::try_from(UNPACKED).expect("few"),
        "{records}"
    );
    let (mut place, mut packed) = (Place::default(), 0);
    loop {
        let batch = archive::batch(&app.app.db, &mut place, i64::MAX).await;
        let batch = batch.expect("packed");
        assert_eq!((batch.lost, batch.failed), (0, 0));
        packed += batch.records;
        if batch.is_last {
            break;
        }
    }
    assert_eq!(i64::try_from(packed), Ok(records));
    assert_eq!(count(&app.app.db, TO_PACK).await, 0);
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
