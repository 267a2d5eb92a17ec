//! Removes what the contract does not keep any longer: deliveries, then the events that have
//! none, some at a time.

use crate::parts::Events;
use std::convert::Infallible;
use store::TxError;
use store::ids::OutboxId;
use store::tables::deliveries;
use store::tables::outbox::{self, Old};

/// How often a node looks for what is old, and how long it pauses while there is more.
const EVERY_MS: i64 = 600_000;
const PAUSE_MS: i64 = 1_000;
/// Deliveries removed, or events looked at, at a time.
const PORTION: i64 = 1_000;
const DAY_MS: i64 = 24 * 3_600_000;

/// Where a node stands.
#[derive(Default)]
pub(super) struct Purge {
    /// When it looked last, epoch milliseconds, and how long it pauses since.
    looked_ms: i64,
    pause_ms: i64,
    /// When it began with the first event, epoch milliseconds.
    begun_ms: i64,
    /// The last event it looked at: what had to stay is not read again all the time.
    after: OutboxId,
}

impl Purge {
    /// Removes a portion when it is time for one.
    pub(super) async fn round(&mut self, app: &Events) -> anyhow::Result<()> {
        let now_ms = app.now_ms();
        // The wall clock may be set back, too.
        if (0..=self.pause_ms).contains(&(now_ms - self.looked_ms)) {
            return Ok(());
        }
        (self.looked_ms, self.pause_ms) = (now_ms, EVERY_MS);
        let before_ms = now_ms - app.config.webhooks.keep_days * DAY_MS;
        // An event goes after its deliveries.
        let more = old_deliveries(app, before_ms).await?
            || self.old_events(app, before_ms, now_ms).await?;
        if more {
            self.pause_ms = PAUSE_MS;
        }
        Ok(())
    }

    /// True: there may be more.
    async fn old_events(
        &mut self,
        app: &Events,
        before_ms: i64,
        now_ms: i64,
    ) -> anyhow::Result<bool> {
        if !(0..DAY_MS).contains(&(now_ms - self.begun_ms)) {
            // What had to stay yesterday may go now.
            (self.begun_ms, self.after) = (now_ms, OutboxId::default());
        }
        let mut conn = app.db.read().await?;
        let old = outbox::old(&mut conn, &self.after, before_ms, PORTION).await?;
        drop(conn);
        let Some(Old { last, many }) = old else {
            return Ok(false);
        };
        if many > 0 {
            let input = (self.after.clone(), last.clone(), before_ms);
            let removed = app.db.write(input, |(after, last, before_ms), conn| {
                Box::pin(async move {
                    let removed = outbox::purge(conn, after, last, *before_ms).await?;
                    Ok::<_, TxError<Infallible>>(removed)
                })
            });
            let removed = removed.await?;
            tracing::info!(removed, "old events were removed");
        }
        self.after = last;
        Ok(true)
    }
}

/// True: there may be more.
async fn old_deliveries(app: &Events, before_ms: i64) -> anyhow::Result<bool> {
    let removed = app.db.write(before_ms, |before_ms, conn| {
        Box::pin(async move {
            let removed = deliveries::purge(conn, *before_ms, PORTION).await?;
            Ok::<_, TxError<Infallible>>(removed)
        })
    });
    let removed = removed.await?;
    if removed > 0 {
        tracing::info!(removed, "old deliveries were removed");
    }
    Ok(i64::try_from(removed).is_ok_and(|removed| removed >= PORTION))
}
