//! A turn of a webhook that a node has taken: sends what is due with a few connections, reads
//! on and writes results meanwhile, and gives the webhook back.

use crate::attempt::message::Made;
use crate::attempt::sealed;
use crate::attempt::{Outcome, Target};
use crate::parts::Events;
use base::config::Webhooks;
use base::faultpoint;
use base::metrics;
use futures::FutureExt as _;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use store::ids::WebhookId;
use store::tables::deliveries::{self, DeliveryRow, DeliveryStatus, Place};
use store::tables::webhooks::{self, WebhookRow};
use store::{Conn, DbResult, TxError};

/// Deliveries read at a time, and times before a webhook is given back so that others get
/// their turn. With fewer than `LOW` to send, the next are read.
const BATCH: usize = 64;
const READS: u32 = 16;
const LOW: usize = 16;
/// The same in time: a receiver that is slow on purpose holds a place no longer.
const TURN: Duration = Duration::from_secs(20);
/// Results that are worth a transaction, and how long the first of them waits. As many are
/// gathered again while these are written, and no more: what was sent and is not written when
/// a node dies is sent again.
const GROUP: usize = 16;
const GROUP_WAIT: Duration = Duration::from_millis(150);
/// A node that did not write for so long is taken for dead. An attempt takes
/// 15 s at most.
pub const LEASE_MS: i64 = 45_000;
const LEASE: Duration = Duration::from_secs(45);
/// Failures in a row after which a webhook rests, and for how long: it doubles
/// with each further one, up to the last.
const PATIENCE: i64 = 5;
const REST_MS: [i64; 5] = [60_000, 120_000, 240_000, 480_000, 900_000];
/// What could not be tried for so long while its webhook failed goes to the
/// failure queue: longer than the whole schedule takes.
const GIVE_UP_MS: i64 = 12 * 3_600_000;

/// What ends beside other things.
enum Step {
    Sent(Box<(DeliveryRow, Outcome)>),
    /// Whether the webhook is still this node's, and open.
    Written(bool),
    Read(Vec<(DeliveryRow, Made)>),
}

/// Where a turn stands.
struct Turn {
    webhook: WebhookRow,
    begun: Instant,
    /// False: nothing more is sent.
    going: bool,
    due: VecDeque<(DeliveryRow, Made)>,
    flying: usize,
    /// Results that nobody writes yet, and since when the first of them waits.
    done: Vec<(DeliveryRow, Outcome)>,
    oldest: Instant,
    /// Results that are being written.
    writing: usize,
    reading: bool,
    reads: u32,
    /// The last reading found as many as it may.
    full: bool,
    /// The last reading found nothing.
    empty: bool,
    /// What was read last. Nothing is read twice in a turn: a row that was sent and is not
    /// written yet still looks due.
    place: Place,
}

/// Sends what is due to a webhook this node has taken, and gives it back.
pub async fn serve(app: &Events, webhook: WebhookRow) -> anyhow::Result<()> {
    let sealed = sealed::open(&app.keyring, &webhook)?;
    let target = app.webhooks.target(&webhook, &sealed, app.now_ms()).await;
    let mut turn = Turn::of(webhook);
    turn.run(app, &target).await?;
    let released = app
        .db
        .write((turn.webhook, app.now_ms()), |(webhook, now_ms), conn| {
            Box::pin(async move {
                Ok::<_, TxError<Infallible>>(webhooks::release(conn, webhook, *now_ms).await?)
            })
        });
    Ok(released.await?)
}

impl Turn {
    fn of(webhook: WebhookRow) -> Turn {
        Turn {
            webhook,
            begun: Instant::now(),
            going: true,
            due: VecDeque::new(),
            flying: 0,
            done: Vec::new(),
            oldest: Instant::now(),
            writing: 0,
            reading: false,
            reads: 0,
            full: true,
            empty: false,
            place: Place::default(),
        }
    }

    async fn run(
        &mut self,
        app: &Events,
        target: &Result<Target<'_>, String>,
    ) -> anyhow::Result<()> {
        let mut steps: FuturesUnordered<BoxFuture<'_, anyhow::Result<Step>>> =
            FuturesUnordered::new();
        loop {
            self.going &= !app.draining.load(Ordering::Relaxed) && self.begun.elapsed() < TURN;
            while let Some((delivery, message)) = self.next_due(app) {
                self.flying += 1;
                steps.push(send(app, target, delivery, message).boxed());
            }
            if self.reads_on() {
                self.reading = true;
                self.reads += 1;
                let (id, place) = (self.webhook.id.clone(), self.place.clone());
                steps.push(read(app, id, place).boxed());
            }
            if self.writes_now() {
                self.writing = self.done.len();
                let done = std::mem::take(&mut self.done);
                self.rest(app.now_ms());
                steps.push(write(app, self.webhook.clone(), done).boxed());
            }
            if steps.is_empty() {
                return Ok(());
            }
            let next = tokio::time::timeout(self.patience(), steps.next()).await;
            // What is done should not wait for what is slow.
            if let Ok(Some(step)) = next {
                self.take(step?);
            }
        }
    }

    /// The next to send, if one may be sent now.
    fn next_due(&mut self, app: &Events) -> Option<(DeliveryRow, Made)> {
        let in_flight = app.config.webhooks.in_flight;
        // One that failed last time is tried with one connection first.
        let most = if self.webhook.failures > 0 {
            1
        } else {
            in_flight
        };
        let unwritten = self.flying + self.done.len() + self.writing;
        let may = self.going && self.flying < most && unwritten < 2 * GROUP + in_flight;
        may.then(|| self.due.pop_front()).flatten()
    }

    /// Whether it is time to read what is due next: before the last of it was sent, but for
    /// the few that arrive one by one.
    fn reads_on(&self) -> bool {
        let low = if self.full {
            self.due.len() < LOW
        } else {
            self.due.is_empty() && self.flying == 0
        };
        self.going && !self.reading && !self.empty && self.reads < READS && low
    }

    fn writes_now(&self) -> bool {
        let last = self.flying == 0 && (self.due.is_empty() || !self.going);
        let enough = self.done.len() >= GROUP || self.oldest.elapsed() >= GROUP_WAIT || last;
        self.writing == 0 && !self.done.is_empty() && enough
    }

    /// How long the next step may take before something else is to be done.
    fn patience(&self) -> Duration {
        if self.done.is_empty() || self.writing > 0 {
            LEASE
        } else {
            GROUP_WAIT.saturating_sub(self.oldest.elapsed())
        }
    }

    /// A webhook that failed often enough is left alone for a while.
    fn rest(&mut self, now_ms: i64) {
        let rest = usize::try_from(self.webhook.failures - PATIENCE).ok();
        if let Some(rest) = rest {
            self.webhook.cool_until_ms = now_ms + REST_MS[rest.min(REST_MS.len() - 1)];
        }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Sent(sent) => {
                self.flying -= 1;
                if self.done.is_empty() {
                    self.oldest = Instant::now();
                }
                if sent.1.delivered() {
                    self.webhook.failures = 0;
                } else {
                    self.webhook.failures += 1;
                    self.going &= self.webhook.failures < PATIENCE && !sent.1.gone();
                }
                self.done.push(*sent);
            }
            Step::Written(ours) => {
                self.writing = 0;
                self.going &= ours;
            }
            Step::Read(due) => {
                self.reading = false;
                self.full = due.len() >= BATCH;
                self.empty = due.is_empty();
                if let Some((last, _)) = due.last() {
                    self.place = Place {
                        due_ms: last.due_ms,
                        id: last.id.clone(),
                    };
                }
                self.due.extend(due);
            }
        }
    }
}

/// Reads what is due after a place.
async fn read(app: &Events, webhook: WebhookId, after: Place) -> anyhow::Result<Step> {
    let limit = i64::try_from(BATCH)?;
    let mut conn = app.db.read().await?;
    let due = deliveries::due(&mut conn, &webhook, app.now_ms(), &after, limit).await?;
    drop(conn);
    let ids: Vec<_> = due.iter().map(|delivery| &delivery.event_id).collect();
    let base_url = &app.config.server.base_url;
    let messages = &app.webhooks.messages;
    let mut messages = messages.of(&app.db, &ids, base_url).await?;
    let due = due.into_iter().map(|delivery| {
        let made = messages.remove(&delivery.event_id);
        // One that was left out would stay due for ever, and call this webhook for ever.
        let message = made.unwrap_or_else(|| absent(&delivery));
        (delivery, message)
    });
    Ok(Step::Read(due.collect()))
}

/// What is told of a delivery whose event is not there.
fn absent(delivery: &DeliveryRow) -> Made {
    tracing::error!(entrega.id = %delivery.id, evento.id = %delivery.event_id, "the event of a delivery is not there");
    Err("O evento desta entrega não existe mais.".to_owned())
}

async fn send(
    app: &Events,
    target: &Result<Target<'_>, String>,
    delivery: DeliveryRow,
    message: Made,
) -> anyhow::Result<Step> {
    faultpoint::hit("delivery");
    let outcome = app
        .webhooks
        .send(target, &delivery, &message, app.now_ms())
        .await;
    let result = match u16::try_from(outcome.attempt.status) {
        Ok(0) | Err(_) => "no_answer",
        Ok(status) => metrics::class(status),
    };
    metrics::WEBHOOK_ATTEMPTS.count([result]);
    faultpoint::hit("delivery, sent");
    Ok(Step::Sent(Box::new((delivery, outcome))))
}

/// Writes results, in one transaction.
async fn write(
    app: &Events,
    webhook: WebhookRow,
    done: Vec<(DeliveryRow, Outcome)>,
) -> anyhow::Result<Step> {
    let now_ms = app.now_ms();
    let gone = done.iter().any(|(_, outcome)| outcome.gone());
    let settled: Vec<_> = done
        .into_iter()
        .map(|(delivery, outcome)| {
            let delivery = settle(&app.config.webhooks, delivery, &outcome, now_ms);
            (delivery, outcome.attempt)
        })
        .collect();
    let input = (webhook, settled, gone, now_ms);
    let written = app
        .db
        .write(input, |(webhook, settled, gone, now_ms), conn| {
            Box::pin(async move {
                deliveries::save_all(conn, settled).await?;
                let ours = after(conn, webhook, *gone, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(ours)
            })
        });
    let ours = written.await?;
    faultpoint::hit("delivery, written");
    Ok(Step::Written(ours))
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
