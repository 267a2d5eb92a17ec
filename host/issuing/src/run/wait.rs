//! A call that waits for its document.

use crate::Issuing;
use crate::parts::notify::{Told, Watch};
use std::time::Duration;
use tokio::time::Instant;

/// Looks to be taken at a document: at once, at each change and at least
/// every `issuing.poll_ms`, because another node may have changed it.
pub struct Looks {
    watch: Watch,
    deadline: Instant,
    poll: Duration,
}

impl Looks {
    /// Looks at document `id` for at most `limit`.
    pub fn at(app: &Issuing, id: &str, limit: Duration) -> Looks {
        Looks::of(app, app.notifier.watch(id), limit)
    }

    /// The same, of a document that is watched already.
    pub fn of(app: &Issuing, watch: Watch, limit: Duration) -> Looks {
        Looks {
            watch,
            deadline: Instant::now() + limit,
            poll: Duration::from_millis(app.config.issuing.poll_ms),
        }
    }

    /// The answer, where this process has written it meanwhile: it need not be read.
    pub fn told(&self) -> Option<Told> {
        self.watch.told()
    }

    /// This process has changed nothing of it meanwhile.
    pub fn unchanged(&self) -> bool {
        self.watch.unchanged()
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
