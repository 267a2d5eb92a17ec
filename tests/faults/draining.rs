//! A hub that is told to stop in the middle of its work.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use futures::future::join_all;
use tests::app::Backend;

const NOTES: usize = 16;

fn order(lane: &Lane, n: usize) -> Order {
    Order::issue(lane, City::National, format!("nota-{n}"))
}

/// Status of a page without a key; None when nobody listens.
async fn status(lane: &Lane, node: &Node, path: &str) -> Option<u16> {
    let asked = lane.http.get(format!("{}{path}", node.base_url)).send();
    Some(asked.await.ok()?.status().as_u16())
}

async fn stopped_in_traffic(backend: Backend) {
    let notice = [("HUB_SERVER_NOTICE_S", "10")];
    let Some(lane) = Lane::open_with(backend, &[City::National], &notice).await else {
        return;
    };
    let mut node = lane.node().await;
    lane.slow(500);
    assert_eq!(status(&lane, &node, "/pronto").await, Some(200));
    let orders: Vec<Order> = (0..NOTES).map(|n| order(&lane, n)).collect();
    // Half of the calls are at the authority when the signal comes; the other
    // half comes in the notice, when balancers do not know yet.
    let (early, late) = orders.split_at(NOTES / 2);
    let (early, late) = tokio::join!(
        join_all(early.iter().map(|order| order.send(&lane, &node))),
        async {
            lane.until("requests at the authority", async || {
                lane.sim.received() >= 4
            })
            .await;
            node.signal("TERM");
            lane.until("503 at /pronto", async || {
                status(&lane, &node, "/pronto").await == Some(503)
            })
            .await;
            assert_eq!(status(&lane, &node, "/saude").await, Some(200), "it lives");
            join_all(late.iter().map(|order| order.send(&lane, &node))).await
        }
    );
    let answers: Vec<_> = early.into_iter().chain(late).collect();
    for answer in &answers {
        let answer = answer.as_ref().expect("who was let in got an answer");
        assert!(matches!(answer.status, 201 | 202), "{}", answer.text);
    }
    let closed = answers.iter().flatten();
    let closed = closed.filter(|answer| answer.header("connection") == "close");
    assert!(
        closed.count() >= NOTES / 2,
        "connections end with their answer"
    );
    assert_eq!(node.ended().await, Some(0), "{}", lane.log());
    assert_eq!(status(&lane, &node, "/pronto").await, None);
    lane.sim.clear_faults();

    let next = lane.node().await;
    for (order, first) in orders.iter().zip(answers.into_iter().flatten()) {
        let last = order.insist(&lane, &next).await;
        assert_eq!(last.status, 201, "{}", last.text);
        if first.status == 201 {
            assert_eq!(first.text, last.text, "the same key, the same answer");
        }
    }
    lane.settled().await;
    assert_eq!(lane.sim.notas().len(), NOTES);
    lane.check("stopped in traffic").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_in_traffic_sqlite() {
    stopped_in_traffic(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_in_traffic_postgres() {
    stopped_in_traffic(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_ends_it_at_once() {
    let notice = [("HUB_SERVER_NOTICE_S", "300")];
    let lane = Lane::open_with(Backend::Sqlite, &[City::National], &notice).await;
    let lane = lane.expect("SQLite is always there");
    let mut node = lane.node().await;
    lane.slow(4_000);
    let order = order(&lane, 0);
    let (cut, ()) = tokio::join!(order.send(&lane, &node), async {
        lane.until("the request at the authority", async || {
            lane.sim.received() == 1
        })
        .await;
        node.signal("TERM");
        lane.until("503 at /pronto", async || {
            status(&lane, &node, "/pronto").await == Some(503)
        })
        .await;
        node.signal("TERM");
    });
    assert!(cut.is_none(), "it did not wait for the authority");
    assert_eq!(node.ended().await, Some(0), "{}", lane.log());
    lane.sim.clear_faults();
    let node = lane.node().await;
    let answer = order.insist(&lane, &node).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    lane.settled().await;
    assert_eq!(lane.sim.notas().len(), 1);
    lane.check("ended at once").await;
}

/// Whether this process, and so the hubs it starts, is to outlive its terminal.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_that_closes_cuts_nobody_off() {
    if ignores_hangups() {
        eprintln!("skipped: SIGHUP is ignored here");
        return;
    }
    let notice = [("HUB_SERVER_NOTICE_S", "3")];
    let lane = Lane::open_with(Backend::Sqlite, &[City::National], &notice).await;
    let lane = lane.expect("SQLite is always there");
    let mut node = lane.node().await;
    lane.slow(2_000);
    let order = order(&lane, 0);
    let (answer, ()) = tokio::join!(order.send(&lane, &node), async {
        lane.until("the request at the authority", async || {
            lane.sim.received() == 1
        })
        .await;
        node.signal("HUP");
        lane.until("503 at /pronto", async || {
            status(&lane, &node, "/pronto").await == Some(503)
        })
        .await;
        // The shell said it; now the kernel does.
        node.signal("HUP");
    });
    let answer = answer.expect("who was let in got an answer");
    assert!(matches!(answer.status, 201 | 202), "{}", answer.text);
    assert_eq!(node.ended().await, Some(0), "{}", lane.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_says_what_the_server_says() {
    let lane = Lane::open(Backend::Sqlite, &[]).await;
    let mut lane = lane.expect("SQLite is always there");
    let mut node = lane.node().await;
    let address = node.base_url.trim_start_matches("http://").to_owned();
    lane.set("HUB_SERVER_LISTEN", address);
    let (ready, said) = lane.command(&["health"]).await;
    assert!(ready && said.contains("ready"), "{said}");
    node.kill().await;
    let (ready, said) = lane.command(&["health"]).await;
    assert!(!ready && said.contains("does not answer"), "{said}");
}
