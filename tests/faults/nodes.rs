//! Two hubs on one PostgreSQL: what one leaves, the other finishes.

use crate::client::Order;
use crate::lane::{City, Lane};
use crate::sql::count;
use futures::future::join_all;
use tests::app::{Backend, TestApp};

const NOTES: usize = 24;
const LEASE: (&str, &str) = ("HUB_FLOW_LEASE_MS", "1000");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_of_a_killed_node_is_finished_by_the_other() {
    let Some(lane) = Lane::open_with(Backend::Postgres, &[City::National], &[LEASE]).await else {
        return;
    };
    let (mut one, other) = tokio::join!(lane.node(), lane.node());
    lane.slow(800);
    let orders: Vec<Order> = (0..NOTES)
        .map(|n| Order::issue(&lane, City::National, format!("nota-{n}")))
        .collect();
    let nodes = [&one, &other];
    let sent = join_all(
        orders
            .iter()
            .enumerate()
            .map(|(n, order)| order.send(&lane, nodes[n % 2])),
    );
    let in_flight = lane.until("requests at the authority", async || {
        lane.sim.received() >= 8
    });
    // The first half of the answers is on its way when one node dies.
    let answers = {
        let mut sent = std::pin::pin!(sent);
        tokio::select! {
            _ = &mut sent => panic!("the authority is too fast for this test"),
            () = in_flight => {}
        }
        one.signal("KILL");
        sent.await
    };
    one.died().await;
    lane.sim.clear_faults();
    assert!(answers.iter().any(Option::is_none), "somebody was cut off");
    let last = join_all(orders.iter().map(|order| order.insist(&lane, &other))).await;
    for (first, last) in answers.iter().zip(&last) {
        assert_eq!(last.status, 201, "{}\n{}", last.text, lane.log());
        if let Some(first) = first.as_ref().filter(|first| first.status == 201) {
            assert_eq!(first.text, last.text, "the same key, the same answer");
        }
    }
    lane.settled().await;
    assert_eq!(lane.sim.notas().len(), NOTES);
    lane.check("a node was killed").await;
}

/// A node may be frozen between two statements of a transaction: what it has
/// locked keeps the other nodes waiting until the server ends its session.
#[tokio::test]
async fn the_server_ends_a_session_that_stops_in_a_transaction() {
    let Some(app) = TestApp::start(Backend::Postgres).await else {
        return;
    };
    let milliseconds = "SELECT setting::bigint FROM pg_settings
         WHERE name = 'idle_in_transaction_session_timeout'";
    assert_eq!(count(&app.app.db, milliseconds).await, 10_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_slept_too_long_does_not_settle_twice() {
    let Some(lane) = Lane::open_with(Backend::Postgres, &[City::National], &[LEASE]).await else {
        return;
    };
    let (sleeper, other) = tokio::join!(lane.node(), lane.node());
    // Done before the lease is over.
    lane.slow(800);
    let order = Order::issue(&lane, City::National, "nota");
    let ((), first) = tokio::join!(
        async {
            lane.until("the request at the authority", async || {
                lane.sim.received() == 1
            })
            .await;
            sleeper.signal("STOP");
            lane.settled().await;
            // The other node asked, and found the note.
            let last = order.insist(&lane, &other).await;
            assert_eq!(last.status, 201, "{}\n{}", last.text, lane.log());
            // Its answer has long been waiting when the first node wakes.
            sleeper.signal("CONT");
        },
        order.send(&lane, &sleeper)
    );
    let first = first.expect("the sleeper answers in the end");
    assert_eq!(first.status, 201, "{}", first.text);
    lane.sim.clear_faults();
    let next = Order::issue(&lane, City::National, "outra")
        .insist(&lane, &sleeper)
        .await;
    assert_eq!(next.status, 201, "the sleeper works again: {}", next.text);
    lane.settled().await;
    assert!(
        lane.count("SELECT MAX(fence) FROM flows").await > 1,
        "the flow changed its owner"
    );
    assert_eq!(
        lane.count("SELECT COUNT(*) FROM outbox WHERE tipo = 'nfse.emitida'")
            .await,
        2,
        "one event per note"
    );
    assert_eq!(lane.sim.notas().len(), 2);
    lane.check("a node slept").await;
}
