//! A call that waits for its document.

use crate::Issuing;
use crate::parts::notify::Watch;
use std::time::Duration;
use tokio::time::Instant;

/// Looks to be taken at a document: at once, at each change and at least
/// every `issuing.poll_ms`, because another node may have changed it.
pub struct Looks<'a> {
    watch: Watch<'a>,
    deadline: Instant,
    poll: Duration,
}

impl<'a> Looks<'a> {
    /// Looks at document `id` for at most `limit`.
    pub fn at(app: &'a Issuing, id: &str, limit: Duration) -> Looks<'a> {
        Looks {
            watch: app.notifier.watch(id),
            deadline: Instant::now() + limit,
            poll: Duration::from_millis(app.config.issuing.poll_ms),
        }
    }

    /// The next look is the last one.
    pub fn over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// When to look again. Make it before looking and await it after: a
    /// change in between counts.
    pub fn next(&self) -> impl Future<Output = ()> {
        let changed = self.watch.changed();
        let until = self.deadline.min(Instant::now() + self.poll);
        async move {
            let _either = tokio::time::timeout_at(until, changed).await;
        }
    }
}
