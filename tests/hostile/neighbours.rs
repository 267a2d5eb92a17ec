//! What a neighbour notices of a hostile city: measured through the whole
//! hub, printed as a ratio.

use crate::city::{Land, body};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tests::app::Backend;

/// Notes of the neighbour for each measurement.
const NOTES: usize = 8;
/// Customers that issue in the hostile city without a pause.
const HOSTILE: usize = 8;
/// Nothing here may take longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// Latencies of the neighbour's notes, one after the other, sorted.
async fn notes(land: &Land, key: &str, emitter: &str) -> Vec<Duration> {
    let mut latencies = Vec::new();
    for _ in 0..NOTES {
        let begun = Instant::now();
        let answer = land
            .app
            .post_as(key, "/api/v1/nfse", &body(emitter), None)
            .await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        latencies.push(begun.elapsed());
    }
    latencies.sort();
    latencies
}

/// Keeps a hostile city busy until told to stop.
async fn disturb(land: &Land, mode: &str, emitter: &str, stop: &AtomicBool, answered: &AtomicU64) {
    let begun = Instant::now();
    while !stop.load(Ordering::Relaxed) && begun.elapsed() < PATIENCE {
        let answer = if mode == "loop-once" {
            land.issue_open(emitter).await
        } else {
            land.issue(emitter).await
        };
        assert_ne!(answer.status, 201, "{}", answer.text);
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_neighbour_goes_on() {
    let land = Land::with_step(Backend::Sqlite, flow::Limits::default().step_ms)
        .await
        .expect("SQLite is always there");
    // An account of its own: the rate limit of one is not the other's.
    let account = hub::demo::open_account(&land.app.app, "Vizinho", 6_000)
        .await
        .expect("account");
    let emitter = land
        .app
        .emitter_of(&account.id, "11222333000181", "3106200")
        .await;
    notes(&land, &account.live_key, &emitter).await;
    let alone = notes(&land, &account.live_key, &emitter).await;
    let median = |latencies: &[Duration]| latencies[latencies.len() / 2].as_secs_f64() * 1_000.0;
    let worst = |latencies: &[Duration]| {
        latencies
            .last()
            .map_or(0.0, |last| last.as_secs_f64() * 1_000.0)
    };
    println!(
        "neighbour alone: median {:.0} ms, worst {:.0} ms",
        median(&alone),
        worst(&alone)
    );
    for mode in [
        "loop",
        "memory",
        "stack",
        "panic",
        "state-flood",
        "request",
        "wait",
        "send",
        "signs",
        "loop-once",
    ] {
        let hostile = land.emitter(mode).await;
        let (stop, answered) = (AtomicBool::new(false), AtomicU64::new(0));
        let pressure = futures::future::join_all(
            (0..HOSTILE).map(|_| disturb(&land, mode, &hostile, &stop, &answered)),
        );
        let measured = async {
            let latencies = notes(&land, &account.live_key, &emitter).await;
            stop.store(true, Ordering::Relaxed);
            latencies
        };
        let (_, beside) = tokio::join!(pressure, measured);
        println!(
            "beside {mode:<12} x{:<5.1} median {:.0} ms, worst {:.0} ms ({} hostile answers)",
            median(&beside) / median(&alone),
            median(&beside),
            worst(&beside),
            answered.load(Ordering::Relaxed)
        );
        assert!(
            beside.last().is_some_and(|last| *last < PATIENCE),
            "beside {mode}: {beside:?}"
        );
    }
    land.app.check_invariants().await;
}
