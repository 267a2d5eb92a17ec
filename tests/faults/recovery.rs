//! A note comes to its end long before the lease of the hub that worked on it
//! runs out, after that hub is gone: with the pauses and looks of production.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use sim::FaultKind;
use std::time::{Duration, Instant};
use tests::app::Backend;

/// The settings a hub has when nobody changes them, but for the lease: it is
/// so long that a note which waited for its end is told from one that did not,
/// however slow the machine is.
const PRODUCTION: [(&str, &str); 3] = [
    ("HUB_FLOW_WAIT_DIVISOR", "1"),
    ("HUB_FLOW_LEASE_MS", "600000"),
    ("HUB_ISSUING_POLL_MS", "500"),
];

/// How long a repeated request may take: far less than the lease, far more
/// than the second or two that it takes on a machine with nothing else to do.
const WITHIN: Duration = Duration::from_secs(30);

fn emission(city: City) -> &'static str {
    match city {
        City::Sefaz => "autorizar",
        _ => "emitir",
    }
}

/// Sends, and kills the hub while the authority has the request.
async fn killed_in_flight(lane: &Lane, order: &Order, city: City, node: &mut Node) {
    lane.order(emission(city), FaultKind::Lento);
    let (cut, ()) = tokio::join!(order.send(lane, node), async {
        lane.until("the request at the authority", async || {
            lane.sim.received() >= 1
        })
        .await;
        node.signal("KILL");
    });
    assert!(cut.is_none(), "the answer left before the hub died");
    node.died().await;
}

/// Repeats until the answer is final; how long it took.
async fn repeated(lane: &Lane, order: &Order, node: &Node) -> Duration {
    let begun = Instant::now();
    let answer = order.insist(lane, node).await;
    let took = begun.elapsed();
    assert_eq!(answer.status, 201, "{}\n{}", answer.text, lane.log());
    took
}

async fn after_a_restart(backend: Backend, city: City) {
    let Some(lane) = Lane::open_with(backend, &[city], &PRODUCTION).await else {
        return;
    };
    let order = Order::issue(&lane, city, "a-mesma");
    let mut node = lane.node().await;
    killed_in_flight(&lane, &order, city, &mut node).await;
    let node = lane.node().await;
    let took = repeated(&lane, &order, &node).await;
    assert!(took < WITHIN, "{took:?}\n{}", lane.log());
    assert_eq!(lane.sim.notas().len(), 1);
    lane.check("killed while the authority worked").await;
}

macro_rules! restarted {
    ($($name:ident: $backend:ident, $city:ident;)+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            after_a_restart(Backend::$backend, City::$city).await;
        })+
    };
}

restarted! {
    a_restart_answers_a_repeated_nfse_at_once_sqlite: Sqlite, National;
    a_restart_answers_a_repeated_nfe_at_once_sqlite: Sqlite, Sefaz;
    a_restart_answers_a_repeated_nfse_at_once_postgres: Postgres, National;
    a_restart_answers_a_repeated_nfe_at_once_postgres: Postgres, Sefaz;
}

async fn beside_a_dead_node(city: City) {
    let Some(lane) = Lane::open_with(Backend::Postgres, &[city], &PRODUCTION).await else {
        return;
    };
    let order = Order::issue(&lane, city, "a-mesma");
    let (mut one, other) = tokio::join!(lane.node(), lane.node());
    killed_in_flight(&lane, &order, city, &mut one).await;
    let took = repeated(&lane, &order, &other).await;
    assert!(took < WITHIN, "{took:?}\n{}", lane.log());
    assert_eq!(lane.sim.notas().len(), 1);
    lane.check("one of two nodes was killed").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_s_nfse_is_taken_as_soon_as_its_connection_is_gone() {
    beside_a_dead_node(City::National).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_s_nfe_is_taken_as_soon_as_its_connection_is_gone() {
    beside_a_dead_node(City::Sefaz).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stops_gives_its_leases_back() {
    let settings = [&PRODUCTION[..], &[("HUB_SERVER_DRAIN_S", "1")]].concat();
    let city = City::National;
    let Some(lane) = Lane::open_with(Backend::Postgres, &[city], &settings).await else {
        return;
    };
    // The authority takes longer than the hub waits when it stops.
    lane.slow(5_000);
    let order = Order::issue(&lane, city, "a-mesma");
    let mut node = lane.node().await;
    let (_cut, ()) = tokio::join!(order.send(&lane, &node), async {
        lane.until("the request at the authority", async || {
            lane.sim.received() == 1
        })
        .await;
        let owned = "SELECT COUNT(*) FROM flows WHERE lease_owner <> ''";
        assert_eq!(lane.count(owned).await, 1);
        node.signal("TERM");
    });
    assert_eq!(node.ended().await, Some(0), "{}", lane.log());
    let owned = "SELECT COUNT(*) FROM flows WHERE lease_owner <> '' AND phase <> 'done'";
    assert_eq!(lane.count(owned).await, 0, "{}", lane.log());
    lane.sim.clear_faults();
    let node = lane.node().await;
    let took = repeated(&lane, &order, &node).await;
    assert!(took < WITHIN, "{took:?}\n{}", lane.log());
    lane.settled().await;
    assert_eq!(lane.sim.notas().len(), 1);
    lane.check("a node stopped amid a sending").await;
}

/// The server ends the session that says a node lives, and nothing else of it.
const CUT_OFF: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND application_name = 'hub-presence'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_lost_its_session_but_lives_settles_nothing_twice() {
    let city = City::National;
    let Some(lane) = Lane::open_with(Backend::Postgres, &[city], &PRODUCTION).await else {
        return;
    };
    lane.slow(1_500);
    let orders: Vec<Order> = (0..6)
        .map(|n| Order::issue(&lane, city, format!("nota-{n}")))
        .collect();
    let (one, other) = tokio::join!(lane.node(), lane.node());
    let nodes = [&one, &other];
    let sent = futures::future::join_all(
        orders
            .iter()
            .enumerate()
            .map(|(n, order)| order.send(&lane, nodes[n % 2])),
    );
    let (answers, ()) = tokio::join!(sent, async {
        lane.until("requests at the authority", async || {
            lane.sim.received() >= 6
        })
        .await;
        assert_eq!(lane.count(CUT_OFF).await, 2, "each node has a session");
    });
    for answer in answers {
        let answer = answer.expect("both nodes live");
        assert_eq!(answer.status, 201, "{}\n{}", answer.text, lane.log());
    }
    lane.sim.clear_faults();
    lane.settled().await;
    assert_eq!(lane.sim.notas().len(), 6);
    assert_eq!(
        lane.count("SELECT COUNT(*) FROM outbox WHERE tipo = 'nfse.emitida'")
            .await,
        6,
        "one event per note"
    );
    // Both have a session again, and issue.
    let sessions = "SELECT COUNT(*) FROM pg_stat_activity \
         WHERE datname = current_database() AND application_name = 'hub-presence'";
    lane.until("two sessions", async || lane.count(sessions).await == 2)
        .await;
    for (n, node) in nodes.into_iter().enumerate() {
        let next = Order::issue(&lane, city, format!("outra-{n}"));
        assert_eq!(next.insist(&lane, node).await.status, 201, "{}", lane.log());
    }
    lane.check("sessions were cut off").await;
}

impatient! {
    async fn a_node_without_a_session_sends_nothing(app: TestApp) {
        app.emitter("11222333000181", City::National.ibge()).await;
        app.app.presence.leave(&app.app.db).await.expect("left");
        let answer = app.post("/api/v1/nfse", &tests::bodies::nfse()).await;
        assert_eq!(answer.summary(), "202 em_transmissao", "{}", answer.text);
        assert_eq!(app.app.simulator.sim.received(), 0, "others may have its flows");
        app.check_invariants().await;
    }
}
