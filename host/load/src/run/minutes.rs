//! A line a minute, so that what grows is seen while it does.

use super::Run;
use super::report;
use super::resident::resident;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// Ends each minute of a run, until it is told to stop.
pub async fn count(run: Arc<Run>, say: fn(&str)) {
    let mut next = Instant::now() + MINUTE;
    loop {
        tokio::time::sleep_until(next).await;
        next += MINUTE;
        let memory = run.plan.processes.iter().map(|pid| (*pid, resident(*pid)));
        let memory = memory.collect();
        let minute = run.tally().end_minute(MINUTE.as_secs_f64(), memory);
        if run.plan.every_minute {
            say(&report::minute(&minute));
        }
    }
}
