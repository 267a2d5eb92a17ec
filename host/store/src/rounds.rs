//! The rhythm of what a node does by itself.

use crate::Cause;
use crate::node::Node;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior};

/// A call after a time without calls begins a round at once. The next one waits so long for
/// others, from the beginning of that round on, and each further one twice as long, so that one
/// round takes what a burst of commits wrote.
const GATHER: Duration = Duration::from_millis(5);
/// The longest of these waits, where calls do not stop: a round costs statements, however little
/// it finds. After so long without a round that was called for, the next call waits for nobody.
const APART: Duration = Duration::from_millis(20);

/// The rounds of a loop.
pub struct Rounds {
    node: Node,
    tick: Interval,
    called: Option<watch::Receiver<()>>,
    /// When the last round began that was called for, and how long it had waited for others.
    last: Option<Instant>,
    waited: Duration,
}

impl Rounds {
    /// One at once, then one after each pause.
    pub fn every(node: &Node, pause: Duration) -> Rounds {
        let mut tick = tokio::time::interval(pause);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Rounds {
            node: node.clone(),
            tick,
            called: None,
            last: None,
            waited: Duration::ZERO,
        }
    }

    /// The same, and one at once when this process committed something of a kind, or soon where
    /// it does so again and again. What other processes commit, and what is due by the clock,
    /// waits for the pause.
    pub fn called(node: &Node, pause: Duration, cause: Cause) -> Rounds {
        Rounds {
            called: Some(node.db.hear(cause)),
            ..Rounds::every(node, pause)
        }
    }

    /// Waits for the next round; a node that drains begins none, nor one
    /// without a session, whose leases others may take.
    pub async fn next(&mut self) {
        loop {
            tokio::select! {
                _ = self.tick.tick() => {}
                () = call(self.called.as_mut()) => {
                    self.gather().await;
                    self.tick.reset();
                }
            }
            if let Some(called) = &mut self.called {
                // What was committed until now is found by this round.
                called.mark_unchanged();
            }
            if !self.node.draining.load(Ordering::Relaxed) && self.node.presence.stands() {
                return;
            }
        }
    }

    /// Waits for further calls, where there were some a short time ago.
    async fn gather(&mut self) {
        let recent = self.last.filter(|last| last.elapsed() < APART);
        self.waited = match recent {
            None => Duration::ZERO,
            Some(last) => {
                let wait = (self.waited * 2).clamp(GATHER, APART);
                tokio::time::sleep_until(last + wait).await;
                wait
            }
        };
        self.last = Some(Instant::now());
    }
}

/// Waits for a call, for ever where there are none.
async fn call(called: Option<&mut watch::Receiver<()>>) {
    if let Some(called) = called
        && called.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Starts `work`, in a task of its own, with each row that `claim` takes, as
/// long as there are places.
///
/// # Errors
/// A row could not be claimed; what began goes on.
pub async fn start<R, C, W>(
    places: &Arc<Semaphore>,
    claim: impl Fn() -> C,
    work: impl Fn(R) -> W,
) -> anyhow::Result<()>
where
    C: Future<Output = anyhow::Result<Option<R>>>,
    W: Future<Output = ()> + Send + 'static,
{
    while let Ok(place) = places.clone().try_acquire_owned() {
        let Some(row) = claim().await? else {
            break;
        };
        let work = work(row);
        tokio::spawn(async move {
            work.await;
            drop(place);
        });
    }
    Ok(())
}

/// The same, where `claim` takes all rows at once for which there are places: it is told how
/// many.
///
/// # Errors
/// The rows could not be claimed.
pub async fn start_all<R, C, W>(
    places: &Arc<Semaphore>,
    claim: impl FnOnce(usize) -> C,
    work: impl Fn(R) -> W,
) -> anyhow::Result<()>
where
    C: Future<Output = anyhow::Result<Vec<R>>>,
    W: Future<Output = ()> + Send + 'static,
{
    let free = u32::try_from(places.available_permits()).unwrap_or(u32::MAX);
    let Ok(mut held) = places.clone().try_acquire_many_owned(free) else {
        return Ok(());
    };
    if free == 0 {
        return Ok(());
    }
    for row in claim(held.num_permits()).await? {
        let place = held.split(1);
        let work = work(row);
        tokio::spawn(async move {
            work.await;
            drop(place);
        });
    }
    Ok(())
}
