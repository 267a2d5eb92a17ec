//! A thread of its own waits for each arrival: the runtime's timer has
//! milliseconds, which would be a part of what is measured.

use super::Run;
use super::mix::Operation;
use super::schedule::Schedule;
use crate::seeded::Seeded;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, Receiver};

/// Arrivals between the thread and the runtime.
const BETWEEN: usize = 10_000;

/// An operation that is due.
pub struct Arrival {
    pub operation: Operation,
    /// Its place in the run.
    pub number: u64,
    /// The name that its note has with its sender.
    pub reference: String,
    /// When it is due, since the run began.
    pub at: Duration,
    pub due: Instant,
}

/// Arrivals, each as it is due.
pub fn start(run: &Arc<Run>, name: &str) -> Receiver<Arrival> {
    let (told, due) = mpsc::channel(BETWEEN);
    let plan = &run.plan;
    let schedule = Schedule::new(plan.gaps, plan.rate, plan.seconds, plan.seed);
    let (begun, seed, mix, name) = (run.begun, plan.seed, plan.mix.clone(), name.to_owned());
    std::thread::spawn(move || {
        for (number, at) in (0_u64..).zip(schedule) {
            let due = begun + at;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let arrival = Arrival {
                operation: mix.draw(&mut Seeded::of(seed, number)),
                number,
                reference: format!("{name}-{number}"),
                at,
                due,
            };
            if told.blocking_send(arrival).is_err() {
                return;
            }
        }
    });
    due
}
