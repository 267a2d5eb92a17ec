//! The rhythm of what a node does by itself.

use crate::node::Node;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Interval, MissedTickBehavior};

/// The rounds of a loop.
pub struct Rounds {
    node: Node,
    tick: Interval,
}

impl Rounds {
    /// One at once, then one after each pause.
    pub fn every(node: &Node, pause: Duration) -> Rounds {
        let mut tick = tokio::time::interval(pause);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Rounds {
            node: node.clone(),
            tick,
        }
    }

    /// Waits for the next round; a node that drains begins none, nor one
    /// without a session, whose leases others may take.
    pub async fn next(&mut self) {
        loop {
            self.tick.tick().await;
            if !self.node.draining.load(Ordering::Relaxed) && self.node.presence.stands() {
                return;
            }
        }
    }
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
