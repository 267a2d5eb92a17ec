//! Deliveries of events, both ends in this process: how many, against the
//! same client that posts the same bodies and does nothing else; and how long
//! a healthy webhook waits while another one's server swallows everything.

use super::receiver::Receiver;
use super::turns::{self, Rounds};
use crate::app::App;
use crate::boot;
use accounts::opening::{self, Opening};
use anyhow::Context as _;
use base::config::Config;
use events::webhooks::registration::{self, Wish};
use futures::stream::{self, StreamExt as _};
use reqwest::redirect::Policy;
use serde_json::json;
use std::convert::Infallible;
use std::path::Path;
use std::time::{Duration, Instant};
use store::TxError;
use store::ids::{AccountId, OutboxId};
use store::tables::outbox::{self, OutboxRow};
use store::tables::webhooks;
use store::words::{Ambiente, KeyKind};

/// Webhooks of the account, all for every event; events of a round, and rounds.
const WEBHOOKS: usize = 16;
const EVENTS: usize = 250;
const ROUNDS: usize = 6;
/// Events for the server that never answers, and for the one that does, which
/// come one after the other.
const SWALLOWED: usize = 10_000;
const HEALTHY: usize = 300;
const PAUSE: Duration = Duration::from_millis(20);
/// How often it is looked whether all results are written.
const LOOK: Duration = Duration::from_millis(2);
/// Nothing of this takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Measured {
    pub per_s: Rounds,
    /// Deliveries over bare posts.
    pub over_bare: Rounds,
    /// From the commit of an event to its arrival, 99th of a hundred.
    pub p99_s: f64,
}

/// # Errors
/// The hub does not start, or events do not arrive.
pub async fn measure(config: &Config, scratch: &Path) -> anyhow::Result<Measured> {
    let mut config = config.clone();
    config.storage.data_dir = scratch.join("webhooks");
    config.adapters.folder = scratch.join("none");
    config.database.url = String::new();
    config.webhooks.allow_http = true;
    config.webhooks.allow_nets = vec!["127.0.0.0/8".to_owned()];
    std::fs::create_dir_all(&config.adapters.folder)?;
    let (app, _) = boot::open(config, base::when::system_clock()).await?;
    boot::start(&app);
    let account = account(&app).await?;
    let (per_s, over_bare) = throughput(&app, &account).await?;
    let p99_s = latency(&app, &account).await?;
    app.draining
        .store(true, std::sync::atomic::Ordering::Relaxed);
    Ok(Measured {
        per_s,
        over_bare,
        p99_s,
    })
}

async fn account(app: &App) -> anyhow::Result<AccountId> {
    let opening = Opening {
        name: "bench".to_owned(),
        requests_per_minute: 1,
        gift_credits: 0,
        now_ms: app.now_ms(),
    };
    Ok(opening::open(&app.db, &app.pepper, opening).await?.id)
}

async fn register(app: &App, account: &AccountId, url: String, kind: &str) -> anyhow::Result<()> {
    let wish = Wish {
        url: Some(url),
        eventos: Some(vec![kind.to_owned()]),
        ..Wish::default()
    };
    let made = registration::create(&app.events, account, KeyKind::Live, wish).await;
    made.map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
    Ok(())
}

async fn throughput(app: &App, account: &AccountId) -> anyhow::Result<(Rounds, Rounds)> {
    let receiver = Receiver::start().await?;
    for _ in 0..WEBHOOKS {
        register(app, account, receiver.url(), "nfe.autorizada").await?;
    }
    let at_once = WEBHOOKS * app.config.webhooks.in_flight;
    // What saves the hub's client work saves it here.
    let client = reqwest::Client::builder()
        .tls_backend_native()
        .no_proxy()
        .redirect(Policy::none())
        .referer(false)
        .retry(reqwest::retry::never().max_retries_per_request(0))
        .build()?;
    let (mut per_s, mut bare_per_s) = (
        Vec::new(),
        vec![bare(&client, &receiver.url(), at_once).await?],
    );
    for round in 1..=ROUNDS {
        let begun = Instant::now();
        write(app, account, "nfe.autorizada", EVENTS).await?;
        receiver.until(round * EVENTS * WEBHOOKS, PATIENCE).await?;
        given_back(app, account).await?;
        per_s.push(rate(EVENTS * WEBHOOKS, begun));
        bare_per_s.push(bare(&client, &receiver.url(), at_once).await?);
    }
    let over_bare = turns::between(&per_s, &bare_per_s)?;
    Ok((Rounds::of(per_s)?, over_bare))
}

/// Waits until no webhook of the account is being served: until the results of all that arrived
/// are written, which would be measured with the bare posts otherwise.
async fn given_back(app: &App, account: &AccountId) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let mut conn = app.db.read().await?;
        let active = webhooks::active(&mut conn, account).await?;
        drop(conn);
        if active.iter().all(|webhook| webhook.lease_owner.is_empty()) {
            return Ok(());
        }
        anyhow::ensure!(begun.elapsed() < PATIENCE, "webhooks were not given back");
        tokio::time::sleep(LOOK).await;
    }
}

/// The same number of posts of the same size, by as many at once.
async fn bare(client: &reqwest::Client, url: &str, at_once: usize) -> anyhow::Result<f64> {
    let body = json!({ "id": OutboxId::new(0), "dados": payload(0) }).to_string();
    let begun = Instant::now();
    let posts =
        stream::iter(0..EVENTS * WEBHOOKS).map(|_| client.post(url).body(body.clone()).send());
    let failed = posts
        .buffer_unordered(at_once)
        .filter(|sent| std::future::ready(sent.is_err()))
        .count()
        .await;
    anyhow::ensure!(failed == 0, "{failed} bare posts failed");
    Ok(rate(EVENTS * WEBHOOKS, begun))
}

async fn latency(app: &App, account: &AccountId) -> anyhow::Result<f64> {
    let (swallows, healthy) = (Receiver::mute().await?, Receiver::timed().await?);
    register(app, account, swallows.url(), "nfse.rejeitada").await?;
    register(app, account, healthy.url(), "nfse.emitida").await?;
    write(app, account, "nfse.rejeitada", SWALLOWED).await?;
    let mut written = Vec::new();
    for _ in 0..HEALTHY {
        let ids = write(app, account, "nfse.emitida", 1).await?;
        written.extend(ids.into_iter().map(|id| (id, Instant::now())));
        tokio::time::sleep(PAUSE).await;
    }
    healthy.until(HEALTHY, PATIENCE).await?;
    let arrived = healthy.arrivals();
    let mut waits = Vec::new();
    for (id, at) in written {
        let arrival = arrived
            .get(id.as_str())
            .context("an event that did not arrive")?;
        waits.push(arrival.saturating_duration_since(at).as_secs_f64());
    }
    waits.sort_by(f64::total_cmp);
    waits.get(waits.len() * 99 / 100).copied().context("waits")
}

/// Writes events as issuing does; their ids.
async fn write(
    app: &App,
    account: &AccountId,
    kind: &str,
    many: usize,
) -> anyhow::Result<Vec<OutboxId>> {
    let now_ms = app.now_ms();
    let rows: Vec<OutboxRow> = (0..many)
        .map(|number| OutboxRow {
            id: OutboxId::new(now_ms),
            account_id: account.to_owned(),
            tipo: kind.to_owned(),
            payload: payload(number).to_string(),
            created_at_ms: now_ms,
            ambiente: Ambiente::Production.into(),
            ..OutboxRow::default()
        })
        .collect();
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let written = app.db.write(rows, |rows, conn| {
        Box::pin(async move {
            for row in rows {
                outbox::insert(conn, row).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await?;
    Ok(ids)
}

/// What an authorized note tells, in size.
fn payload(number: usize) -> serde_json::Value {
    json!({
        "nota_id": "nfe_01JTESTE00000000000000000A", "referencia": format!("pedido-{number}"),
        "chave": "35261011222333000181550010000015231000015235", "status": "autorizada", "serie": 1, "numero": number,
        "protocolo": "135260000000001", "valor_total": 37.80, "rejeicao": null, "creditos": { "debitado": 4 },
    })
}

#[expect(clippy::cast_precision_loss, reason = "thousands, for a ratio")]
fn rate(many: usize, begun: Instant) -> f64 {
    many as f64 / begun.elapsed().as_secs_f64()
}
