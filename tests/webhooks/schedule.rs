//! When a delivery is attempted, with a clock that is moved by hand.

use super::{deliveries, register, send, until};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::TxError;
use store::ids::{AccountId, OutboxId};
use store::tables::deliveries::{self as table, AttemptRow, DeliveryRow, DeliveryStatus};
use store::tables::outbox::{self, OutboxRow};
use tests::app::Backend;
use tests::receiver::Receiver;
use tests::{TestApp, both, events, on_sqlite};

/// Moves the clock and lets the hub look at it.
async fn pass(app: &TestApp, ms: i64) {
    app.ahead_ms.fetch_add(ms, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(400)).await;
}

/// Has a test event delivered; the id of the delivery.
pub(super) async fn test_event(app: &TestApp, webhook: &str) -> String {
    let sent = send(
        app,
        "POST",
        &format!("/api/v1/webhooks/{webhook}/testar"),
        None,
    )
    .await;
    assert_eq!(sent.status, 202, "{}", sent.text);
    sent.text_at("/id").to_owned()
}

both! {
    async fn one_delivery_and_five_attempts_more_then_the_failure_queue(app: TestApp) {
        let receiver = Receiver::start().await;
        receiver.answer(500);
        let (webhook, _) = register(&app, &receiver, json!({})).await;
        let id = test_event(&app, &webhook).await;
        until(&app, &id, |d| d["tentativas"] == 1).await;
        app.stop_clock();
        for (made, pause_s) in [(1, 60), (2, 300), (3, 1_800), (4, 7_200), (5, 21_600)] {
            // The clock went on after the first attempt, until it was stopped.
            pass(&app, pause_s * 1_000 - 10_000).await;
            assert_eq!(receiver.count(), made, "too early after attempt {made}");
            pass(&app, 10_000).await;
            until(&app, &id, |d| d["tentativas"] == made + 1).await;
        }
        let given_up = until(&app, &id, |d| d["status"] == "falhou").await;
        assert_eq!(given_up["historico"].as_array().map(Vec::len), Some(6), "{given_up}");
        assert_eq!(given_up["proxima_tentativa_em"], Value::Null);
        pass(&app, 48 * 3_600_000).await;
        assert_eq!(receiver.count(), 6, "nothing after the last");
        let got = receiver.received();
        let numbers: Vec<&str> = got.iter().map(|one| one.header("x-webhook-attempt")).collect();
        assert_eq!(numbers, ["1", "2", "3", "4", "5", "6"]);
        assert!(got.iter().all(|one| one.header("x-webhook-id") == got[0].header("x-webhook-id") && one.body == got[0].body));
        let times: Vec<i64> = got.iter().map(|one| one.header("webhook-timestamp").parse().expect("seconds")).collect();
        assert!(times.is_sorted() && times[5] - times[0] >= 60 + 300 + 1_800 + 7_200 + 21_600, "each is signed anew: {times:?}");

        receiver.answer(200);
        let again = send(&app, "POST", &format!("/api/v1/webhooks/entregas/{id}/reenviar"), None).await;
        assert_eq!(again.status, 202, "{}", again.text);
        let delivered = until(&app, &id, |d| d["status"] == "entregue").await;
        assert_eq!(delivered["tentativas"], 7);
        assert_eq!(receiver.received()[6].header("x-webhook-id"), got[0].header("x-webhook-id"), "the same event");
        pass(&app, 91 * 24 * 3_600_000).await;
        let late = send(&app, "POST", &format!("/api/v1/webhooks/entregas/{id}/reenviar"), None).await;
        assert!(matches!(late.summary().as_str(), "410 entrega_expirada" | "404 nao_encontrado"), "{}", late.text);
    }
}

both! {
    async fn a_resent_delivery_has_its_whole_schedule_again(app: TestApp) {
        let receiver = Receiver::start().await;
        let (webhook, _) = register(&app, &receiver, json!({})).await;
        let id = test_event(&app, &webhook).await;
        until(&app, &id, |d| d["status"] == "entregue").await;
        receiver.answer(503);
        send(&app, "POST", &format!("/api/v1/webhooks/entregas/{id}/reenviar"), None).await;
        let waiting = until(&app, &id, |d| d["tentativas"] == 2).await;
        assert_eq!(waiting["status"], "pendente");
        let twice = send(&app, "POST", &format!("/api/v1/webhooks/entregas/{id}/reenviar"), None).await;
        assert_eq!(twice.summary(), "409 estado_invalido");
        pass(&app, 61_000).await;
        until(&app, &id, |d| d["tentativas"] == 3).await;
    }
}

on_sqlite! {
    async fn a_receiver_may_ask_for_more_time_within_reason(app: TestApp) {
        let receiver = Receiver::start().await;
        receiver.answer(429);
        receiver.add("retry-after: 999999\r\n");
        let (webhook, _) = register(&app, &receiver, json!({})).await;
        let id = test_event(&app, &webhook).await;
        until(&app, &id, |d| d["tentativas"] == 1).await;
        app.stop_clock();
        pass(&app, 110_000).await;
        assert_eq!(receiver.count(), 1, "twice the pause at most");
        pass(&app, 11_000).await;
        until(&app, &id, |d| d["tentativas"] == 2).await;
    }
}

on_sqlite! {
    async fn redirects_are_failures(app: TestApp) {
        let (target, receiver) = (Receiver::start().await, Receiver::start().await);
        receiver.answer(302);
        receiver.add(&format!("location: {}\r\n", target.url("/")));
        let (webhook, _) = register(&app, &receiver, json!({})).await;
        let id = test_event(&app, &webhook).await;
        let failed = until(&app, &id, |d| d["tentativas"] == 1).await;
        assert_eq!((&failed["status"], &failed["historico"][0]["resposta_status"]), (&json!("pendente"), &json!(302)));
        assert_eq!(target.count(), 0, "not followed");
    }
}

async fn slow(backend: Backend) {
    let change = |config: &mut base::config::Config| config.webhooks.timeout_ms = 300;
    let Some(app) = TestApp::start_with(backend, change).await else {
        return;
    };
    let receiver = Receiver::start().await;
    receiver.delay(Duration::from_secs(30));
    let (webhook, _) = register(&app, &receiver, json!({})).await;
    let id = test_event(&app, &webhook).await;
    let failed = until(&app, &id, |d| d["tentativas"] == 1).await;
    let attempt = &failed["historico"][0];
    assert_eq!(failed["status"], "pendente");
    assert_eq!(attempt["resposta_status"], json!(null), "{attempt}");
    assert!(
        !attempt["erro"].as_str().unwrap_or_default().is_empty(),
        "{attempt}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_answer_is_a_failure_on_sqlite() {
    slow(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_answer_is_a_failure_on_postgres() {
    slow(Backend::Postgres).await;
}

both! {
    async fn gone_turns_the_webhook_off(app: TestApp) {
        let receiver = Receiver::start().await;
        receiver.answer(410);
        let (webhook, _) = register(&app, &receiver, json!({})).await;
        let id = test_event(&app, &webhook).await;
        let failed = until(&app, &id, |d| d["status"] == "falhou").await;
        assert_eq!(failed["tentativas"], 1);
        let shown = app.get(&format!("/api/v1/webhooks/{webhook}")).await;
        assert_eq!((&shown.body["ativo"], &shown.body["motivo_desativado"]), (&json!(false), &json!("o servidor respondeu 410")));
        let again = send(&app, "POST", &format!("/api/v1/webhooks/entregas/{id}/reenviar"), None).await;
        assert_eq!(again.summary(), "409 estado_invalido");
        receiver.answer(200);
        let on = send(&app, "PATCH", &format!("/api/v1/webhooks/{webhook}"), Some(&json!({ "ativo": true }))).await;
        assert_eq!((on.status, &on.body["ativo"]), (200, &json!(true)), "{}", on.text);
        let all = send(&app, "POST", "/api/v1/webhooks/entregas/reenviar", Some(&json!({ "webhook_id": webhook }))).await;
        assert_eq!((all.status, &all.body["reenviadas"]), (202, &json!(1)), "{}", all.text);
        until(&app, &id, |d| d["status"] == "entregue").await;
    }
}

both! {
    async fn a_dead_webhook_rests_and_costs_nobody_else_anything(app: TestApp) {
        let (dead, healthy) = (Receiver::start().await, Receiver::start().await);
        dead.answer(500);
        let (id, _) = register(&app, &dead, json!({ "eventos": ["nfe.*"] })).await;
        register(&app, &healthy, json!({ "eventos": ["nfe.*"] })).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 200).await;
        healthy.until(200).await;
        app.until(&format!("/api/v1/webhooks/{id}"), |answer| answer.body["em_pausa_ate"].is_string()).await;
        let tried = dead.count();
        assert!((5..=12).contains(&tried), "{tried} attempts at the dead one");
        assert!(dead.most_open() <= 4, "{} connections", dead.most_open());
        // What waits is not tried before the pause is over, and says so.
        let rests = app.get(&format!("/api/v1/webhooks/{id}")).await;
        let until = rests.text_at("/em_pausa_ate");
        for one in deliveries(&app, &format!("?webhook_id={id}&status=pendente")).await {
            let next = one["proxima_tentativa_em"].as_str().expect("a moment");
            assert!(next >= until, "{until}: {one}");
        }
        // It comes back: everything arrives, though most of it was never tried.
        dead.answer(200);
        pass(&app, 61_000).await;
        dead.until(200).await;
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        loop {
            pass(&app, 60_000).await;
            if deliveries(&app, "?status=pendente").await.is_empty() {
                break;
            }
            assert!(std::time::Instant::now() < deadline, "some are still waiting");
        }
        assert_eq!(deliveries(&app, "?status=falhou").await, Vec::<Value>::new());
    }
}

both! {
    async fn what_is_never_taken_ends_in_the_failure_queue(app: TestApp) {
        let dead = Receiver::start().await;
        dead.answer(500);
        let (id, _) = register(&app, &dead, json!({ "eventos": ["nfe.*"] })).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 60).await;
        dead.until(5).await;
        for _ in 0..40 {
            pass(&app, 3_601_000).await;
        }
        let left = deliveries(&app, &format!("?webhook_id={id}&status=pendente&limite=100")).await;
        assert!(left.is_empty(), "{} wait still, after {} attempts", left.len(), dead.count());
        let failed = deliveries(&app, &format!("?webhook_id={id}&status=falhou&limite=100")).await;
        assert_eq!(failed.len(), 60);
        assert!(failed.iter().all(|one| one["motivo"].is_string()), "{:?}", failed[0]);
    }
}

/// A test event and its delivery, made at a moment.
fn made(account: &AccountId, at_ms: i64) -> (OutboxRow, DeliveryRow) {
    let event = OutboxRow {
        id: OutboxId::new(at_ms),
        account_id: account.clone(),
        created_at_ms: at_ms,
        teste: 1,
        ..OutboxRow::default()
    };
    let delivery = DeliveryRow {
        id: table::id_of(&event.id, &"whk_01J0000000000000000NENHUM1".into()),
        account_id: account.clone(),
        event_id: event.id.clone(),
        due_ms: at_ms,
        ..DeliveryRow::default()
    };
    (event, delivery)
}

both! {
    async fn old_deliveries_go_the_oldest_first_with_attempts_and_test_events(app: TestApp) {
        const DAY_MS: i64 = 24 * 3_600_000;
        let now_ms = app.app.now_ms();
        let rows = [10, 9, 1].map(|days| made(&app.account_id, now_ms - days * DAY_MS));
        let written = app.app.db.write((rows, now_ms), |(rows, now_ms), conn| {
            Box::pin(async move {
                // Not in the order of their ages.
                for (event, delivery) in rows.iter().rev() {
                    outbox::insert(conn, event).await?;
                    table::insert(conn, delivery).await?;
                }
                let tried = rows.iter().map(|(_, delivery)| {
                    let attempt = AttemptRow { delivery_id: delivery.id.clone(), number: 1, status: 500, ..AttemptRow::default() };
                    let delivery = DeliveryRow { status: DeliveryStatus::Failed, attempts: 1, motivo: "teste".to_owned(), ..delivery.clone() };
                    (delivery, attempt)
                });
                table::save_all(conn, &tried.collect::<Vec<_>>()).await?;
                let mut left = Vec::new();
                for _ in 0..3 {
                    let removed = table::purge(conn, now_ms - 5 * DAY_MS, 1).await?;
                    let mut there = Vec::new();
                    for (event, delivery) in rows {
                        let row = table::by_id(conn, &delivery.id).await?;
                        let failed = row.is_some_and(|row| row.status == DeliveryStatus::Failed && row.attempts == 1);
                        let attempts = table::attempts(conn, &delivery.id).await?.len();
                        let event = outbox::get(conn, &event.account_id, &event.id, "nenhum").await?.is_some();
                        assert!(attempts == usize::from(failed) && event == failed, "all of it or nothing");
                        there.push(failed);
                    }
                    left.push((removed, there));
                }
                Ok::<_, TxError<Infallible>>(left)
            })
        });
        let left = written.await.expect("written");
        assert_eq!(left, [
            (1, vec![false, true, true]),
            (1, vec![false, false, true]),
            (0, vec![false, false, true]),
        ]);
    }
}
