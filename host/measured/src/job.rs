//! The job of a hub that asks all addresses of the registry, spread over the hours of
//! `probes.every_hours`.
//!
//! A host is a row, and whoever moves its next turn asks it: several hubs on one
//! database share the work, and a host has one request at a time. A failure is counted
//! only while others answer: a hub that lost its own network says nothing about theirs.

use crate::probe::Prober;
use crate::usage;
use authority::gateway::Gateway;
use base::when;
use flow::registry::{Address, Registry, Scope};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use store::rounds::Rounds;
use store::tables::nfse_outcomes;
use store::tables::probes::{self, Finding, HostRow, Verdict};
use store::{DbResult, TxError};
use time::Date;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Hosts looked at in one round.
const LOOKED_AT: i64 = 16;
/// Addresses that nobody asked for so long are of no registry any more.
const KEPT_MS: i64 = 90 * 86_400_000;
/// What a host's lease outlives a question by.
const MARGIN_MS: i64 = 5_000;

/// The loop of a node.
pub async fn poll(app: Gateway) {
    if !crate::on(&app) {
        return;
    }
    let mut job = match Job::open(&app).await {
        Ok(job) => job,
        Err(error) => {
            tracing::error!(error = %format!("{error:#}"), "addresses are not asked whether they answer");
            return;
        }
    };
    let pause = Duration::from_secs(60) / app.config.probes.per_minute;
    let mut rounds = Rounds::every(&app, pause);
    loop {
        rounds.next().await;
        if let Err(error) = job.turn().await {
            tracing::error!(error = %format!("{error:#}"), "addresses that are due cannot be asked");
        }
    }
}

/// What one node asks, and how.
pub struct Job {
    app: Gateway,
    prober: Arc<Prober>,
    plan: Option<Plan>,
    places: Arc<Semaphore>,
    /// When this node heard anybody last, epoch milliseconds.
    heard_ms: Arc<AtomicI64>,
}

/// The addresses of a registry on a day, by host.
struct Plan {
    registry: Arc<Registry>,
    day: Date,
    hosts: BTreeMap<String, Vec<Address>>,
}

impl Job {
    /// # Errors
    /// OpenSSL refuses a root.
    pub async fn open(app: &Gateway) -> anyhow::Result<Job> {
        Ok(Job {
            app: app.clone(),
            prober: Arc::new(Prober::open(app).await?),
            plan: None,
            places: Arc::new(Semaphore::new(app.config.probes.at_once)),
            heard_ms: Arc::default(),
        })
    }

    /// Begins one question, if a host is due and there is a place. The handle ends
    /// when its answer is kept.
    ///
    /// # Errors
    /// The database failed.
    pub async fn turn(&mut self) -> anyhow::Result<Option<JoinHandle<()>>> {
        self.follow_registry().await?;
        let Some(plan) = &self.plan else {
            return Ok(None);
        };
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            return Ok(None);
        };
        let now_ms = self.app.now_ms();
        let mut conn = self.app.db.read().await?;
        let due = probes::due(&mut conn, now_ms, LOOKED_AT).await?;
        drop(conn);
        for host in due {
            let addresses = plan.hosts.get(&host.host).map_or(&[][..], Vec::as_slice);
            let Some((address, until_ms)) = self.take(&host, addresses, now_ms).await? else {
                continue;
            };
            let question = Question {
                app: self.app.clone(),
                prober: self.prober.clone(),
                registry: plan.registry.clone(),
                heard_ms: self.heard_ms.clone(),
                host: host.host,
                until_ms,
                address,
            };
            return Ok(Some(tokio::spawn(async move {
                question.carry_out().await;
                drop(place);
            })));
        }
        Ok(None)
    }

    /// Reads the addresses of a new registry, or of a new day, and gives new hosts their
    /// first turns, spread over the hours of a round.
    async fn follow_registry(&mut self) -> DbResult<()> {
        let registry = self.app.registry.load();
        let now_ms = self.app.now_ms();
        let day = when::utc(now_ms).date();
        let same = |plan: &Plan| Arc::ptr_eq(&plan.registry, &registry) && plan.day == day;
        if self.plan.as_ref().is_some_and(same) {
            return Ok(());
        }
        let mut hosts: BTreeMap<String, Vec<Address>> = BTreeMap::new();
        for address in registry.addresses(day, &Scope::default()) {
            if self.app.config.authorities.refuses_plain(&address.url) {
                continue;
            }
            if let Some(host) = address.authority() {
                let host = host.to_ascii_lowercase();
                hosts.entry(host).or_default().push(address);
            }
        }
        let mut conn = self.app.db.read().await?;
        let known = probes::hosts(&mut conn).await?;
        drop(conn);
        let known: BTreeMap<String, i64> = known
            .into_iter()
            .map(|row| (row.host, row.next_ms))
            .collect();
        let new: Vec<String> = hosts
            .keys()
            .filter(|host| !known.contains_key(*host))
            .cloned()
            .collect();
        let every_ms = self.app.config.probes.every_ms();
        let input = (new, now_ms, every_ms);
        let written = self
            .app
            .db
            .write(input, |(new, now_ms, every_ms), conn| {
                Box::pin(async move {
                    let count = i64::try_from(new.len().max(1)).unwrap_or(1);
                    for (place, host) in (0..).zip(new.iter()) {
                        probes::seed(conn, host, *now_ms + every_ms * place / count).await?;
                    }
                    probes::forget(conn, *now_ms - KEPT_MS).await?;
                    nfse_outcomes::forget(conn, usage::day(*now_ms) - usage::KEPT_DAYS).await?;
                    Ok::<_, TxError<Infallible>>(())
                })
            })
            .await;
        written.map_err(db)?;
        self.plan = Some(Plan {
            registry,
            day,
            hosts,
        });
        Ok(())
    }

    /// Takes a host; the address that was not asked for the longest time, and the end
    /// of the lease. None: another node was faster, or the registry has no such host.
    async fn take(
        &self,
        host: &HostRow,
        addresses: &[Address],
        now_ms: i64,
    ) -> DbResult<Option<(Address, i64)>> {
        let mut conn = self.app.db.read().await?;
        let mut oldest: Option<(i64, &Address)> = None;
        for address in addresses {
            let known = probes::get(&mut conn, &address.url).await?;
            let at_ms = known.map_or(0, |row| row.at_ms);
            if oldest.is_none_or(|(oldest_ms, _)| at_ms < oldest_ms) {
                oldest = Some((at_ms, address));
            }
        }
        drop(conn);
        let count = i64::try_from(addresses.len().max(1)).unwrap_or(1);
        let next_ms = now_ms + self.app.config.probes.every_ms() / count;
        let until_ms = match oldest {
            Some(_) => lease_until(&self.prober, now_ms),
            None => 0,
        };
        let input = (host.clone(), next_ms, now_ms, until_ms);
        let taken = self
            .app
            .db
            .write(input, |(host, next_ms, now_ms, until_ms), conn| {
                Box::pin(async move {
                    let taken = probes::take_due(conn, host, *next_ms, *now_ms, *until_ms);
                    Ok::<_, TxError<Infallible>>(taken.await?)
                })
            })
            .await
            .map_err(db)?;
        Ok(oldest
            .filter(|_| taken)
            .map(|(_, address)| (address.clone(), until_ms)))
    }
}

/// How long whoever asks a host now has it for himself.
pub(crate) fn lease_until(prober: &Prober, now_ms: i64) -> i64 {
    let longest = i64::try_from(prober.longest().as_millis()).unwrap_or(i64::MAX / 2);
    now_ms + longest + MARGIN_MS
}

/// A question to a host that was taken.
struct Question {
    app: Gateway,
    prober: Arc<Prober>,
    registry: Arc<Registry>,
    heard_ms: Arc<AtomicI64>,
    host: String,
    until_ms: i64,
    address: Address,
}

impl Question {
    async fn carry_out(self) {
        let at_ms = self.app.now_ms();
        let asked = self.prober.ask(&self.registry, &self.address, at_ms);
        let mut finding = asked.await;
        if finding.verdict == Verdict::Answers {
            self.heard_ms.fetch_max(at_ms, Ordering::Relaxed);
        }
        let heard_ms = self.heard_ms.load(Ordering::Relaxed);
        finding.counted = at_ms - heard_ms < self.app.config.probes.deaf_ms();
        if let Err(error) = keep(&self.app, finding, &self.host, self.until_ms).await {
            tracing::error!(address = %self.address.url, %error, "what an address showed is not kept");
        }
    }
}

/// Keeps what was found, and gives the host back.
pub(crate) async fn keep(
    app: &Gateway,
    finding: Finding,
    host: &str,
    until_ms: i64,
) -> DbResult<()> {
    let input = (finding, host.to_owned(), until_ms);
    let written = app.db.write(input, |(finding, host, until_ms), conn| {
        Box::pin(async move {
            probes::keep(conn, finding).await?;
            probes::free(conn, host, *until_ms).await?;
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.map_err(db)
}

/// A transaction that nothing ends but the database.
pub(crate) fn db(error: TxError<Infallible>) -> store::DbError {
    match error {
        TxError::Db(error) => error,
        TxError::Abort(never) => match never {},
    }
}
