//! Putting the pieces together, in order.

use crate::app::{App, Clock, Hub};
use crate::catalog::{Catalog, Refused};
use crate::config::Config;
use crate::db::{Db, Engine, TxError};
use crate::issuing::Notifier;
use crate::issuing::journal::SqlJournal;
use crate::simulator::Simulator;
use crate::storage::Store;
use crate::traces::Tracer;
use crate::vault::envelope::Keyring;
use crate::vault::random::{OsRandom, Random};
use crate::{db, files, ids, issuing};
use anyhow::Context as _;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::Semaphore;

/// The registry built into the binary.
pub const REGISTRY: &str = include_str!("../../../providers.toml");

/// Opens database, keys, adapters and registry. Starts no task and listens
/// nowhere.
///
/// # Errors
/// A chain that says which piece failed and why.
pub async fn open(config: Config, clock: Clock) -> anyhow::Result<(App, Vec<Refused>)> {
    let data_dir = config.storage.data_dir.clone();
    files::folder(&data_dir).with_context(|| format!("data folder {}", data_dir.display()))?;
    crate::backup::whole(&data_dir)?;
    let started_ms = clock();
    let db = Db::serve(&config.database_url(), config.database.pool_size).await?;
    let mut folder_lock = None;
    if db.engine() == Engine::Sqlite {
        folder_lock = Some(
            files::lock(&data_dir.join(files::HUB))
                .with_context(|| format!("data folder {}", data_dir.display()))?,
        );
        // This process alone uses the file: whoever owned a flow, an export,
        // a purchase or a mail is gone.
        db.write((), |(), conn| {
            Box::pin(async move {
                db::exportacoes::release_all(conn).await?;
                db::webhooks::release_all(conn).await?;
                db::compras::release_all(conn).await?;
                db::reembolsos::release_all(conn).await?;
                db::mails::release_all(conn).await?;
                Ok::<_, TxError<Infallible>>(db::flows::release_all(conn).await?)
            })
        })
        .await?;
    }
    let keyring = Keyring::load_or_create(&data_dir.join("vault.keys")).context("keyring")?;
    let pepper = pepper(&config)?;
    let space = crate::link::digest(&pepper, "hub/object-space/1");
    let objects = Store::of(&config, space).context("store of objects")?;
    let runtime = Arc::new(
        flow::Runtime::new(config.flow.limits())
            .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?,
    );
    let (catalog, refused) = Catalog::open(
        runtime.clone(),
        &config.adapters_folder(),
        &data_dir.join("cache"),
    )
    .context("adapters")?;
    let registry = flow::registry::Snapshot::new(load_registry(&config)?);
    let simulator = Simulator::open(
        &data_dir.join("simulator"),
        &config.authorities,
        clock.clone(),
    )
    .context("simulator")?;
    let notifier = Arc::new(Notifier::default());
    let traces = Arc::new(Tracer::new(&config.traces, clock.clone()));
    let journal = SqlJournal {
        traces: traces.clone(),
        db: db.clone(),
        clock: clock.clone(),
        lease_ms: config.flow.lease_ms,
        wait_divisor: config.flow.wait_divisor,
        notifier: notifier.clone(),
    };
    let driver = flow::Driver {
        runtime: runtime.clone(),
        journal: Arc::new(journal),
        now_ms: clock.clone(),
        computing: Arc::new(Semaphore::new(config.flow.computing)),
        wait_divisor: config.flow.wait_divisor,
    };
    let app = Arc::new(Hub {
        node: ids::new("node", started_ms),
        db,
        clock,
        keyring,
        pepper,
        runtime,
        catalog,
        registry,
        simulator,
        roots: Arc::new(crate::roots::Roots::open(&data_dir)),
        objects,
        driver,
        notifier,
        running: issuing::Running::default(),
        signers: crate::vault::signers::Signers::default(),
        clients: crate::issuing::clients::Clients::default(),
        disjuntor: crate::issuing::disjuntor::Disjuntor::default(),
        situacoes: crate::issuing::autorizador::Situacoes::default(),
        traces,
        webhooks: crate::webhooks::Sender::new(&config.webhooks)?,
        hasher: crate::users::Hasher::default(),
        limiter: crate::api::limiter::Limiter::default(),
        keys: crate::api::keys::Keys::default(),
        request_log: crate::api::request_log::RequestLog::default(),
        probe: tokio::sync::Mutex::default(),
        leaving: AtomicBool::new(false),
        draining: AtomicBool::new(false),
        _folder_lock: folder_lock,
        started_ms,
        config,
    });
    Ok((app, refused))
}

/// Starts the background work of a node.
pub fn start(app: &App) {
    app.request_log.start(app.db.clone());
    if let Err(error) = app.traces.start(&app.config.traces) {
        tracing::error!(error = %format!("{error:#}"), "traces are not sent");
    }
    let roots = app.roots.clone();
    tokio::task::spawn_blocking(move || roots.warm());
    tokio::spawn(issuing::work::poll(app.clone()));
    tokio::spawn(issuing::entrada::agenda::poll(app.clone()));
    tokio::spawn(issuing::notices::poll(app.clone()));
    tokio::spawn(crate::exports::poll(app.clone()));
    tokio::spawn(crate::dispatch::poll(app.clone()));
    tokio::spawn(crate::webhooks::poll(app.clone()));
    tokio::spawn(crate::payments::poll(app.clone()));
    tokio::spawn(crate::mail::poll(app.clone()));
    tokio::spawn(crate::storage::poll(app.clone()));
    tokio::spawn(crate::reload::watch(app.clone()));
}

/// The registry the settings name.
///
/// # Errors
/// Every mistake with its line.
pub fn load_registry(config: &Config) -> anyhow::Result<flow::registry::Registry> {
    let file = &config.registry.file;
    let (name, text) = if file.as_os_str().is_empty() {
        ("built-in providers.toml".to_owned(), REGISTRY.to_owned())
    } else {
        (
            file.display().to_string(),
            std::fs::read_to_string(file)
                .with_context(|| format!("registry {}", file.display()))?,
        )
    };
    flow::registry::Registry::parse(&text).map_err(|errors| {
        let lines: Vec<String> = errors
            .iter()
            .map(|error| format!("{name}:{}: {}", error.line, error.message))
            .collect();
        anyhow::anyhow!("registry not usable:\n{}", lines.join("\n"))
    })
}

/// What the digests of API keys are keyed with.
///
/// # Errors
/// The file cannot be read or made.
pub fn pepper(config: &Config) -> anyhow::Result<[u8; 32]> {
    let path = config.storage.data_dir.join("api-keys.pepper");
    load_or_create_pepper(&path).context("pepper of API keys")
}

fn load_or_create_pepper(path: &Path) -> anyhow::Result<[u8; 32]> {
    if !path.exists() {
        let mut pepper = [0; 32];
        OsRandom.fill(&mut pepper)?;
        files::create(path, &pepper)?;
    }
    let bytes = std::fs::read(path)?;
    bytes
        .try_into()
        .map_err(|_| anyhow::anyhow!("{} must hold 32 bytes", path.display()))
}
