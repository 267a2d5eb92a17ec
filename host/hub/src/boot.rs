//! Putting the pieces together, in order.

use crate::app::{App, Hub};
use crate::registry;
use accounts::people;
use accounts::people::known::Keys;
use accounts::people::password::Hasher;
use anyhow::Context as _;
use authority::breaker::Breaker;
use authority::catalog::{Catalog, Refused};
use authority::dns::Dns;
use authority::gateway;
use authority::simulator::Simulator;
use authority::tls::Clients;
use base::config::{self, Config};
use base::random::{OsRandom, Random};
use base::traces::Tracer;
use base::when::Clock;
use base::{files, ids};
use events::attempt::Sender;
use events::parts as event_parts;
use gate::services;
use gate::services::limiter::Limiter;
use gate::services::request_log::RequestLog;
use issuing::parts::notify::Notifier;
use issuing::parts::running::Running;
use issuing::parts::situations::AuthorizerStates;
use issuing::run::journal::SqlJournal;
use objects::storage;
use objects::storage::Store;
use objects::storage::parts as object_parts;
use std::convert::Infallible;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use store::node;
use store::node::room::{self, Room};
use store::presence::{self, Presence};
use store::tables::parties;
use store::{Db, Engine, TxError};
use tokio::sync::{Mutex, Semaphore};
use vault::envelope::Keyring;
use vault::roots::Roots;
use vault::signing::signers::Signers;

/// Older notes whose names are taken in one transaction, the pause after it, and the pause after
/// one that failed.
const NAMES: i64 = 200;
const BETWEEN_NAMES: Duration = Duration::from_millis(10);
const NAMES_AGAIN: Duration = Duration::from_secs(10);
/// What the name of the hub's space in a store of objects is made for.
const OBJECT_SPACE: &str = "hub/object-space/1";

/// Makes the data folder where there is none.
///
/// # Errors
/// It cannot be made; the chain names it.
pub fn data_folder(config: &Config) -> anyhow::Result<()> {
    let folder = &config.storage.data_dir;
    files::folder(folder).with_context(|| format!("data folder {}", folder.display()))
}

/// Opens database, keys, adapters and registry. Starts no task and listens
/// nowhere.
///
/// # Errors
/// A chain that says which piece failed and why.
pub async fn open(config: Config, clock: Clock) -> anyhow::Result<(App, Vec<Refused>)> {
    open_on(config, clock, Arc::new(files::space)).await
}

/// The same, on disks whose room `disks` says.
///
/// # Errors
/// As [`open`].
pub async fn open_on(
    config: Config,
    clock: Clock,
    disks: room::Reader,
) -> anyhow::Result<(App, Vec<Refused>)> {
    let data_dir = config.storage.data_dir.clone();
    data_folder(&config)?;
    crate::backup::whole(&data_dir)?;
    let started_ms = clock();
    let (db, folder_lock) = database(&config).await?;
    let keyring = Keyring::load_or_create(&data_dir.join("vault.keys")).context("keyring")?;
    let pepper = pepper(&config)?;
    let space = vault::link::digest(&pepper, OBJECT_SPACE);
    let objects = Store::of(&config, space.clone()).context("store of objects")?;
    let records = reach_records(&db, &config, space)?;
    let runtime = runtime(&config)?;
    let ((catalog, refused), registry) = adapters(&config, runtime.clone()).await?;
    let registry = flow::registry::Snapshot::new(registry);
    let editions = crate::editions::begin(&db)
        .await
        .context("imported tables")?;
    let simulator = Simulator::open(
        &data_dir.join("simulator"),
        &config.authorities,
        clock.clone(),
    )
    .context("simulator")?;
    let name = ids::new(presence::PREFIX, started_ms);
    let presence = Presence::enter(&db, &config.database_url(), &name).await?;
    let notifier = Arc::new(Notifier::default());
    let traces = Arc::new(Tracer::new(&config.traces, clock.clone()));
    let journal = SqlJournal {
        traces: traces.clone(),
        db: db.clone(),
        clock: clock.clone(),
        lease_ms: config.flow.lease_ms,
        presence: presence.clone(),
        wait_divisor: config.flow.wait_divisor,
        notifier: notifier.clone(),
    };
    let driver = driver(runtime, journal, clock.clone(), &config.flow);
    let keyring = Arc::new(keyring);
    let webhooks = Sender::new(&config.webhooks)?;
    let dns = Dns::new(&config.dns);
    let node = Arc::new(node::Parts {
        name,
        presence,
        room: Room::new(&config, disks),
        config,
        db,
        clock,
        pepper,
        leaving: AtomicBool::new(false),
        draining: AtomicBool::new(false),
        started_ms,
    });
    let gateway = Arc::new(gateway::Parts {
        node,
        keyring: keyring.clone(),
        signers: Signers::default(),
        clients: Clients::default(),
        breaker: Breaker::default(),
        catalog,
        registry,
        simulator,
        roots: Arc::new(Roots::open(&data_dir)),
        driver,
        dns,
        traces,
    });
    let releases = crate::releases::begin(&gateway).await?;
    let services = services(gateway, keyring, webhooks, (objects, records), notifier)?;
    let hub = Hub {
        services: Arc::new(services),
        editions,
        releases,
        _folder_lock: folder_lock,
    };
    Ok((Arc::new(hub), refused))
}

/// The sandbox of this process.
fn runtime(config: &Config) -> anyhow::Result<Arc<flow::Runtime>> {
    let runtime = flow::Runtime::new(config.flow.limits());
    let runtime = runtime.map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    Ok(Arc::new(runtime))
}

/// What runs the flows of this process.
fn driver(
    runtime: Arc<flow::Runtime>,
    journal: SqlJournal,
    clock: Clock,
    settings: &config::Flow,
) -> flow::Driver {
    flow::Driver {
        runtime,
        journal: Arc::new(journal),
        now_ms: clock,
        computing: Arc::new(Semaphore::new(settings.computing)),
        wait_divisor: settings.wait_divisor,
    }
}

/// The database of a process that serves, and on SQLite the lock of the data
/// folder.
async fn database(config: &Config) -> anyhow::Result<(Db, Option<File>)> {
    let data_dir = &config.storage.data_dir;
    let url = config.database_url();
    // Before the migrations: of two first starts, one makes the tables.
    let folder_lock = match store::engine(&url)? {
        Engine::Sqlite => Some(
            files::lock(&data_dir.join(files::HUB))
                .with_context(|| format!("data folder {}", data_dir.display()))?,
        ),
        Engine::Postgres => None,
    };
    let db = Db::serve(&url, config.database.pool_size).await?;
    if folder_lock.is_some() {
        // This process alone uses the file: every lease is of a process that
        // has ended.
        db.write((), |(), conn| {
            Box::pin(
                async move { Ok::<_, TxError<Infallible>>(presence::release_all(conn).await?) },
            )
        })
        .await?;
    }
    Ok((db, folder_lock))
}

/// What requests are answered with.
fn services(
    gateway: gateway::Gateway,
    keyring: Arc<Keyring>,
    webhooks: Sender,
    (objects, records): (Store, Arc<Store>),
    notifier: Arc<Notifier>,
) -> anyhow::Result<services::Parts> {
    let node = gateway.node.clone();
    let lookups = Arc::new(lookups::parts::Parts::open(gateway.clone())?);
    Ok(services::Parts {
        people: Arc::new(people::Parts {
            node: node.clone(),
            keyring,
            hasher: Hasher::default(),
            keys: Keys::default(),
        }),
        events: Arc::new(event_parts::Parts {
            gateway: gateway.clone(),
            webhooks,
        }),
        objects: Arc::new(object_parts::Parts {
            node,
            objects,
            records,
        }),
        lookups,
        issuing: Arc::new(issuing::Parts {
            gateway,
            authorizer_states: AuthorizerStates::default(),
            notifier,
            running: Running::default(),
        }),
        limiter: Limiter::default(),
        request_log: RequestLog::default(),
        probe: Mutex::default(),
    })
}

/// Starts the background work of a node.
pub fn start(app: &App) {
    let (issuing, events) = (app.issuing.clone(), app.events.clone());
    let gateway = issuing.gateway.clone();
    app.request_log.start(app.db.clone());
    if let Err(error) = app.traces.start(&app.config.traces) {
        tracing::error!(error = %format!("{error:#}"), "traces are not sent");
    }
    let roots = app.roots.clone();
    tokio::task::spawn_blocking(move || roots.warm());
    tokio::spawn(issuing::run::work::poll(issuing.clone()));
    tokio::spawn(inbound::schedule::poll(issuing.clone()));
    tokio::spawn(issuing::notices::room::poll(gateway.node.clone()));
    tokio::spawn(issuing::notices::poll(issuing));
    tokio::spawn(objects::exports::poll(gateway.clone()));
    tokio::spawn(events::dispatch::poll(events.clone()));
    tokio::spawn(events::webhooks::poll(events.clone()));
    tokio::spawn(events::mail::poll(events));
    tokio::spawn(payments::poll(gateway.clone()));
    tokio::spawn(names(app.node.db.clone()));
    tokio::spawn(panel::pages::bulk::work::poll(app.services.clone()));
    tokio::spawn(storage::poll(app.objects.clone()));
    tokio::spawn(objects::archive::poll(app.objects.clone()));
    tokio::spawn(crate::editions::poll(gateway.clone(), app.editions.clone()));
    tokio::spawn(crate::releases::poll(gateway.clone(), app.releases.clone()));
    tokio::spawn(crate::reload::watch(gateway));
}

/// Takes the names of the notes that are older than the table of names, some at a time, so that
/// notes are issued in between. What a stop leaves is taken after the next start.
async fn names(db: Db) {
    loop {
        let taken = db.write((), |(), conn| {
            Box::pin(async move { Ok::<_, TxError<Infallible>>(parties::fill(conn, NAMES).await?) })
        });
        match taken.await {
            Ok(true) => return,
            Ok(false) => tokio::time::sleep(BETWEEN_NAMES).await,
            Err(error) => {
                tracing::warn!(%error, "names of older notes are not taken yet");
                tokio::time::sleep(NAMES_AGAIN).await;
            }
        }
    }
}

/// Starts asking the addresses of the registry whether they answer: apart from the
/// rest, so that a hub inside of a test asks nobody outside.
pub fn start_probes(app: &App) {
    tokio::spawn(measured::job::poll(app.issuing.gateway.clone()));
}

/// Everything the server answers: operations and panel.
pub fn router(app: &App) -> axum::Router {
    let others = panel::router(&app.services).merge(moving::router(&app.services));
    api::router(&app.services, others)
}

/// The adapters there are, those refused, and the registry: read beside each other,
/// each takes tens of milliseconds of a start.
async fn adapters(
    config: &Config,
    runtime: Arc<flow::Runtime>,
) -> anyhow::Result<((Catalog, Vec<Refused>), Arc<flow::registry::Registry>)> {
    let of_registry = config.clone();
    let registry = tokio::task::spawn_blocking(move || load_registry(&of_registry));
    let cache = config.storage.data_dir.join("cache");
    let catalog = Catalog::open(runtime, &config.adapters_folder(), &cache).context("adapters")?;
    Ok((catalog, registry.await.context("registry")??))
}

/// The registry the settings name.
///
/// # Errors
/// Every mistake with its line.
pub fn load_registry(config: &Config) -> anyhow::Result<Arc<flow::registry::Registry>> {
    let file = &config.registry.file;
    if file.as_os_str().is_empty() {
        return flow::registry::built_in()
            .map_err(|errors| registry::unusable("built-in providers.toml", &errors));
    }
    registry::read_usable(file, config).map(Arc::new)
}

/// Whether a hub has used the data folder: its keys are there.
pub fn is_used(config: &Config) -> bool {
    config.storage.data_dir.join("api-keys.pepper").exists()
}

/// The place of packed records that moved, of a tool that reads or moves some.
///
/// # Errors
/// The pepper or the settings cannot be read, or the folder cannot be made.
pub fn records(db: &Db, config: &Config) -> anyhow::Result<Arc<Store>> {
    let space = vault::link::digest(&pepper(config)?, OBJECT_SPACE);
    reach_records(db, config, space)
}

fn reach_records(db: &Db, config: &Config, space: String) -> anyhow::Result<Arc<Store>> {
    let records = Arc::new(Store::of_records(config, space).context("store of records")?);
    db.reach(records.clone());
    Ok(records)
}

/// What the digests of API keys are keyed with.
///
/// # Errors
/// The file cannot be read or made.
pub fn pepper(config: &Config) -> anyhow::Result<[u8; 32]> {
    let path = config.storage.data_dir.join("api-keys.pepper");
    load_or_create_pepper(&path).with_context(|| format!("pepper of API keys, {}", path.display()))
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
