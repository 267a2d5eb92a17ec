//! Notes that are issued to be copied: by a hub inside of this process, with simulated
//! authorities, in a folder that is gone afterwards.

use super::companies::{self, CITIES};
use crate::app::App;
use crate::{boot, demo};
use anyhow::Context as _;
use base::config::{AuthoritiesMode, Config};
use base::when;
use load::bodies;
use load::client::Client;
use load::fill::FIRST_OF_MODELS;
use load::people::person;
use load::receiver::Receiver;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::tables::notas::NotaStatus;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Name of the account of the models.
const NAME: &str = "Modelos";
/// Notes at the same time, and how long one may take.
const TOGETHER: usize = 8;
const PATIENCE: Duration = Duration::from_secs(180);
/// A note that a city has not answered for yet, and the time between two looks at it.
const OPEN: [NotaStatus; 2] = [NotaStatus::InTransmission, NotaStatus::PendingCity];
const LOOK: Duration = Duration::from_millis(200);
/// Events have arrived when none came for so long.
const QUIET: Duration = Duration::from_secs(3);
/// Where the persons of the models begin: no copy has one of them.
const PERSONS: u64 = 900_000_000;

/// How many notes of each kind.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub nfse: u64,
    pub nfe: u64,
    /// Items of each product note; None: 1 to 10, in turn.
    pub items: Option<u64>,
}

/// A note to be issued.
struct Order {
    path: &'static str,
    body: Value,
    /// What is done with it then.
    cancel: Option<&'static str>,
    refused: bool,
}

/// Issues the notes; the folder's database then has their rows.
///
/// # Errors
/// The hub does not start, or a note is not issued.
pub async fn issue(config: &Config, folder: &Path, wanted: Wanted) -> anyhow::Result<()> {
    let app = opened(config, folder).await?;
    app.simulator.listen(([127, 0, 0, 1], 0).into()).await?;
    boot::start(&app);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let router = boot::router(&app);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        gate::server::serve(listener, router, async move {
            // Told, or nobody is left who would tell.
            drop(stopped.await);
        })
        .await
    });
    let account = demo::open_account(&app, NAME, 1_000_000).await?;
    companies::register(&app, &account.id, 0, FIRST_OF_MODELS).await?;
    let client = Arc::new(Client::new(&url, &account.live_key, TOGETHER, PATIENCE)?);
    let receiver = listening(&client).await?;
    let mut orders = JoinSet::new();
    let places = Arc::new(Semaphore::new(TOGETHER));
    let emitters = emitters(&client).await?;
    for (number, order) in (0..).zip(orders_of(&emitters, wanted)) {
        let (client, places) = (client.clone(), places.clone());
        orders.spawn(async move {
            let _place = places.acquire().await?;
            place(&client, number, order).await
        });
    }
    while let Some(placed) = orders.join_next().await {
        placed??;
    }
    receiver.quiet(QUIET).await;
    while !app.request_log.is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(stop);
    drop(serving.await);
    Ok(())
}

async fn opened(config: &Config, folder: &Path) -> anyhow::Result<App> {
    let mut own = Config::load(None, |_| None, &[])?;
    own.storage.data_dir = folder.to_owned();
    own.adapters.folder = config.adapters_folder();
    own.authorities.mode = AuthoritiesMode::Simulator;
    own.accounts.gift_credits = 1_000_000;
    own.flow = config.flow.clone();
    own.flow.wait_divisor = 1_000;
    own.issuing.wait_ms = 120_000;
    own.issuing.poll_ms = 50;
    own.webhooks.allow_http = true;
    own.webhooks.allow_nets = vec!["127.0.0.1".to_owned()];
    own.probes.enabled = false;
    // Compiled adapters are those of the data folder.
    let cache = config.storage.data_dir.join("cache");
    base::files::folder(&cache)?;
    std::os::unix::fs::symlink(cache.canonicalize()?, folder.join("cache"))?;
    let (app, refused) = boot::open(own, when::system_clock()).await?;
    anyhow::ensure!(refused.is_empty(), "adapters refused: {refused:?}");
    Ok(app)
}

/// A receiver of all events, so that copies have deliveries.
async fn listening(client: &Client) -> anyhow::Result<Receiver> {
    let receiver = Receiver::start(when::system_clock()).await?;
    let wish = json!({ "url": receiver.url(), "eventos": ["nfse.*", "nfe.*"] });
    let answer = client.post("/webhooks", &wish, None).await?;
    let secret = answer.json()["segredo"].as_str().map(ToOwned::to_owned);
    receiver.expect(secret.with_context(|| format!("webhook: {}", answer.word()))?);
    Ok(receiver)
}

/// Ids of the companies, in the order they were registered.
async fn emitters(client: &Client) -> anyhow::Result<Vec<String>> {
    let answer = client.get("/emitters?limite=100").await?;
    anyhow::ensure!(answer.is_good(), "companies: {}", answer.word());
    let body = answer.json();
    let items = body["itens"].as_array().cloned().unwrap_or_default();
    let mut ids: Vec<String> = items
        .iter()
        .filter_map(|item| Some(item["id"].as_str()?.to_owned()))
        .collect();
    ids.sort();
    Ok(ids)
}

/// Every note with a person and a value of its own, which end in no zero: texts are
/// found by them.
fn orders_of(emitters: &[String], wanted: Wanted) -> Vec<Order> {
    let mut orders = Vec::new();
    let value = |number: u64| 200_011 + number * 130;
    for number in 0..wanted.nfse {
        // The place of the note in a hundred says its city.
        let mut left = number * 100 / wanted.nfse.max(1);
        let place = CITIES.iter().position(|(_, part)| {
            let is = left < *part;
            left = left.saturating_sub(*part);
            is
        });
        let place = place.unwrap_or_default();
        let city = CITIES[place].0;
        let (reference, to) = (reference(number), person(PERSONS + number));
        let national = city == bodies::CITY;
        let refused = national && number % 20 == 19;
        let mut body = if refused {
            bodies::refused(&reference, &to, value(number))
        } else {
            bodies::service(&reference, &to, value(number), city)
        };
        body["emitente_id"] = json!(emitters.get(place));
        let cancel = (national && number % 20 == 9).then_some("/nfse/cancelar");
        orders.push(Order {
            path: "/nfse",
            body,
            cancel,
            refused,
        });
    }
    for number in 0..wanted.nfe {
        let of_all = wanted.nfse + number;
        let (reference, to) = (reference(of_all), person(PERSONS + of_all));
        let items = wanted.items.unwrap_or(number % 10 + 1);
        let mut body = bodies::product(&reference, &to, value(of_all), items);
        body["emitente_id"] = json!(emitters.first());
        orders.push(Order {
            path: "/nfe",
            body,
            cancel: None,
            refused: false,
        });
    }
    orders
}

/// What texts are found by: long enough to be nothing else.
fn reference(number: u64) -> String {
    format!("referencia-do-modelo-{number:05}")
}

/// Waits for the city that takes its time with a note.
async fn authorized(client: &Client, id: &Value) -> anyhow::Result<()> {
    let path = format!("/documentos/{}", id.as_str().unwrap_or_default());
    let begun = Instant::now();
    loop {
        let note = client.get(&path).await?.json();
        let status = note["status"].as_str().unwrap_or_default();
        if status == NotaStatus::Authorized.as_str() {
            return Ok(());
        }
        anyhow::ensure!(
            OPEN.iter().any(|open| open.as_str() == status) && begun.elapsed() < PATIENCE,
            "a note to be copied is {status}: {note}"
        );
        tokio::time::sleep(LOOK).await;
    }
}

async fn place(client: &Client, number: u64, order: Order) -> anyhow::Result<()> {
    let Order {
        path,
        body,
        cancel,
        refused,
    } = order;
    let key = format!("model-{number:06}");
    let answer = client.post(path, &body, Some(&key)).await?;
    let expected: &[u16] = if refused { &[422] } else { &[201, 202] };
    anyhow::ensure!(
        expected.contains(&answer.status),
        "a note to be copied was answered {}: {}",
        answer.word(),
        answer.json()
    );
    if answer.status == 202 {
        authorized(client, &answer.json()["id"]).await?;
    }
    if let Some(path) = cancel {
        let id = answer.json()["id"].as_str().unwrap_or_default().to_owned();
        let answer = client
            .post(
                path,
                &bodies::cancellation(&id),
                Some(&format!("{key}-cancel")),
            )
            .await?;
        anyhow::ensure!(
            answer.is_good(),
            "a cancellation was answered {}: {}",
            answer.word(),
            answer.json()
        );
    }
    Ok(())
}
