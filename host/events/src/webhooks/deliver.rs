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

/// The loop of a node.
pub async fn poll(app: Events) {
    let mut rounds = Rounds::called(&app, LOOK, Cause::Deliveries);
    let places = Arc::new(Semaphore::new(app.config.webhooks.at_once));
    let mut purge = Purge::default();
    loop {
        rounds.next().await;
        if let Err(error) = round(&app, &places, &mut purge).await {
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
