//! Rows that were damaged in the database: nobody is told what is not theirs,
//! and nobody else waits.

use super::{deliveries, issuer, listed, register};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::Duration;
use store::TxError;
use store::ids::OutboxId;
use store::tables::deliveries::AttemptRow;
use store::tables::outbox::{self, OutboxRow};
use store::tables::webhooks::{self, WebhookRow};
use store::words::{Ambiente, Maybe};
use tests::receiver::Receiver;
use tests::{TestApp, both, events, on_sqlite};

const KIND: &str = "nfe.autorizada";

/// Changes the row of a webhook.
async fn damage(app: &TestApp, id: &str, change: fn(&mut WebhookRow)) {
    let written = app.app.db.write(id.to_owned(), move |id, conn| {
        Box::pin(async move {
            let mut row = webhooks::by_id(conn, &id.as_str().into())
                .await?
                .expect("a webhook");
            change(&mut row);
            let saved = webhooks::save(conn, &row).await?;
            Ok::<_, TxError<Infallible>>(saved)
        })
    });
    assert!(written.await.expect("written"));
}

/// An event of a company.
async fn event(app: &TestApp, emitter: &str, payload: &str) -> String {
    let row = OutboxRow {
        id: OutboxId::new(app.app.now_ms()),
        account_id: app.account_id.clone(),
        tipo: KIND.to_owned(),
        payload: payload.to_owned(),
        created_at_ms: app.app.now_ms(),
        emitter_id: Maybe::of(emitter),
        ambiente: Ambiente::Production.into(),
        ..OutboxRow::default()
    };
    let id = row.id.clone();
    let written = app.app.db.write(row, |row, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(outbox::insert(conn, row).await?) })
    });
    written.await.expect("written");
    id.into()
}

/// State of a webhook, as its owner sees it.
async fn shown(app: &TestApp, id: &str) -> Value {
    let answer = app.get(&format!("/api/v1/webhooks/{id}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// The attempts of a delivery, once there is one.
pub(super) async fn attempts(app: &TestApp, delivery: &str) -> Vec<AttemptRow> {
    for _ in 0..400 {
        let mut conn = app.app.db.read().await.expect("connection");
        let made = store::tables::deliveries::attempts(&mut conn, &delivery.into()).await;
        let made = made.expect("attempts");
        if !made.is_empty() {
            return made;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no attempt at {delivery}");
}

async fn gets_nothing(app: &TestApp, damaged: fn(&mut WebhookRow)) {
    let own = issuer(app).await;
    let [theirs, whole, other] = [
        Receiver::start().await,
        Receiver::start().await,
        Receiver::start().await,
    ];
    let (id, _) = register(app, &theirs, json!({ "emitente_ids": [own] })).await;
    register(app, &whole, json!({})).await;
    let neighbour = hub::demo::open_account(&app.app, "Outra conta", 6_000).await;
    let neighbour = neighbour.expect("account");
    let body = json!({ "url": other.url("/avisos"), "eventos": ["*"] });
    let key = &neighbour.live_key;
    let made = app.post_as(key, "/api/v1/webhooks", &body, None).await;
    assert_eq!(made.status, 201, "{}", made.text);
    damage(app, &id, damaged).await;

    let of_another = json!({ "nota_id": "nfe_1" }).to_string();
    let told = event(app, "emt_de_outra_empresa", &of_another).await;
    events::write(&app.app.db, &neighbour.id, app.app.now_ms(), 1).await;
    let got = whole.until(1).await.remove(0);
    assert_eq!(
        got.header("x-webhook-id"),
        told,
        "the account's other webhook"
    );
    other.until(1).await;
    assert_eq!(theirs.count(), 0, "another company's event");
    assert!(
        deliveries(app, &format!("?webhook_id={id}"))
            .await
            .is_empty()
    );
    let shown = shown(app, &id).await;
    assert_eq!(shown["ativo"], false, "{shown}");
    let why = shown["motivo_desativado"].as_str().unwrap_or_default();
    assert!(why.contains("não puderam ser lidas"), "{shown}");
}

both! {
    async fn a_webhook_whose_companies_are_damaged_gets_no_event_of_others(app: TestApp) {
        gets_nothing(&app, |row| row.emitente_ids = "[\"emt_".to_owned()).await;
    }
}

both! {
    async fn a_webhook_whose_kinds_are_damaged_gets_no_event(app: TestApp) {
        gets_nothing(&app, |row| row.eventos = String::new()).await;
    }
}

on_sqlite! {
    async fn an_event_that_is_damaged_is_not_sent_empty(app: TestApp) {
        issuer(&app).await;
        let receiver = Receiver::start().await;
        let (id, _) = register(&app, &receiver, json!({})).await;
        let damaged = event(&app, "", "{\"nota_id\":").await;
        let whole = event(&app, "", "{\"nota_id\":\"nfe_1\"}").await;
        let got = receiver.until(1).await.remove(0);
        assert_eq!(got.header("x-webhook-id"), whole);
        let log = listed(&app, &format!("?webhook_id={id}"), 2).await;
        let of = log.iter().find(|one| one["evento_id"] == damaged).expect("its delivery");
        let attempts = attempts(&app, of["id"].as_str().expect("an id")).await;
        let told = |attempt: &AttemptRow| attempt.status == 0 && attempt.error.contains("não pôde ser lido");
        assert!(attempts.iter().all(told), "{attempts:?}");
        assert_eq!(receiver.count(), 1, "sent once, and whole");
    }
}

both! {
    async fn choices_are_only_missing_where_the_reason_says_so(app: TestApp) {
        issuer(&app).await;
        let receiver = Receiver::start().await;
        let (id, _) = register(&app, &receiver, json!({})).await;
        let path = format!("/api/v1/webhooks/{id}");
        // Turned off by its owner, and damaged: no empty list that says "all".
        damage(&app, &id, |row| {
            row.ativo = 0;
            row.motivo = "desativado pelo cliente".to_owned();
            row.emitente_ids = "[\"emt_".to_owned();
        }).await;
        let answer = app.get(&path).await;
        assert_eq!(answer.summary(), "500 erro_interno", "{}", answer.text);
        damage(&app, &id, |row| row.motivo = ::events::dispatch::UNREADABLE.to_owned()).await;
        let shown = shown(&app, &id).await;
        assert_eq!((&shown["emitente_ids"], &shown["ativo"]), (&json!([]), &json!(false)));
        assert!(shown["motivo_desativado"].as_str().is_some_and(|why| why.contains("não puderam ser lidas")), "{shown}");
    }
}
