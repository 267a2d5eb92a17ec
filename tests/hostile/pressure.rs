//! Many hostile adapters at once: how long, how much memory, how many
//! threads.

use crate::stage::{Stage, ok, run_on};
use flow::{Limits, Loaded};
use futures::future::join_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Nothing here may take longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_lives_as_long_as_configured() {
    for step_ms in [50, 250, 1_000] {
        let stage = Stage::new(Limits {
            step_ms,
            ..Limits::default()
        });
        let component = stage.load("loop");
        let begun = Instant::now();
        let ended = run_on(&stage, &component, ok()).await;
        let took = begun.elapsed();
        println!(
            "deadline of {step_ms} ms: stopped after {} ms",
            took.as_millis()
        );
        assert!(
            ended
                .failure()
                .0
                .contains(&format!("longer than {step_ms} ms"))
        );
        assert!(
            took >= Duration::from_millis(step_ms),
            "stopped early: {took:?}"
        );
        assert!(took < PATIENCE, "{took:?}");
    }
}

/// Latencies of a good adapter's flows, one after the other, until told to
/// stop or until there are enough.
async fn neighbour(stage: &Stage, good: &Arc<Loaded>, stop: &AtomicBool) -> Vec<Duration> {
    let mut latencies = Vec::new();
    while latencies.len() < 2_000 && (latencies.len() < 5 || !stop.load(Ordering::Relaxed)) {
        let begun = Instant::now();
        let ended = run_on(stage, good, ok()).await;
        assert!(ended.outcome.is_ok(), "{:?}", ended.outcome);
        latencies.push(begun.elapsed());
    }
    latencies.sort();
    latencies
}

fn ms(latency: &Duration) -> f64 {
    latency.as_secs_f64() * 1_000.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loops_do_not_starve_the_neighbour() {
    let stage = Stage::new(Limits::default());
    let good = stage.load("good");
    let alone = neighbour(&stage, &good, &AtomicBool::new(true)).await;
    let one = vec![stage.load("loop")];
    let four: Vec<_> = ["loop", "loop-1", "loop-2", "loop-3"]
        .iter()
        .map(|mode| stage.load(mode))
        .collect();
    for (what, loops) in [("one component", one), ("four components", four)] {
        let stop = AtomicBool::new(false);
        let begun = Instant::now();
        let hostile = async {
            let flows = (0..32).map(|n| run_on(&stage, &loops[n % loops.len()], ok()));
            let ended = join_all(flows).await;
            stop.store(true, Ordering::Relaxed);
            ended
        };
        let (ended, beside) = tokio::join!(hostile, neighbour(&stage, &good, &stop));
        assert!(
            ended
                .iter()
                .all(|one| one.failure().0.contains("longer than 250 ms"))
        );
        let (median, worst) = (&beside[beside.len() / 2], beside.last().expect("latencies"));
        println!(
            "32 loops of {what}, {} ms in all; a good flow: median {:.1} ms, worst {:.1} ms, x{:.1} (alone: median {:.1} ms)",
            begun.elapsed().as_millis(),
            ms(median),
            ms(worst),
            ms(median) / ms(&alone[alone.len() / 2]),
            ms(&alone[alone.len() / 2]),
        );
        assert!(*worst < PATIENCE, "the neighbour finished in {worst:?}");
        assert!(
            begun.elapsed() < PATIENCE,
            "all of it in {:?}",
            begun.elapsed()
        );
    }
}

/// Bytes of this process, by a field of /proc; None on other systems.
fn memory(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1_024)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_stays_bounded() {
    let limits = Limits::default();
    let stage = Stage::new(limits.clone());
    let modes = ["memory", "state-flood", "yes-flood", "yes-large", "request"];
    let components: Vec<_> = modes.iter().map(|mode| stage.load(mode)).collect();
    let before = memory("VmRSS");
    let flows = (0..200).map(|n| run_on(&stage, &components[n % components.len()], ok()));
    let ended = join_all(flows).await;
    assert!(ended.iter().all(|one| one.outcome.is_err()));
    let (peak, after) = (memory("VmHWM"), memory("VmRSS"));
    let (Some(before), Some(peak), Some(after)) = (before, peak, after) else {
        println!("skipped: no /proc/self/status here");
        return;
    };
    // Each that computes: its memory, what one call copies out, and what is
    // made of it; beside them the other tests of this process.
    let one = (limits.memory_bytes + 3 * limits.transfer_bytes) as u64;
    let bound = limits.computing as u64 * one + (512 << 20);
    println!(
        "200 flows that want all memory: {} MiB before, at most {} MiB, {} MiB after; bound {} MiB more",
        before >> 20,
        peak >> 20,
        after >> 20,
        bound >> 20
    );
    assert!(
        peak.saturating_sub(before) < bound,
        "{} MiB more",
        (peak - before) >> 20
    );
}

#[test]
fn loops_leave_threads_for_others() {
    let limits = Limits::default();
    // Four more blocking threads than adapters may hold.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(limits.computing + 4)
        .enable_all()
        .build()
        .expect("runtime");
    runtime.block_on(async {
        let stage = Stage::new(limits);
        let loops: Vec<_> = ["loop", "loop-1", "loop-2", "loop-3"]
            .iter()
            .map(|mode| stage.load(mode))
            .collect();
        let over = Arc::new(AtomicUsize::new(0));
        let flows: Vec<_> = (0..64)
            .map(|n| {
                let (stage, component, over) =
                    (stage.clone(), loops[n % loops.len()].clone(), over.clone());
                tokio::spawn(async move {
                    run_on(&stage, &component, ok()).await;
                    over.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        let begun = Instant::now();
        // Somebody else's blocking work, ten times, while they loop.
        for _ in 0..10 {
            tokio::task::spawn_blocking(|| ()).await.expect("a thread");
        }
        let seen = over.load(Ordering::Relaxed);
        println!(
            "ten pieces of blocking work beside 64 loops: {:.1} ms, {seen} loops over by then",
            ms(&begun.elapsed())
        );
        assert!(seen < 64, "the work did not wait for all of them");
        for flow in flows {
            flow.await.expect("a flow");
        }
        assert_eq!(over.load(Ordering::Relaxed), 64);
    });
}
