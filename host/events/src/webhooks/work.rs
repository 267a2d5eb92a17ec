//! A turn of a webhook that a node has taken: sends what is due and then what is fresh with a few
//! connections, reads on and writes results meanwhile, and gives the webhook back.

use super::fresh;
use crate::attempt::message::Made;
use crate::attempt::sealed;
use crate::attempt::{Outcome, Target};
use crate::parts::Events;
use base::config::Webhooks;
use base::faultpoint;
use base::metrics;
use futures::FutureExt as _;
use futures::StreamExt as _;
use futures::future::{BoxFuture, Either, select};
use futures::stream::FuturesUnordered;
use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use store::tables::deliveries::{self, DeliveryRow, DeliveryStatus, Place, Tried, Wanted};
use store::tables::outbox;
use store::tables::webhooks::{self, WebhookRow};
use store::{Conn, DbResult, TxError};
use tokio::time::sleep;

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
/// How long a webhook is taken for unchanged that was so when this node asked. Changes that this
/// process makes are known at once ([`crate::attempt::Sender::changes`]).
const SURE: Duration = Duration::from_millis(250);
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

/// A delivery to make, and what is sent.
struct Due {
    delivery: DeliveryRow,
    /// Of an event that has no delivery yet: its place in the account's order. 0: the delivery is
    /// a row.
    fresh: i64,
    message: Made,
}

/// A delivery that was tried, and what came of it.
struct Sent {
    delivery: DeliveryRow,
    fresh: i64,
    outcome: Outcome,
}

/// Where reading goes on: first along the deliveries that are due, then along the events that
/// have none, and never back. What is due meanwhile is for the next turn: a delivery that another
/// transaction makes of an event which is on its way here looks due.
#[derive(Clone)]
enum Next {
    Rows(Place),
    /// After this place of the account's order.
    Fresh(i64),
}

/// That a webhook was found as this turn knows it: the changes that its process had made before
/// it was asked. None: it was changed, turned off or removed, or another node has it.
type Held = Option<u64>;

/// What ends beside other things.
enum Step {
    Sent(Box<Sent>),
    Written(Held),
    /// None: as [`Held`], and nothing was read.
    Read(Option<Reading>),
    Asked(Held),
}

/// What was read.
struct Reading {
    due: Vec<Due>,
    next: Next,
    /// As [`Held`], where something is due.
    changes: u64,
}

/// What is due, each with the place of its event where it has no row, and where reading goes on.
type Places = (Vec<(DeliveryRow, i64)>, Next);

/// Where a turn stands.
struct Turn {
    webhook: WebhookRow,
    begun: Instant,
    /// False: nothing more is sent.
    going: bool,
    /// When the webhook was found unchanged last, and the changes that this process had made
    /// before. What waits to be sent was read for the address, the secrets and the choices of
    /// then.
    sure: (Instant, u64),
    /// Whether that is being asked.
    asking: bool,
    due: VecDeque<Due>,
    flying: usize,
    /// Results that nobody writes yet, and since when the first of them waits.
    done: Vec<Sent>,
    oldest: Instant,
    /// Results that are being written.
    writing: usize,
    /// With these, the webhook is given back.
    released: bool,
    reading: bool,
    reads: u32,
    /// The last reading found as many as it may.
    full: bool,
    /// The last reading found nothing.
    empty: bool,
    /// What was read last. Nothing is read twice in a turn: a row that was sent and is not
    /// written yet still looks due.
    next: Next,
    /// Places of fresh events that were read and are not written: below the first of them, all
    /// that this turn read has a delivery.
    unwritten: BTreeSet<i64>,
}

/// Sends what is due to a webhook this node has taken, and gives it back.
pub async fn serve(app: &Events, webhook: WebhookRow) -> anyhow::Result<()> {
    let sealed = match sealed::open(&app.keyring, &webhook) {
        Ok(sealed) => sealed,
        Err(error) => {
            make_all(app, webhook).await?;
            return Err(error);
        }
    };
    let target = app.webhooks.target(&webhook, &sealed, app.now_ms()).await;
    let wanted = match fresh::wanted(&webhook) {
        Ok(wanted) => wanted,
        Err(error) => {
            tracing::error!(webhook.id = %webhook.id, %error, "a webhook is turned off");
            return close(app, webhook).await;
        }
    };
    let mut turn = Turn::of(webhook);
    turn.run(app, &target, &wanted).await?;
    if turn.released {
        return Ok(());
    }
    turn.made();
    let input = (turn.webhook, wanted, app.now_ms());
    let released = app.db.write(input, |(webhook, wanted, now_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(release(conn, webhook, wanted, *now_ms).await?)
        })
    });
    Ok(released.await?)
}

/// Makes the deliveries of a webhook that nothing can be sent to, so that lists show what waits.
async fn make_all(app: &Events, webhook: WebhookRow) -> anyhow::Result<()> {
    let made = app
        .db
        .write((webhook, app.now_ms()), |(webhook, now_ms), conn| {
            Box::pin(async move {
                let upto = outbox::held(conn, &webhook.account_id).await?;
                Ok::<_, TxError<Infallible>>(
                    fresh::make_before_change(conn, webhook, upto, *now_ms).await?,
                )
            })
        });
    Ok(made.await?)
}

/// Gives a webhook back that was taken. It is due at once if its account has events for it that
/// have no delivery; if it failed, those deliveries are made, so that lists show them.
async fn release(
    conn: &mut Conn,
    webhook: &WebhookRow,
    wanted: &Wanted,
    now_ms: i64,
) -> DbResult<()> {
    let Some(active) = webhooks::release(conn, webhook).await? else {
        return Ok(());
    };
    let upto = outbox::last(conn, &webhook.account_id).await?;
    let places = (webhook.made_upto, upto);
    let mut left = false;
    if active && upto > webhook.made_upto {
        if webhook.failures > 0 {
            fresh::make(conn, webhook, wanted, upto, now_ms).await?;
        } else {
            let first = deliveries::fresh(conn, webhook, places, wanted, 1).await?;
            left = !first.is_empty();
        }
    }
    let made_upto = if left || !active {
        webhook.made_upto
    } else {
        upto
    };
    webhooks::set_next(conn, &webhook.id, now_ms, made_upto, left).await
}

/// Turns off and gives back a webhook whose choices cannot be read.
async fn close(app: &Events, webhook: WebhookRow) -> anyhow::Result<()> {
    let closed = app
        .db
        .write((webhook, app.now_ms()), |(webhook, now_ms), conn| {
            Box::pin(async move {
                fresh::close_unreadable(conn, webhook, *now_ms).await?;
                if webhooks::release(conn, webhook).await?.is_some() {
                    let made_upto = webhook.made_upto;
                    webhooks::set_next(conn, &webhook.id, *now_ms, made_upto, false).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
    Ok(closed.await?)
}

impl Turn {
    fn of(webhook: WebhookRow) -> Turn {
        Turn {
            webhook,
            begun: Instant::now(),
            going: true,
            // Whatever is read says it anew.
            sure: (Instant::now(), 0),
            asking: false,
            due: VecDeque::new(),
            flying: 0,
            done: Vec::new(),
            oldest: Instant::now(),
            writing: 0,
            released: false,
            reading: false,
            reads: 0,
            full: true,
            empty: false,
            next: Next::Rows(Place::default()),
            unwritten: BTreeSet::new(),
        }
    }

    async fn run(
        &mut self,
        app: &Events,
        target: &Result<Target<'_>, String>,
        wanted: &Wanted,
    ) -> anyhow::Result<()> {
        let mut steps: FuturesUnordered<BoxFuture<'_, anyhow::Result<Step>>> =
            FuturesUnordered::new();
        let mut timer = pin!(sleep(LEASE));
        loop {
            self.going &= !app.draining.load(Ordering::Relaxed) && self.begun.elapsed() < TURN;
            while let Some(due) = self.next_due(app) {
                self.flying += 1;
                steps.push(send(app, target, due).boxed());
            }
            if self.may_send(app) && !self.due.is_empty() && !self.asking {
                self.asking = true;
                steps.push(ask(app, self.webhook.clone()).boxed());
            }
            if self.reads_on() {
                self.reading = true;
                self.reads += 1;
                let (webhook, next) = (self.webhook.clone(), self.next.clone());
                steps.push(read(app, webhook, wanted, next).boxed());
            }
            if self.writes_now() {
                self.writing = self.done.len();
                let done = std::mem::take(&mut self.done);
                self.rest(app.now_ms());
                for sent in &done {
                    self.unwritten.remove(&sent.fresh);
                }
                self.made();
                self.released = self.ends();
                let webhook = self.webhook.clone();
                steps.push(write(app, webhook, wanted, done, self.released).boxed());
            }
            if steps.is_empty() {
                return Ok(());
            }
            // What is done should not wait for what is slow. One timer is moved to an earlier moment,
            // or to a later one when it ran out: a new one for each step costs more than a look too
            // many.
            let over = timer.is_elapsed();
            match self.written_at().map(tokio::time::Instant::from_std) {
                Some(at) if over || at < timer.deadline() => timer.as_mut().reset(at),
                None if over => timer.as_mut().reset(tokio::time::Instant::now() + LEASE),
                _ => {}
            }
            if let Either::Left((Some(step), _)) = select(steps.next(), timer.as_mut()).await {
                self.take(step?);
            }
        }
    }

    /// The next to send, if one may be sent now.
    fn next_due(&mut self, app: &Events) -> Option<Due> {
        let (at, changes) = self.sure;
        let sure = at.elapsed() < SURE && changes == app.webhooks.changes();
        let may = sure && self.may_send(app);
        may.then(|| self.due.pop_front()).flatten()
    }

    /// Whether another one may be sent beside those on their way.
    fn may_send(&self, app: &Events) -> bool {
        let in_flight = app.config.webhooks.in_flight;
        // One that failed last time is tried with one connection first.
        let most = if self.webhook.failures > 0 {
            1
        } else {
            in_flight
        };
        let unwritten = self.flying + self.done.len() + self.writing;
        self.going && self.flying < most && unwritten < 2 * GROUP + in_flight
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

    /// What is read in this moment says whether these results are the last.
    fn writes_now(&self) -> bool {
        let Some(at) = self.written_at() else {
            return false;
        };
        let last = self.flying == 0 && !self.reading && (self.due.is_empty() || !self.going);
        last || self.done.len() >= GROUP || at <= Instant::now()
    }

    /// Whether nothing is on its way and nothing follows.
    fn ends(&self) -> bool {
        let quiet = self.flying == 0 && !self.reading && !self.asking;
        let follows = !self.due.is_empty() || (!self.empty && self.reads < READS);
        quiet && !(self.going && follows)
    }

    /// When what is done is written at the latest, if it may be.
    fn written_at(&self) -> Option<Instant> {
        let may = self.writing == 0 && !self.done.is_empty();
        may.then(|| self.oldest + GROUP_WAIT)
    }

    /// A webhook that failed often enough is left alone for a while.
    fn rest(&mut self, now_ms: i64) {
        let rest = usize::try_from(self.webhook.failures - PATIENCE).ok();
        if let Some(rest) = rest {
            self.webhook.cool_until_ms = now_ms + REST_MS[rest.min(REST_MS.len() - 1)];
        }
    }

    /// Says how far the deliveries of the webhook are made once what is being written is.
    fn made(&mut self) {
        if let Next::Fresh(read) = self.next {
            let first = self.unwritten.first();
            let upto = first.map_or(read, |first| first - 1);
            self.webhook.made_upto = self.webhook.made_upto.max(upto);
        }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Sent(sent) => {
                self.flying -= 1;
                if self.done.is_empty() {
                    self.oldest = Instant::now();
                }
                if sent.outcome.delivered() {
                    self.webhook.failures = 0;
                } else {
                    self.webhook.failures += 1;
                    self.going &= self.webhook.failures < PATIENCE && !sent.outcome.gone();
                }
                self.done.push(*sent);
            }
            Step::Written(held) => {
                self.writing = 0;
                self.goes_on(held);
            }
            Step::Asked(held) => {
                self.asking = false;
                self.goes_on(held);
            }
            Step::Read(None) => {
                self.reading = false;
                self.goes_on(None);
            }
            Step::Read(Some(Reading { due, next, changes })) => {
                self.reading = false;
                if !due.is_empty() {
                    self.goes_on(Some(changes));
                }
                self.full = due.len() >= BATCH;
                self.empty = due.is_empty();
                self.next = next;
                let fresh = due.iter().map(|due| due.fresh);
                self.unwritten.extend(fresh.filter(|place| *place > 0));
                self.due.extend(due);
            }
        }
    }

    /// Goes on for a while where the webhook is unchanged, and ends otherwise: what was read and
    /// not sent is a delivery by now, or another node's.
    fn goes_on(&mut self, held: Held) {
        match held {
            Some(changes) => self.sure = (Instant::now(), changes),
            None => self.going = false,
        }
    }
}

/// Asks whether a webhook is as this turn knows it.
async fn ask(app: &Events, webhook: WebhookRow) -> anyhow::Result<Step> {
    let changes = app.webhooks.changes();
    let mut conn = app.db.read().await?;
    let held = webhooks::upto_if_held(&mut conn, &webhook).await?;
    Ok(Step::Asked(held.map(|_| changes)))
}

/// Reads what is due from a place on.
async fn read(
    app: &Events,
    webhook: WebhookRow,
    wanted: &Wanted,
    next: Next,
) -> anyhow::Result<Step> {
    // Before the database says that the webhook is unchanged.
    let changes = app.webhooks.changes();
    let mut conn = app.db.read().await?;
    let found = found(&mut conn, &webhook, wanted, next, app.now_ms()).await?;
    drop(conn);
    let Some((due, next)) = found else {
        return Ok(Step::Read(None));
    };
    let ids: Vec<_> = due.iter().map(|(delivery, _)| &delivery.event_id).collect();
    let base_url = &app.config.server.base_url;
    let messages = &app.webhooks.messages;
    let messages = messages.of(&app.db, &ids, base_url).await?;
    let due = due.into_iter().zip(messages);
    let due = due.map(|((delivery, fresh), made)| {
        // One that was left out would stay due for ever, and call this webhook for ever.
        let message = made.unwrap_or_else(|| absent(&delivery));
        Due {
            delivery,
            fresh,
            message,
        }
    });
    Ok(Step::Read(Some(Reading {
        due: due.collect(),
        next,
        changes,
    })))
}

/// What is due from a place on; None once the webhook was changed, turned off or removed: this turn
/// knows only its former address and choices.
async fn found(
    conn: &mut Conn,
    webhook: &WebhookRow,
    wanted: &Wanted,
    next: Next,
    now_ms: i64,
) -> anyhow::Result<Option<Places>> {
    let limit = i64::try_from(BATCH)?;
    let after = match next {
        Next::Rows(place) => {
            let due = deliveries::due(conn, &webhook.id, now_ms, &place, limit).await?;
            if let Some(last) = due.last() {
                if webhooks::upto_if_held(conn, webhook).await?.is_none() {
                    return Ok(None);
                }
                let place = Place {
                    due_ms: last.due_ms,
                    id: last.id.clone(),
                };
                let due = due.into_iter().map(|delivery| (delivery, 0));
                return Ok(Some((due.collect(), Next::Rows(place))));
            }
            webhook.made_upto
        }
        Next::Fresh(after) => after,
    };
    // Places become visible in order: what is at or below the last one is seen by what follows.
    // Who changes a webhook holds the order. So where it is unchanged when the last place is
    // read, all up to there was told under the choices that this turn knows.
    let Some(upto) = webhooks::upto_if_held(conn, webhook).await? else {
        return Ok(None);
    };
    if upto <= after {
        return Ok(Some((Vec::new(), Next::Fresh(after))));
    }
    let fresh = deliveries::fresh(conn, webhook, (after, upto), wanted, limit).await?;
    let read = match fresh.last() {
        Some(last) if fresh.len() >= BATCH => last.sequencia,
        _ => upto,
    };
    let due = fresh.into_iter().map(|event| {
        let place = event.sequencia;
        (deliveries::made_of(event, webhook, now_ms), place)
    });
    Ok(Some((due.collect(), Next::Fresh(read))))
}

/// What is told of a delivery whose event is not there.
fn absent(delivery: &DeliveryRow) -> Made {
    tracing::error!(entrega.id = %delivery.id, evento.id = %delivery.event_id, "the event of a delivery is not there");
    Err("O evento desta entrega não existe mais.".to_owned())
}

async fn send(app: &Events, target: &Result<Target<'_>, String>, due: Due) -> anyhow::Result<Step> {
    faultpoint::hit("delivery");
    let Due {
        delivery,
        fresh,
        message,
    } = due;
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
    Ok(Step::Sent(Box::new(Sent {
        delivery,
        fresh,
        outcome,
    })))
}

/// What is written in one transaction.
struct Results {
    webhook: WebhookRow,
    wanted: Wanted,
    /// Of deliveries that are rows.
    rows: Vec<Tried>,
    /// Of those that are none yet.
    fresh: Vec<Tried>,
    /// The receiver wants no more.
    gone: bool,
    /// The webhook is given back with them.
    last: bool,
    now_ms: i64,
}

/// Writes results, in one transaction.
async fn write(
    app: &Events,
    webhook: WebhookRow,
    wanted: &Wanted,
    done: Vec<Sent>,
    last: bool,
) -> anyhow::Result<Step> {
    let (now_ms, changes) = (app.now_ms(), app.webhooks.changes());
    let mut results = Results {
        webhook,
        wanted: wanted.clone(),
        rows: Vec::new(),
        fresh: Vec::new(),
        gone: done.iter().any(|sent| sent.outcome.gone()),
        last,
        now_ms,
    };
    for sent in done {
        let delivery = settle(&app.config.webhooks, sent.delivery, &sent.outcome, now_ms);
        let tried = (delivery, sent.outcome.attempt);
        if sent.fresh > 0 {
            results.fresh.push(tried);
        } else {
            results.rows.push(tried);
        }
    }
    let written = app.db.write(results, |results, conn| {
        Box::pin(async move {
            let ours = results.write(conn).await?;
            if results.last {
                release(conn, &results.webhook, &results.wanted, results.now_ms).await?;
            }
            Ok::<_, TxError<Infallible>>(ours)
        })
    });
    let ours = written.await?;
    faultpoint::hit("delivery, written");
    Ok(Step::Written(ours.then_some(changes)))
}

impl Results {
    /// First the webhook, then its deliveries: the order in which all lock them. The results are
    /// written though another node has the webhook; how far deliveries are made is not. True: it
    /// is still this node's, and open.
    async fn write(&self, conn: &mut Conn) -> DbResult<bool> {
        let Results {
            webhook, now_ms, ..
        } = self;
        if self.gone {
            self.close(conn).await?;
            return Ok(false);
        }
        let ours = webhooks::progress(conn, webhook, now_ms + LEASE_MS).await?;
        self.save(conn).await?;
        if ours && webhook.failures > 0 {
            let upto = outbox::last(conn, &webhook.account_id).await?;
            fresh::make(conn, webhook, &self.wanted, upto, *now_ms).await?;
        }
        if webhook.cool_until_ms > *now_ms {
            let reason = "o servidor falhou durante todo o prazo das tentativas";
            let before_ms = now_ms - GIVE_UP_MS;
            deliveries::give_up_old(conn, &webhook.id, before_ms, reason, *now_ms).await?;
        }
        Ok(ours)
    }

    async fn save(&self, conn: &mut Conn) -> DbResult<()> {
        if !self.rows.is_empty() {
            deliveries::save_all(conn, &self.rows).await?;
        }
        if !self.fresh.is_empty() {
            deliveries::insert_all(conn, &self.fresh).await?;
        }
        Ok(())
    }

    /// Turns the webhook off, unless another node has it or it is off.
    async fn close(&self, conn: &mut Conn) -> DbResult<()> {
        let Results {
            webhook, now_ms, ..
        } = self;
        let reason = "o servidor respondeu 410";
        let upto = outbox::held(conn, &webhook.account_id).await?;
        let closed = webhooks::close(conn, webhook, reason, *now_ms).await?;
        self.save(conn).await?;
        if closed {
            fresh::make(conn, webhook, &self.wanted, upto, *now_ms).await?;
            deliveries::give_up_all(conn, &webhook.id, reason, *now_ms).await?;
        }
        Ok(())
    }
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
