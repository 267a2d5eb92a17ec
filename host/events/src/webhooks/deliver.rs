//! Sending what is due, a webhook at a time.
//!
//! A node takes a webhook by its lease, sends what is due with a few
//! connections, writes results in groups and gives it back. One that fails
//! again and again rests for a growing while: its events wait in the database
//! and cost nobody anything.

use crate::attempt::sealed::{self, Sealed};
use crate::attempt::{Outcome, Target};
use crate::parts::Events;
use base::config::Webhooks;
use base::faultpoint;
use base::metrics;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use store::rounds::{self, Rounds};
use store::tables::deliveries::{self, DeliveryRow, DeliveryStatus};
use store::tables::outbox::OutboxRow;
use store::tables::webhooks::{self, WebhookRow};
use store::{Conn, DbResult, TxError};
use tokio::sync::Semaphore;

/// How often a node looks for what is due.
const LOOK: Duration = Duration::from_millis(100);
/// The part of a node's places one account may have: a fourth.
const SHARE: usize = 4;
/// Deliveries read at a time, and rounds before a webhook is given back so
/// that others get their turn.
const BATCH: i64 = 64;
const ROUNDS: u32 = 16;
/// The same in time: a receiver that is slow on purpose holds a place no longer.
const TURN: Duration = Duration::from_secs(20);
/// Results written at a time, and how long the first of them waits.
const GROUP: usize = 32;
const GROUP_WAIT: Duration = Duration::from_millis(150);
/// A node that did not write for so long is taken for dead. An attempt takes
/// 15 s at most.
const LEASE_MS: i64 = 45_000;
const LEASE: Duration = Duration::from_secs(45);
/// Failures in a row after which a webhook rests, and for how long: it doubles
/// with each further one, up to the last.
const PATIENCE: i64 = 5;
const REST_MS: [i64; 5] = [60_000, 120_000, 240_000, 480_000, 900_000];
/// What could not be tried for so long while its webhook failed goes to the
/// failure queue: longer than the whole schedule takes.
const GIVE_UP_MS: i64 = 12 * 3_600_000;
/// How often old deliveries are removed, and how many at a time.
const PURGE_MS: i64 = 600_000;
const PURGE: i64 = 1_000;
const DAY_MS: i64 = 24 * 3_600_000;

/// The loop of a node.
pub async fn poll(app: Events) {
    let mut rounds = Rounds::every(&app, LOOK);
    let places = Arc::new(Semaphore::new(app.config.webhooks.at_once));
    let mut purged_ms = 0;
    loop {
        rounds.next().await;
        if let Err(error) = round(&app, &places, &mut purged_ms).await {
            tracing::error!(error = %format!("{error:#}"), "webhooks wait");
        }
    }
}

async fn round(app: &Events, places: &Arc<Semaphore>, purged_ms: &mut i64) -> anyhow::Result<()> {
    let work = |webhook: WebhookRow| {
        let app = app.clone();
        async move {
            let id = webhook.id.clone();
            if let Err(error) = serve(&app, webhook).await {
                tracing::error!(webhook.id = %id, error = %format!("{error:#}"), "a webhook is left to its lease");
            }
        }
    };
    rounds::start(places, || claim(app), work).await?;
    let now_ms = app.now_ms();
    if now_ms - *purged_ms > PURGE_MS {
        *purged_ms = now_ms;
        purge(app, now_ms).await?;
    }
    Ok(())
}

async fn claim(app: &Events) -> anyhow::Result<Option<WebhookRow>> {
    let now_ms = app.now_ms();
    let share = app.config.webhooks.at_once.div_ceil(SHARE);
    let share = i64::try_from(share).unwrap_or(i64::MAX);
    let mut conn = app.db.read().await?;
    if webhooks::due(&mut conn, share, now_ms).await? == 0 {
        return Ok(None);
    }
    drop(conn);
    let input = (app.name.clone(), share, now_ms + LEASE_MS, now_ms);
    let claimed = app
        .db
        .write(input, |(node, share, until_ms, now_ms), conn| {
            Box::pin(async move {
                let row = webhooks::claim(conn, node, *share, *until_ms, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(row)
            })
        });
    Ok(claimed.await?)
}

/// Sends what is due to a webhook this node has taken, and gives it back.
async fn serve(app: &Events, mut webhook: WebhookRow) -> anyhow::Result<()> {
    let sealed = sealed::open(&app.keyring, &webhook)?;
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        let mut conn = app.db.read().await?;
        let due = deliveries::due(&mut conn, &webhook.id, app.now_ms(), BATCH).await?;
        drop(conn);
        let due = due.into();
        if !batch(app, &mut webhook, &sealed, due, begun).await? || begun.elapsed() > TURN {
            break;
        }
    }
    let released = app
        .db
        .write((webhook, app.now_ms()), |(webhook, now_ms), conn| {
            Box::pin(async move {
                Ok::<_, TxError<Infallible>>(webhooks::release(conn, webhook, *now_ms).await?)
            })
        });
    Ok(released.await?)
}

/// Sends a batch; false when the webhook should be left alone.
async fn batch(
    app: &Events,
    webhook: &mut WebhookRow,
    sealed: &Sealed,
    mut due: VecDeque<(DeliveryRow, OutboxRow)>,
    begun: Instant,
) -> anyhow::Result<bool> {
    if due.is_empty() {
        return Ok(false);
    }
    let base_url = &app.config.server.base_url;
    let target = app
        .webhooks
        .target(webhook, sealed, base_url, app.now_ms())
        .await;
    let mut flying = FuturesUnordered::new();
    let mut done: Vec<(DeliveryRow, Outcome)> = Vec::new();
    let mut oldest = Instant::now();
    let mut going = true;
    loop {
        going &= !app.draining.load(Ordering::Relaxed) && begun.elapsed() < TURN;
        // One that failed last time is tried with one connection first.
        let most = if webhook.failures > 0 {
            1
        } else {
            app.config.webhooks.in_flight
        };
        while going
            && flying.len() < most
            && let Some((delivery, event)) = due.pop_front()
        {
            flying.push(send(app, &target, delivery, event));
        }
        let patience = if done.is_empty() { LEASE } else { GROUP_WAIT };
        let next = tokio::time::timeout(patience.saturating_sub(oldest.elapsed()), flying.next());
        match next.await {
            Ok(Some((delivery, outcome))) => {
                if done.is_empty() {
                    oldest = Instant::now();
                }
                if outcome.delivered() {
                    webhook.failures = 0;
                } else {
                    webhook.failures += 1;
                    going &= webhook.failures < PATIENCE && !outcome.gone();
                }
                done.push((delivery, outcome));
            }
            Ok(None) => break,
            // What is done should not wait for what is slow.
            Err(_) => {}
        }
        if done.len() >= GROUP || oldest.elapsed() >= GROUP_WAIT {
            going &= write(app, webhook, std::mem::take(&mut done)).await?;
            oldest = Instant::now();
        }
    }
    if !done.is_empty() {
        going &= write(app, webhook, done).await?;
    }
    Ok(going && webhook.cool_until_ms <= app.now_ms())
}

async fn send(
    app: &Events,
    target: &Result<Target<'_>, String>,
    delivery: DeliveryRow,
    event: OutboxRow,
) -> (DeliveryRow, Outcome) {
    faultpoint::hit("delivery");
    let outcome = app
        .webhooks
        .send(target, &delivery, &event, app.now_ms())
        .await;
    let result = match u16::try_from(outcome.attempt.status) {
        Ok(0) | Err(_) => "no_answer",
        Ok(status) => metrics::class(status),
    };
    metrics::WEBHOOK_ATTEMPTS.count([result]);
    faultpoint::hit("delivery, sent");
    (delivery, outcome)
}

/// Writes results; false when the webhook is another node's now, or closed.
async fn write(
    app: &Events,
    webhook: &mut WebhookRow,
    done: Vec<(DeliveryRow, Outcome)>,
) -> anyhow::Result<bool> {
    let now_ms = app.now_ms();
    let rest = usize::try_from(webhook.failures - PATIENCE).ok();
    if let Some(rest) = rest {
        webhook.cool_until_ms = now_ms + REST_MS[rest.min(REST_MS.len() - 1)];
    }
    let gone = done.iter().any(|(_, outcome)| outcome.gone());
    let settled: Vec<_> = done
        .into_iter()
        .map(|(delivery, outcome)| {
            let delivery = settle(&app.config.webhooks, delivery, &outcome, now_ms);
            (delivery, outcome.attempt)
        })
        .collect();
    let input = (webhook.clone(), settled, gone, now_ms);
    let written = app
        .db
        .write(input, |(webhook, settled, gone, now_ms), conn| {
            Box::pin(async move {
                for (delivery, attempt) in settled {
                    deliveries::save(conn, delivery, attempt).await?;
                }
                let ours = after(conn, webhook, *gone, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(ours)
            })
        });
    let ours = written.await?;
    faultpoint::hit("delivery, written");
    Ok(ours)
}

/// What results do to their webhook.
async fn after(conn: &mut Conn, webhook: &WebhookRow, gone: bool, now_ms: i64) -> DbResult<bool> {
    if gone {
        let reason = "o servidor respondeu 410";
        if webhooks::close(conn, webhook, reason, now_ms).await? {
            deliveries::give_up_all(conn, &webhook.id, reason, now_ms).await?;
        }
        return Ok(false);
    }
    if webhook.cool_until_ms > now_ms {
        let reason = "o servidor falhou durante todo o prazo das tentativas";
        deliveries::give_up_old(conn, &webhook.id, now_ms - GIVE_UP_MS, reason, now_ms).await?;
    }
    webhooks::progress(conn, webhook, now_ms + LEASE_MS).await
}

/// What an attempt makes of a delivery: delivered, due again, or given up.
fn settle(
    config: &Webhooks,
    mut delivery: DeliveryRow,
    outcome: &Outcome,
    now_ms: i64,
) -> DeliveryRow {
    delivery.attempts = outcome.attempt.number;
    delivery.updated_at_ms = now_ms;
    if outcome.delivered() {
        delivery.status = DeliveryStatus::Delivered;
        return delivery;
    }
    let made = usize::try_from(delivery.attempts - delivery.resent_after).unwrap_or(1);
    match config.schedule_s.pause_ms(made) {
        Some(pause_ms) => {
            // A receiver may ask for more time, within reason.
            let asked = outcome.retry_after_s.unwrap_or(0).saturating_mul(1_000);
            delivery.due_ms = now_ms + asked.clamp(pause_ms, pause_ms * 2);
        }
        None => {
            delivery.status = DeliveryStatus::Failed;
            delivery.motivo = format!("{made} tentativas sem sucesso");
        }
    }
    delivery
}

/// Removes deliveries older than the contract keeps.
async fn purge(app: &Events, now_ms: i64) -> anyhow::Result<()> {
    let before_ms = now_ms - app.config.webhooks.keep_days * DAY_MS;
    let removed = app.db.write(before_ms, |before_ms, conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(deliveries::purge(conn, *before_ms, PURGE).await?)
        })
    });
    let removed = removed.await?;
    if removed > 0 {
        tracing::info!(removed, "old deliveries were removed");
    }
    Ok(())
}
