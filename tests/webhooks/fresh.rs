//! Events that are sent before they have a delivery: what becomes of them when a webhook fails,
//! is changed, turned off or given back.

use super::damaged::attempts;
use super::{deliveries, listed, register, send};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::TxError;
use store::ids::{OutboxId, WebhookId};
use store::tables::deliveries::{DeliveryRow, id_of};
use store::tables::outbox;
use store::tables::webhooks::{self, WebhookRow};
use store::words::KeyKind;
use tests::app::Backend;
use tests::receiver::Receiver;
use tests::{TestApp, both, events};
use tokio::sync::Notify;

/// Longer than a test takes to change a webhook.
const SLOW: Duration = Duration::from_secs(8);

/// A receiver of all events of notes that holds what it gets, and its webhook with so many
/// events, some of which are on their way.
async fn held(app: &TestApp, many: usize) -> (Receiver, String) {
    let receiver = Receiver::start().await;
    receiver.delay(SLOW);
    let (id, _) = register(app, &receiver, json!({ "eventos": ["nfe.*"] })).await;
    events::write(&app.app.db, &app.account_id, app.app.now_ms(), many).await;
    // As many as are sent at the same time.
    receiver.until(app.app.config.webhooks.in_flight).await;
    // It holds those; others would find it quick.
    receiver.delay(Duration::ZERO);
    (receiver, id)
}

async fn change(app: &TestApp, id: &str, body: Value) {
    let path = format!("/api/v1/webhooks/{id}");
    let changed = send(app, "PATCH", &path, Some(&body)).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

/// Ids of the events that arrived.
fn arrived(receiver: &Receiver) -> BTreeSet<String> {
    let received = receiver.received();
    let ids = received
        .iter()
        .map(|got| got.header("x-webhook-id").to_owned());
    ids.collect()
}

both! {
    async fn a_delivery_appears_with_its_first_attempt(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = register(&app, &receiver, json!({ "eventos": ["nfe.*"] })).await;
        let told = events::write(&app.app.db, &app.account_id, app.app.now_ms(), 3).await;
        let list = listed(&app, &format!("?webhook_id={id}&status=entregue"), 3).await;
        let shown: BTreeSet<&str> = list.iter().filter_map(|one| one["evento_id"].as_str()).collect();
        assert_eq!(shown, told.iter().map(String::as_str).collect());
        for one in &list {
            let made = attempts(&app, one["id"].as_str().expect("an id")).await;
            assert_eq!((made.len(), &one["tentativas"]), (1, &json!(1)), "{one}");
            assert_eq!((made[0].number, made[0].status, made[0].answer.as_str()), (1, 200, "ok"));
            assert_eq!(one["proxima_tentativa_em"], Value::Null);
        }
        assert_eq!(receiver.count(), 3);
    }
}

both! {
    async fn of_many_events_those_that_fail_are_tried_again_and_each_arrives(app: TestApp) {
        let receiver = Receiver::start().await;
        receiver.answer(500);
        let (id, _) = register(&app, &receiver, json!({ "eventos": ["nfe.*"] })).await;
        let told = events::write(&app.app.db, &app.account_id, app.app.now_ms(), 300).await;
        receiver.until(1).await;
        // What waits for a webhook that fails is listed.
        listed(&app, &format!("?webhook_id={id}&status=pendente&limite=100"), 64).await;
        receiver.answer(200);
        let mut looks = 0;
        tests::until(async || {
            if looks % 40 == 0 {
                // Past a pause.
                app.ahead_ms.fetch_add(61_000, Ordering::Relaxed);
            }
            looks += 1;
            let waiting = deliveries(&app, "?status=pendente").await.len();
            let there = arrived(&receiver).len();
            if waiting == 0 && there == told.len() { Ok(()) } else { Err((waiting, there)) }
        })
        .await;
        assert_eq!(arrived(&receiver), told.into_iter().collect());
        assert_eq!(deliveries(&app, "?status=falhou").await, Vec::<Value>::new());
    }
}

both! {
    async fn what_was_told_before_a_change_of_choices_is_sent_after_it(app: TestApp) {
        let (receiver, id) = held(&app, 40).await;
        change(&app, &id, json!({ "eventos": ["nfse.*"] })).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 5).await;
        tests::until(async || match arrived(&receiver).len() {
            40 => Ok(()),
            other => Err(other),
        })
        .await;
        listed(&app, &format!("?webhook_id={id}&status=entregue&limite=100"), 40).await;
        assert_eq!(arrived(&receiver).len(), 40, "none of those it no longer asks for");
    }
}

/// Changes the address of a webhook that has 40 deliveries to make, some of which are on their way
/// to a server that holds them: nothing more goes there.
async fn moves(app: &TestApp, id: &str, old: &Receiver) {
    let on_their_way = app.app.config.webhooks.in_flight;
    old.until(on_their_way).await;
    let new = Receiver::start().await;
    change(app, id, json!({ "url": new.url("/avisos") })).await;
    let there = format!("?webhook_id={id}&status=entregue&limite=100");
    let list = listed(app, &there, 40).await;
    assert_eq!(arrived(&new).len(), 40);
    // What was on its way is answered now, and written down beside what became of it since.
    old.answer(201);
    old.release();
    tests::until(async || {
        let mut written = 0;
        for one in &list {
            let id = one["id"].as_str().expect("an id");
            let made = attempts(app, id).await;
            written += made.iter().filter(|made| made.status == 201).count();
        }
        if written >= on_their_way {
            Ok(())
        } else {
            Err(written)
        }
    })
    .await;
    assert_eq!(old.count(), on_their_way);
}

both! {
    async fn nothing_more_is_told_to_an_address_that_was_changed(app: TestApp) {
        let old = Receiver::start().await;
        old.hold();
        let (id, _) = register(&app, &old, json!({ "eventos": ["nfe.*"] })).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 40).await;
        moves(&app, &id, &old).await;
    }
}

both! {
    async fn no_delivery_that_waits_goes_to_an_address_that_was_changed(app: TestApp) {
        let old = Receiver::start().await;
        old.hold();
        // It is told of none of them by itself.
        let (id, _) = register(&app, &old, json!({ "eventos": ["nfse.*"] })).await;
        let now_ms = app.app.now_ms();
        let told = events::write(&app.app.db, &app.account_id, now_ms, 40).await;
        let webhook = WebhookId::from(id.as_str());
        let rows = told.iter().map(|event| {
            let event = OutboxId::from(event.as_str());
            DeliveryRow {
                id: id_of(&event, &webhook),
                account_id: app.account_id.clone(),
                kind: KeyKind::Live,
                webhook_id: webhook.clone(),
                event_id: event,
                tipo: "nfe.autorizada".to_owned(),
                due_ms: now_ms,
                ..DeliveryRow::default()
            }
        });
        let rows: Vec<DeliveryRow> = rows.collect();
        let made = app.app.db.write((webhook, rows, now_ms), |(webhook, rows, now_ms), conn| {
            Box::pin(async move {
                for row in rows {
                    store::tables::deliveries::insert(conn, row).await?;
                }
                Ok::<_, TxError<Infallible>>(webhooks::wake(conn, webhook, *now_ms).await?)
            })
        });
        made.await.expect("deliveries");
        moves(&app, &id, &old).await;
    }
}

both! {
    async fn what_waits_for_a_webhook_that_is_turned_off_fails_and_is_listed(app: TestApp) {
        let (_receiver, id) = held(&app, 40).await;
        change(&app, &id, json!({ "ativo": false })).await;
        let failed = deliveries(&app, &format!("?webhook_id={id}&status=falhou&limite=100")).await;
        assert_eq!(failed.len(), 40);
        // Nobody keeps these for it.
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 5).await;
        tests::until(async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let many = outbox::last(&mut conn, &app.account_id).await.expect("the last place");
            if many == 45 { Ok(()) } else { Err(many) }
        })
        .await;
        change(&app, &id, json!({ "ativo": true })).await;
        let told = events::write(&app.app.db, &app.account_id, app.app.now_ms(), 2).await;
        let list = listed(&app, &format!("?webhook_id={id}&status=entregue"), 2).await;
        let shown: BTreeSet<String> = list.iter().filter_map(|one| one["evento_id"].as_str().map(ToOwned::to_owned)).collect();
        assert_eq!(shown, told.into_iter().collect());
    }
}

both! {
    async fn what_waits_for_a_webhook_that_is_removed_can_be_read(app: TestApp) {
        let (_receiver, id) = held(&app, 40).await;
        let path = format!("/api/v1/webhooks/{id}");
        let removed = send(&app, "DELETE", &path, None).await;
        assert!(removed.status < 300, "{}", removed.text);
        let failed = deliveries(&app, &format!("?webhook_id={id}&status=falhou&limite=100")).await;
        assert_eq!(failed.len(), 40);
        assert!(failed.iter().all(|one| one["motivo"] == "webhook removido"), "{:?}", failed[0]);
    }
}

both! {
    async fn what_waits_for_a_server_that_is_gone_fails_and_is_listed(app: TestApp) {
        let receiver = Receiver::start().await;
        receiver.answer(410);
        let (id, _) = register(&app, &receiver, json!({ "eventos": ["nfe.*"] })).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 40).await;
        let list = listed(&app, &format!("?webhook_id={id}&status=falhou&limite=100"), 40).await;
        assert_eq!(list.len(), 40);
        let shown = app.get(&format!("/api/v1/webhooks/{id}")).await;
        assert_eq!((&shown.body["ativo"], &shown.body["motivo_desativado"]), (&json!(false), &json!("o servidor respondeu 410")));
    }
}

/// A node that finds nothing more for a webhook gives it back while another transaction has an
/// event for it: that one waits, and the webhook is due.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_comes_while_a_webhook_is_given_back_makes_it_due() {
    let Some(app) = TestApp::start(Backend::Postgres).await else {
        return;
    };
    let receiver = Receiver::start().await;
    let (id, _) = register(&app, &receiver, json!({ "eventos": ["nfe.*"] })).await;
    let id = WebhookId::from(id.as_str());
    // Long after what the hub's own loop looks for.
    let later_ms = app.app.now_ms() + 1_000_000_000;
    let row = app
        .app
        .db
        .write((id.clone(), later_ms), |(id, at_ms), conn| {
            Box::pin(async move {
                webhooks::wake(conn, id, *at_ms).await?;
                let rows = webhooks::claim(conn, "hub-teste", (9, 9), at_ms + 1, *at_ms).await?;
                Ok::<_, TxError<Infallible>>(rows)
            })
        });
    let row: WebhookRow = row.await.expect("a claim").remove(0);
    let (released, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let input = (row, later_ms, released.clone(), go_on.clone());
    let giving = app
        .app
        .db
        .write(input, |(row, now_ms, released, go_on), conn| {
            Box::pin(async move {
                assert_eq!(webhooks::release(conn, row).await?, Some(true));
                released.notify_one();
                go_on.notified().await;
                webhooks::set_next(conn, &row.id, *now_ms, row.made_upto, false).await?;
                Ok::<_, TxError<Infallible>>(())
            })
        });
    let waking = async {
        released.notified().await;
        // It asks for the row before the other transaction ends, or at its end.
        go_on.notify_one();
        let woken = app
            .app
            .db
            .write((id.clone(), later_ms), |(id, at_ms), conn| {
                Box::pin(async move {
                    Ok::<_, TxError<Infallible>>(webhooks::wake(conn, id, *at_ms).await?)
                })
            });
        woken.await
    };
    let (given, woken) = tokio::join!(giving, waking);
    given.expect("given back");
    woken.expect("woken");
    let mut conn = app.app.db.read().await.expect("connection");
    let row = webhooks::by_id(&mut conn, &id).await.expect("read");
    let row = row.expect("a webhook");
    assert_eq!((row.next_ms, row.lease_owner.as_str()), (later_ms, ""));
}

both! {
    async fn a_webhook_that_asked_for_none_of_many_events_is_not_left_behind(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = register(&app, &receiver, json!({ "eventos": ["nfse.*"] })).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 400).await;
        let id = WebhookId::from(id.as_str());
        tests::until(async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let row = webhooks::by_id(&mut conn, &id).await.expect("read");
            let upto = row.expect("a webhook").made_upto;
            if upto > 256 { Ok(()) } else { Err(upto) }
        })
        .await;
        assert_eq!(receiver.count(), 0);
    }
}
