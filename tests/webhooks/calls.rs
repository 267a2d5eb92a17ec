//! What a hub commits calls its loops. Here they have an hour until they would look by
//! themselves.

use super::register;
use futures::FutureExt as _;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use store::ids::WebhookId;
use store::rounds::Rounds;
use store::tables::outbox::{self, OutboxRow};
use store::tables::webhooks;
use store::{Cause, TxError};
use tests::app::Backend;
use tests::receiver::Receiver;
use tests::{TestApp, both, events};
use tokio::sync::Notify;

const HOUR: Duration = Duration::from_secs(3_600);
const PATIENCE: Duration = Duration::from_secs(60);

/// A loop that had its first round.
async fn waiting(app: &TestApp, cause: Cause) -> Rounds {
    let mut rounds = Rounds::called(&app.app, HOUR, cause);
    rounds.next().await;
    rounds
}

/// A round comes that no clock made.
async fn called(rounds: &mut Rounds) {
    let next = tokio::time::timeout(PATIENCE, rounds.next()).await;
    next.expect("a call");
}

/// No round comes. Another loop that is called four times, one after the other, has waited
/// longer by then than a call of this one would.
async fn not_called(app: &TestApp, rounds: &mut Rounds) {
    let mut other = waiting(app, Cause::Deliveries).await;
    let rest = async {
        for _ in 0..4 {
            let written = app.app.db.write((), |(), conn| {
                Box::pin(async move {
                    // Nobody's: only the call counts.
                    webhooks::wake(conn, &"whk_nenhum".into(), 0).await?;
                    Ok::<_, TxError<Infallible>>(())
                })
            });
            written.await.expect("written");
            called(&mut other).await;
        }
    };
    tokio::select! {
        biased;
        () = rounds.next() => panic!("a round that nobody called for"),
        () = rest => {}
    }
}

/// Writes an event and takes it back, as a transaction does that fails later.
async fn undo_an_event(app: &TestApp) {
    let row = OutboxRow {
        id: store::ids::OutboxId::new(app.app.now_ms()),
        account_id: app.account_id.clone(),
        ..OutboxRow::default()
    };
    let written = app.app.db.write(row, |row, conn| {
        Box::pin(async move {
            outbox::insert(conn, row).await?;
            Err::<(), _>(TxError::Abort("no"))
        })
    });
    assert!(matches!(written.await, Err(TxError::Abort("no"))));
}

both! {
    async fn a_committed_event_calls_the_loop_and_a_burst_is_one_round(app: TestApp) {
        let mut rounds = waiting(&app, Cause::Events).await;
        undo_an_event(&app).await;
        not_called(&app, &mut rounds).await;
        for _ in 0..30 {
            events::write(&app.app.db, &app.account_id, app.app.now_ms(), 1).await;
        }
        called(&mut rounds).await;
        not_called(&app, &mut rounds).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 1).await;
        called(&mut rounds).await;
    }
}

both! {
    async fn the_first_call_waits_for_no_other(app: TestApp) {
        let mut rounds = waiting(&app, Cause::Events).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 1).await;
        assert!(rounds.next().now_or_never().is_some(), "a round at once, with the answer");
    }
}

both! {
    async fn deliveries_that_are_made_call_who_sends_them(app: TestApp) {
        let receiver = Receiver::start().await;
        register(&app, &receiver, json!({})).await;
        let mut rounds = waiting(&app, Cause::Deliveries).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 3).await;
        called(&mut rounds).await;
        receiver.until(3).await;
    }
}

both! {
    async fn webhooks_are_taken_together_and_an_account_has_its_share(app: TestApp) {
        let receiver = Receiver::start().await;
        let other = hub::demo::open_account(&app.app, "Outra conta", 6_000).await.expect("account");
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(register(&app, &receiver, json!({})).await.0);
        }
        let body = json!({ "url": receiver.url("/"), "eventos": ["*"] });
        let made = app.post_as(&other.live_key, "/api/v1/webhooks", &body, None).await;
        ids.push(made.text_at("/id").to_owned());
        // Long after what the hub's own loop looks for, which nothing wakes meanwhile.
        let later_ms = app.app.now_ms() + 1_000_000_000;
        let written = app.app.db.write((ids.clone(), later_ms), |(ids, later_ms), conn| {
            Box::pin(async move {
                for (place, id) in (0..).zip(ids) {
                    webhooks::wake(conn, &id.as_str().into(), later_ms - 10 + place).await?;
                }
                let claims = [(2, 9), (2, 9), (9, 1), (9, 9)];
                let mut taken: Vec<Vec<String>> = Vec::new();
                for most in claims {
                    let rows = webhooks::claim(conn, "hub-teste", most, later_ms + 1, *later_ms).await?;
                    assert!(rows.iter().all(|row| row.lease_owner == "hub-teste" && row.fence == 1));
                    taken.push(rows.into_iter().map(|row| row.id.into()).collect());
                }
                webhooks::release_of(conn, "hub-teste").await?;
                Ok::<_, TxError<Infallible>>(taken)
            })
        });
        let mut taken = written.await.expect("claims");
        taken[0].sort();
        let mut first = vec![ids[0].clone(), ids[1].clone(), ids[3].clone()];
        first.sort();
        assert_eq!(taken, [first, vec![], vec![ids[2].clone()], vec![]]);
    }
}

/// Takes for a node what is due at a moment; the ids.
async fn taken(app: &TestApp, node: &'static str, at_ms: i64) -> Vec<String> {
    let written = app.app.db.write(at_ms, move |at_ms, conn| {
        Box::pin(async move {
            let rows = webhooks::claim(conn, node, (9, 9), at_ms + 1, *at_ms).await?;
            Ok::<_, TxError<Infallible>>(rows.into_iter().map(|row| row.id.into()).collect())
        })
    });
    written.await.expect("a claim")
}

/// A transaction that writes several webhooks, in its order, and a node that takes several, in
/// another, would wait for each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_takes_webhooks_that_nobody_writes_and_waits_for_none() {
    let Some(app) = TestApp::start(Backend::Postgres).await else {
        return;
    };
    let receiver = Receiver::start().await;
    let (one, other) = (
        register(&app, &receiver, json!({})).await.0,
        register(&app, &receiver, json!({})).await.0,
    );
    let later_ms = app.app.now_ms() + 1_000_000_000;
    let wake = async |id: &str, held: Arc<Notify>, end: Arc<Notify>| {
        let input = (WebhookId::from(id), later_ms, held, end);
        let written = app.app.db.write(input, |(id, at_ms, held, end), conn| {
            Box::pin(async move {
                webhooks::wake(conn, id, *at_ms).await?;
                held.notify_one();
                end.notified().await;
                Ok::<_, TxError<Infallible>>(())
            })
        });
        written.await.expect("written");
    };
    let (held, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    for id in [&one, &other] {
        end.notify_one();
        wake(id, held.clone(), end.clone()).await;
        held.notified().await;
    }
    let taking = async {
        held.notified().await;
        let first = tokio::time::timeout(PATIENCE, taken(&app, "hub-um", later_ms)).await;
        end.notify_one();
        first.expect("it waits for nobody")
    };
    let ((), first) = tokio::join!(wake(&one, held.clone(), end.clone()), taking);
    assert_eq!(first, [other]);
    assert_eq!(taken(&app, "hub-dois", later_ms).await, [one]);
}
