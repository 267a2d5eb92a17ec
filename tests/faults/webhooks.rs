//! Events on their way to a customer's server while hubs die.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tests::app::Backend;
use tests::receiver::Receiver;

const LOCAL: [(&str, &str); 2] = [
    ("HUB_WEBHOOKS_ALLOW_HTTP", "true"),
    ("HUB_WEBHOOKS_ALLOW_NETS", "127.0.0.1"),
];

/// The result of the only event is committed.
const WRITTEN: &str = "delivery, written";

/// Registers a receiver; the id of its webhook.
async fn register(lane: &Lane, node: &Node, receiver: &Receiver) -> String {
    let request = lane
        .http
        .post(format!("{}/api/v1/webhooks", node.base_url))
        .bearer_auth(&lane.live_key)
        .header("content-type", "application/json")
        .body(json!({ "url": receiver.url("/"), "eventos": ["*"] }).to_string());
    let answer: Value = serde_json::from_str(
        &request
            .send()
            .await
            .expect("an answer")
            .text()
            .await
            .expect("a body"),
    )
    .expect("JSON");
    answer["id"].as_str().expect("a webhook").to_owned()
}

/// How often each event arrived.
fn arrivals(receiver: &Receiver) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for got in receiver.received() {
        *times
            .entry(got.header("x-webhook-id").to_owned())
            .or_default() += 1;
    }
    times
}

/// Dies at a point of an event's way; another hub takes it to its end.
async fn killed_at(backend: Backend, point: &str, most: usize) {
    let Some(lane) = Lane::open_with(backend, &[City::Sefaz], &LOCAL).await else {
        return;
    };
    let receiver = Receiver::start().await;
    let mut node = lane.node_dying_at(point).await;
    register(&lane, &node, &receiver).await;
    lane.arm();
    let order = Order::issue(&lane, City::Sefaz, "a-mesma");
    // The hub may die before or after its answer.
    drop(order.send(&lane, &node).await);
    node.died().await;
    lane.disarm();
    if point == WRITTEN && backend == Backend::Sqlite {
        let held = "SELECT COUNT(*) FROM webhooks WHERE lease_owner <> ''";
        assert_eq!(lane.count(held).await, 0, "given back with its result");
    }
    lane.expire_leases().await;
    let node = lane.node().await;
    assert_eq!(order.insist(&lane, &node).await.summary(), "201 autorizada");
    lane.told().await;
    let times = arrivals(&receiver);
    assert_eq!(times.len(), 1, "{point}: {times:?}");
    assert!(
        times.values().all(|&times| times <= most),
        "{point}: {times:?}"
    );
    assert_eq!(lane.count("SELECT COUNT(*) FROM outbox").await, 1);
    lane.check(point).await;
}

points! {
    dying_before_the_deliveries_are_durable "event, before its deliveries are durable" 1
    dying_before_sending "delivery" 1
    dying_after_sending "delivery, sent" 2
    dying_after_writing "delivery, written" 1
}

/// Events of the account.
async fn events(lane: &Lane, many: usize) -> BTreeSet<String> {
    let now_ms = base::when::system_clock()();
    let ids = tests::events::write(&lane.db, &lane.account_id, now_ms, many).await;
    ids.into_iter().collect()
}

async fn dying_again_and_again(backend: Backend) {
    let Some(lane) = Lane::open_with(backend, &[City::Sefaz], &LOCAL).await else {
        return;
    };
    let receiver = Receiver::start().await;
    receiver.delay(Duration::from_millis(2));
    let mut node = lane.node().await;
    register(&lane, &node, &receiver).await;
    let told = events(&lane, 1_500).await;
    let deaths = 5;
    for death in 1..=deaths {
        let goal = death * 200;
        lane.until("some deliveries", async || receiver.count() >= goal)
            .await;
        node.kill().await;
        lane.expire_leases().await;
        node = lane.node().await;
    }
    lane.told().await;
    let times = arrivals(&receiver);
    assert_eq!(
        times.keys().cloned().collect::<BTreeSet<_>>(),
        told,
        "all of them"
    );
    let twice: usize = times.values().map(|times| times - 1).sum();
    // What was sent and not yet written when a hub died: a group, and what flew.
    assert!(
        twice <= deaths * 40,
        "{twice} repeated after {deaths} deaths"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_event_is_lost_however_often_hubs_die_sqlite() {
    dying_again_and_again(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_event_is_lost_however_often_hubs_die_postgres() {
    dying_again_and_again(Backend::Postgres).await;
}

/// Two hubs on one database: each event is delivered once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hubs_deliver_each_event_once() {
    let Some(lane) = Lane::open_with(Backend::Postgres, &[City::Sefaz], &LOCAL).await else {
        return;
    };
    let receivers = [Receiver::start().await, Receiver::start().await];
    let (one, _other) = (lane.node().await, lane.node().await);
    for receiver in &receivers {
        register(&lane, &one, receiver).await;
    }
    let mut told = BTreeSet::new();
    for _ in 0..10 {
        told.extend(events(&lane, 100).await);
    }
    lane.told().await;
    for receiver in &receivers {
        let times = arrivals(receiver);
        assert_eq!(times.keys().cloned().collect::<BTreeSet<_>>(), told);
        assert!(times.values().all(|&times| times == 1), "twice by two hubs");
    }
    let places = lane
        .count("SELECT COUNT(DISTINCT sequencia) FROM outbox WHERE sequencia BETWEEN 1 AND 1000");
    assert_eq!(places.await, 1_000, "no place twice, none left out");
}
