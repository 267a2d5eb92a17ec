//! Hubs killed again and again under load, while the authorities go on: every
//! note comes to its end soon after the last start, none is double, none lost.
//! `HUB_FAULT_KILLS` says how often.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use futures::future::join_all;
use sim::FaultKind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};
use tests::app::Backend;

/// Kills of a run nobody asked more of.
const KILLS: usize = 3;
/// Clients that send one note after another.
const CLIENTS: usize = 6;
/// What the authorities take for a note, milliseconds.
const AUTHORITY_MS: u64 = 200;
/// A hub lives between these, milliseconds.
const LIVES_MS: (u64, u64) = (400, 1_600);
/// Every note is final so soon after the last start.
const FINAL: Duration = Duration::from_secs(10);
const CITIES: [City; 2] = [City::National, City::Sefaz];

/// What the clients share.
struct Load {
    lane: Lane,
    /// Addresses of the hubs, dead ones too.
    hubs: RwLock<Vec<String>>,
    enough: AtomicBool,
    issued: AtomicUsize,
    cut: AtomicUsize,
}

impl Load {
    /// The address of a hub; a client that was cut off tries another.
    fn hub(&self, turn: usize) -> String {
        let hubs = self.hubs.read().unwrap_or_else(PoisonError::into_inner);
        hubs[turn % hubs.len()].clone()
    }

    fn moved(&self, place: usize, node: &Node) {
        let mut hubs = self.hubs.write().unwrap_or_else(PoisonError::into_inner);
        hubs[place].clone_from(&node.base_url);
    }

    /// Sends notes until it is enough, each until its answer is final; the
    /// longest a note took.
    async fn client(&self, number: usize) -> Duration {
        let mut longest = Duration::ZERO;
        let mut turn = number;
        for n in 0.. {
            if self.enough.load(Ordering::Relaxed) {
                break;
            }
            let city = CITIES[(number + n) % CITIES.len()];
            let order = Order::issue(&self.lane, city, format!("nota-{number}-{n}"));
            let begun = Instant::now();
            loop {
                match order.send_to(&self.lane, &self.hub(turn)).await {
                    Some(answer) if answer.status == 201 => break,
                    Some(answer) if answer.is_open() => {}
                    Some(answer) => panic!("{}\n{}", answer.text, self.lane.log()),
                    None => {
                        self.cut.fetch_add(1, Ordering::Relaxed);
                        turn += 1;
                    }
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            self.issued.fetch_add(1, Ordering::Relaxed);
            longest = longest.max(begun.elapsed());
        }
        longest
    }
}

/// How long hub number `n` lives: different each time, the same in every run.
fn life(n: usize) -> Duration {
    let (shortest, longest) = LIVES_MS;
    let spread = (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    Duration::from_millis(shortest + spread % (longest - shortest))
}

async fn killed_under_load(backend: Backend, nodes: usize) {
    let kills = std::env::var("HUB_FAULT_KILLS").ok();
    let kills = kills.and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let settings = [
        ("HUB_FLOW_WAIT_DIVISOR", "1"),
        ("HUB_ISSUING_POLL_MS", "500"),
    ];
    let Some(lane) = Lane::open_with(backend, &CITIES, &settings).await else {
        return;
    };
    lane.always("emitir", FaultKind::Lento, AUTHORITY_MS);
    lane.always("autorizar", FaultKind::Lento, AUTHORITY_MS);
    let mut hubs = join_all((0..nodes).map(|_| lane.node())).await;
    let load = Load {
        hubs: RwLock::new(hubs.iter().map(|hub| hub.base_url.clone()).collect()),
        lane,
        enough: AtomicBool::new(false),
        issued: AtomicUsize::new(0),
        cut: AtomicUsize::new(0),
    };
    let killer = async {
        let mut last_start = Instant::now();
        for kill in 0..kills {
            tokio::time::sleep(life(kill)).await;
            let place = kill % nodes;
            hubs[place].kill().await;
            hubs[place] = load.lane.node().await;
            last_start = Instant::now();
            load.moved(place, &hubs[place]);
        }
        load.enough.store(true, Ordering::Relaxed);
        last_start
    };
    let clients = join_all((0..CLIENTS).map(|number| load.client(number)));
    let (last_start, longest) = tokio::join!(killer, clients);
    load.lane.settled().await;
    let settled = last_start.elapsed();
    let issued = load.issued.load(Ordering::Relaxed);
    println!(
        "{backend:?}, {nodes} nodes, {kills} kills: {issued} notes, {} calls without an answer, the longest note took {:?}, all final {settled:?} after the last start",
        load.cut.load(Ordering::Relaxed),
        longest.iter().max().unwrap_or(&Duration::ZERO),
    );
    assert!(settled < FINAL, "{settled:?}\n{}", load.lane.log());
    assert!(issued > kills, "only {issued} notes");
    assert!(load.cut.load(Ordering::Relaxed) > 0, "nobody was cut off");
    assert_eq!(load.lane.sim.notas().len(), issued, "one document per note");
    let notas = load.lane.count("SELECT COUNT(*) FROM notas").await;
    assert_eq!(usize::try_from(notas).ok(), Some(issued), "none lost");
    load.lane.check("killed under load").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_hub_sqlite() {
    killed_under_load(Backend::Sqlite, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hubs_postgres() {
    killed_under_load(Backend::Postgres, 2).await;
}
