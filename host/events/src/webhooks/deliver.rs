//! Which webhooks a node delivers to.
//!
//! A node takes webhooks by their leases, as many as it has places for, and serves each in a
//! turn of its own ([`super::work`]). One that fails again and again rests for a growing while:
//! its events wait in the database and cost nobody anything.

use super::purge::Purge;
use super::work::{self, LEASE_MS};
use crate::parts::Events;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use store::rounds::{self, Rounds};
use store::tables::webhooks::{self, WebhookRow};
use store::{Cause, TxError};
use tokio::sync::Semaphore;

/// How often a node looks for what is due by the clock, or by a commit of others; its own
/// commits call.
const LOOK: Duration = Duration::from_millis(100);
/// The part of a node's places one account may have: a fourth.
const SHARE: usize = 4;
/// How often a node looks for webhooks whose account has events that nobody looked at for them:
/// most did not ask for these. A node of the version before, which knows of deliveries only, leaves
/// such events behind.
const BEHIND_MS: i64 = 60_000;

/// The loop of a node.
pub async fn poll(app: Events) {
    let mut rounds = Rounds::called(&app, LOOK, Cause::Deliveries);
    let places = Arc::new(Semaphore::new(app.config.webhooks.at_once));
    let mut purge = Purge::default();
    let mut looked_ms = 0;
    loop {
        rounds.next().await;
        let round = async {
            wake_behind(&app, &mut looked_ms).await?;
            round(&app, &places, &mut purge).await
        };
        if let Err(error) = round.await {
            tracing::error!(error = %format!("{error:#}"), "webhooks wait");
        }
    }
}

async fn round(app: &Events, places: &Arc<Semaphore>, purge: &mut Purge) -> anyhow::Result<()> {
    let turn = |webhook: WebhookRow| {
        let app = app.clone();
        async move {
            let id = webhook.id.clone();
            if let Err(error) = work::serve(&app, webhook).await {
                tracing::error!(webhook.id = %id, error = %format!("{error:#}"), "a webhook is left to its lease");
            }
        }
    };
    rounds::start_all(places, |free| claim(app, free), turn).await?;
    purge.round(app).await
}

/// Makes webhooks due that are behind their account's order, when it is time to look for them.
async fn wake_behind(app: &Events, looked_ms: &mut i64) -> anyhow::Result<()> {
    let now_ms = app.now_ms();
    // The wall clock may be set back, too.
    if (0..BEHIND_MS).contains(&(now_ms - *looked_ms)) {
        return Ok(());
    }
    *looked_ms = now_ms;
    let woken = app.db.write(now_ms, |now_ms, conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(webhooks::wake_behind(conn, *now_ms).await?)
        })
    });
    woken.await?;
    Ok(())
}

/// Takes the webhooks that have waited longest, in one transaction.
async fn claim(app: &Events, free: usize) -> anyhow::Result<Vec<WebhookRow>> {
    let now_ms = app.now_ms();
    let bounded = |many: usize| i64::try_from(many).unwrap_or(i64::MAX);
    let share = bounded(app.config.webhooks.at_once.div_ceil(SHARE));
    let mut conn = app.db.read().await?;
    if webhooks::due(&mut conn, share, now_ms).await? == 0 {
        return Ok(Vec::new());
    }
    drop(conn);
    let most = (share, bounded(free));
    let input = (app.name.clone(), most, now_ms + LEASE_MS, now_ms);
    let claimed = app.db.write(input, |(node, most, until_ms, now_ms), conn| {
        Box::pin(async move {
            let rows = webhooks::claim(conn, node, *most, *until_ms, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(rows)
        })
    });
    Ok(claimed.await?)
}
