//! Time of this adapter's calls when it runs natively: `calls CASE PLAYS`
//! prints the number of calls and their nanoseconds. `hub bench` compares
//! them with the same calls in the sandbox.

use sdk::cassette::{self, Mode};
use sdk::{Adapter, Context, Event, Operacao, Step};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

static CALLS: AtomicU64 = AtomicU64::new(0);
static NS: AtomicU64 = AtomicU64::new(0);

fn timed(call: impl FnOnce() -> Step) -> Step {
    let begun = Instant::now();
    let step = call();
    let ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
    NS.fetch_add(ns, Ordering::Relaxed);
    CALLS.fetch_add(1, Ordering::Relaxed);
    step
}

fn start(op: Operacao, ctx: Context) -> Step {
    timed(|| (adapter_dps::adapter().start)(op, ctx))
}

fn resume(state: Vec<u8>, event: Event, ctx: Context) -> Step {
    timed(|| (adapter_dps::adapter().resume)(state, event, ctx))
}

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (Some(case), Some(plays)) = (arguments.next(), arguments.next()) else {
        return Err("usage: calls CASE PLAYS".to_owned());
    };
    let plays: u32 = plays
        .parse()
        .map_err(|_| format!("{plays}: not a number"))?;
    let adapter = Adapter {
        describe: adapter_dps::adapter().describe,
        permissions: adapter_dps::adapter().permissions,
        start,
        resume,
    };
    for _ in 0..plays {
        cassette::play(Path::new(&case), adapter, Mode::Play)?;
    }
    println!(
        "{} {}",
        CALLS.load(Ordering::Relaxed),
        NS.load(Ordering::Relaxed)
    );
    Ok(())
}
