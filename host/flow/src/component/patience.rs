//! A call's time on a busy machine.

use crate::engine::ticks;
use crate::host::StepHost;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;
use wasmtime::{StoreContextMut, UpdateDeadline};

/// How often a call that was kept from computing gets its time again: a hostile
/// one keeps its place no longer than three times its limit.
const EXTENSIONS: u32 = 2;

/// What happens when the time of a call is over: it ends, unless the processor
/// was busy with others and the call has not computed that long itself. Then it
/// gets what is left of its time again, at most [`EXTENSIONS`] times.
pub(super) fn of(
    limit_ms: u64,
) -> impl FnMut(StoreContextMut<'_, StepHost>) -> wasmtime::Result<UpdateDeadline> + Send + Sync {
    let limit = Duration::from_millis(limit_ms);
    let begun = computed();
    let mut extensions = 0;
    move |_| {
        let own = computed().saturating_sub(begun);
        if own >= limit || extensions == EXTENSIONS {
            return Ok(UpdateDeadline::Interrupt);
        }
        extensions += 1;
        Ok(UpdateDeadline::Continue(ticks(limit - own)))
    }
}

/// Processor time of this thread.
fn computed() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
