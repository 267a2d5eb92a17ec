//! A lane of the fault tests: one database, one simulator in this process, and
//! the settings of hubs that run in processes of their own and are killed.

mod commands;
mod node;

pub use node::{Node, program};

use base::config::{AuthoritiesMode, Config};
use hub::demo::open_account;
use issuing::emitters::{self, NewEmitter};
use serde_json::Value;
use sim::pki::{A1Request, PfxFormat};
use sim::{Fault, FaultKind, Pki, Sim, SimConfig, When};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::Db;
use store::ids::AccountId;
use store::tables::notas::NotaStatus;
use store::words::{Ambiente, Model};
use tempfile::TempDir;
use tests::app::{Backend, profile};
use tests::{adapters, postgres};

const DAY_MS: i64 = 24 * 3_600_000;
/// Enough for every test of a lane.
const CREDITS: i64 = 1_000_000;
/// How much faster the time of the authorities passes.
pub const HURRY: i64 = 20;
/// The setting of hubs that sell: the secret a payment provider signs with.
pub const CALLBACK_SECRET: &str = "HUB_PAYMENTS_CALLBACK_SECRET";
/// Longest wait for something that must happen.
const PATIENCE: Duration = Duration::from_secs(90);

/// A city of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum City {
    /// Belo Horizonte: the national environment, adapter `dps`.
    National,
    /// Ariquemes: ABRASF 2.02 that answers at once.
    Webiss,
    /// ABRASF 2.04 with a queue of batches.
    Giss,
    /// No city: product notes of Belo Horizonte, through SEFAZ MG.
    Sefaz,
}

impl City {
    pub fn ibge(self) -> &'static str {
        match self {
            City::National | City::Sefaz => "3106200",
            City::Webiss => "1100304",
            City::Giss => "3301009",
        }
    }

    /// A note this city authorizes.
    pub fn note(self) -> Value {
        if self == City::Sefaz {
            return tests::bodies::nfe();
        }
        let body = tests::bodies::nfse();
        if self == City::National {
            return body;
        }
        let body = tests::bodies::with(body, "/tomador/endereco/codigo_ibge", self.ibge());
        tests::bodies::with(body, "/servico/cnae", "6201501")
    }
}

/// Everything that outlives the hubs.
pub struct Lane {
    pub backend: Backend,
    pub sim: Sim,
    pub db: Db,
    pub account_id: AccountId,
    pub live_key: String,
    pub cnpj: HashMap<City, String>,
    pub http: reqwest::Client,
    emitters: HashMap<City, String>,
    /// Highest number a test has voided.
    voided: AtomicU64,
    settings: Vec<(&'static str, String)>,
    folder: TempDir,
    _server: sim::ServerHandle,
}

/// The keys of the simulated authorities: one set for the whole run, because
/// making them is slow.
fn pki_folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("folder of keys");
            Pki::load_or_create(folder.path(), base::when::system_clock()())
                .expect("keys of the simulator");
            folder
        })
        .path()
}

/// The adapters that these tests need: reading the code of all of them is half of what a
/// hub does while it starts, and these tests start hundreds.
fn components() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let made = || {
        let folder = tempfile::tempdir().expect("folder of adapters");
        for name in ["abrasf", "dps", "psp", "sefaz"] {
            let file = format!("{name}.wasm");
            std::fs::copy(adapters::folder().join(&file), folder.path().join(&file))
                .expect("adapter copied");
        }
        folder
    };
    FOLDER.get_or_init(made).path()
}

/// The registry with these cities only: reading all of them is most of what a
/// hub does while it starts, and these tests start hundreds.
fn registry_of(cities: &[City]) -> String {
    let mut in_municipalities = false;
    flow::registry::BUILT_IN
        .lines()
        .filter(|line| {
            if line.starts_with('[') {
                in_municipalities = *line == "[municipios]";
            }
            let entry = in_municipalities && line.starts_with(|first: char| first.is_ascii_digit());
            !entry || cities.iter().any(|city| line.starts_with(city.ibge()))
        })
        .fold(String::new(), |text, line| text + line + "\n")
}

/// The authority's clock: its queues pass as the pauses of the hubs do, and
/// nobody waits for them.
fn hurried(clock: base::when::Clock) -> base::when::Clock {
    let from_ms = clock();
    std::sync::Arc::new(move || from_ms + (clock() - from_ms) * HURRY)
}

/// A CNPJ that nobody has, different each time.
fn fresh_cnpj() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut digits: Vec<u32> = format!("9{:07}0001", NEXT.fetch_add(1, Ordering::Relaxed))
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .collect();
    for _ in 0..2 {
        let sum: u32 = digits
            .iter()
            .rev()
            .zip((2..=9).cycle())
            .map(|(digit, weight)| digit * weight)
            .sum();
        digits.push(if sum % 11 < 2 { 0 } else { 11 - sum % 11 });
    }
    digits
        .iter()
        .filter_map(|digit| char::from_digit(*digit, 10))
        .collect()
}

impl Lane {
    /// None where this backend is not on the machine.
    pub async fn open(backend: Backend, cities: &[City]) -> Option<Lane> {
        Lane::open_with(backend, cities, &[]).await
    }

    /// As `open`, with settings of the hubs changed: `("HUB_FLOW_LEASE_MS", "1000")`.
    /// Where the hubs sell, nobody is in a hurry: a payment provider signs
    /// the moment of what it tells, and the hub believes it for 300 s of its own.
    ///
    /// # Panics
    /// Something of the lane cannot be made.
    pub async fn open_with(
        backend: Backend,
        cities: &[City],
        changes: &[(&'static str, &str)],
    ) -> Option<Lane> {
        let url = match backend {
            Backend::Sqlite => String::new(),
            Backend::Postgres => postgres::migrated().await?,
        };
        let folder = tempfile::tempdir().expect("folder");
        let data_dir = folder.path().join("data");
        let simulator = data_dir.join("simulator");
        std::fs::create_dir_all(&simulator).expect("data folder");
        let keys = tokio::task::spawn_blocking(pki_folder).await.expect("keys");
        for entry in std::fs::read_dir(keys).expect("keys").flatten() {
            std::fs::copy(entry.path(), simulator.join(entry.file_name())).expect("key copied");
        }
        std::fs::create_dir_all(adapters::cache()).expect("cache");
        Lane::link_cache(&data_dir);

        let clock = base::when::system_clock();
        let pki = Pki::load_or_create(keys, clock()).expect("keys");
        let ca = folder.path().join("ca.pem");
        std::fs::write(&ca, pki.ca_pem()).expect("root certificate");
        let sells = changes.iter().any(|(name, _)| *name == CALLBACK_SECRET);
        let now = if sells {
            clock.clone()
        } else {
            hurried(clock.clone())
        };
        let sim = Sim::new(SimConfig {
            seed: 7,
            now,
            file: None,
            pki: pki.clone(),
            cities: sim::Cities::default(),
        });
        let (address, server) = sim::serve(sim.clone(), &pki, ([127, 0, 0, 1], 0).into())
            .await
            .expect("simulator listens");

        let registry = folder.path().join("providers.toml");
        std::fs::write(&registry, registry_of(cities)).expect("registry");
        let components = tokio::task::spawn_blocking(components)
            .await
            .expect("adapters");
        let mut settings = vec![
            ("HUB_STORAGE_DATA_DIR", data_dir.display().to_string()),
            ("HUB_DATABASE_URL", url),
            ("HUB_DATABASE_POOL_SIZE", "8".to_owned()),
            ("HUB_AUTHORITIES_MODE", "simulator".to_owned()),
            (
                "HUB_AUTHORITIES_SIMULATOR",
                format!("localhost:{}", address.port()),
            ),
            ("HUB_AUTHORITIES_SIMULATOR_CA", ca.display().to_string()),
            ("HUB_AUTHORITIES_TIMEOUT_MS", "5000".to_owned()),
            ("HUB_ADAPTERS_FOLDER", components.display().to_string()),
            ("HUB_REGISTRY_FILE", registry.display().to_string()),
            ("HUB_SERVER_LISTEN", "127.0.0.1:0".to_owned()),
            ("HUB_SERVER_NOTICE_S", "0".to_owned()),
            ("HUB_FLOW_WAIT_DIVISOR", "1000".to_owned()),
            ("HUB_FLOW_STEP_MS", "5000".to_owned()),
            ("HUB_ISSUING_POLL_MS", "50".to_owned()),
            ("HUB_ACCOUNTS_GIFT_CREDITS", CREDITS.to_string()),
            ("HUB_LOG_LEVEL", "info".to_owned()),
            // Whatever room this machine has.
            ("HUB_STORAGE_FREE_SPACE_WARNING", "0".to_owned()),
        ];
        settings.extend(
            changes
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        let environment: HashMap<&str, String> = settings.iter().cloned().collect();
        let config =
            Config::load(None, |name| environment.get(name).cloned(), &[]).expect("settings");
        assert_eq!(config.authorities.mode, AuthoritiesMode::Simulator);

        let url = config.database_url();
        let (app, refused) = hub::boot::open(config, clock).await.expect("hub opens");
        assert!(refused.is_empty(), "{refused:?}");
        let account = open_account(&app, "Falhas", 1_000_000)
            .await
            .expect("account");
        let (mut emitters, mut cnpj) = (HashMap::new(), HashMap::new());
        for city in cities {
            let documento = fresh_cnpj();
            let password = "senha-de-teste".to_owned();
            let request = A1Request {
                document: documento.clone(),
                name: "EMPRESA DE TESTE LTDA".to_owned(),
                valid_from_ms: app.now_ms() - DAY_MS,
                valid_until_ms: app.now_ms() + 365 * DAY_MS,
            };
            let pfx = pki
                .issue_a1(request)
                .expect("certificate")
                .pfx(&password, PfxFormat::Modern)
                .expect("pfx");
            let new = NewEmitter {
                cnpj: documento.clone(),
                alias: None,
                ambiente: Ambiente::Production,
                default: Some(false),
                certificado: Some((pfx, password)),
                perfil: Some(profile(city.ibge())),
            };
            let emitter = emitters::register(&app, &account.id, new, false)
                .await
                .expect("emitter");
            emitters.insert(*city, emitter.row.id.into());
            cnpj.insert(*city, documento);
        }
        // Before the hub closes: the last one that closes a database of SQLite removes
        // files that whoever opens it at this moment looks for.
        let db = Db::open(&url, 4).await.expect("database");
        drop(app);
        Some(Lane {
            backend,
            sim,
            db,
            account_id: account.id,
            live_key: account.live_key,
            cnpj,
            // A broken connection must be seen, not repaired.
            http: reqwest::Client::builder()
                .no_proxy()
                .pool_max_idle_per_host(0)
                .build()
                .expect("client"),
            emitters,
            voided: AtomicU64::new(0),
            settings,
            folder,
            _server: server,
        })
    }

    /// A note of a city, with the emitter named.
    ///
    /// # Panics
    /// The lane has no emitter there.
    pub fn note(&self, city: City) -> Value {
        tests::bodies::with(city.note(), "/emitente_id", self.emitter(city))
    }

    /// Id of the emitter of a city.
    ///
    /// # Panics
    /// The lane has none there.
    pub fn emitter(&self, city: City) -> &str {
        &self.emitters[&city]
    }

    /// First of so many numbers to void: ranges follow each other.
    pub fn next_range(&self, numbers: u64) -> u64 {
        self.voided.fetch_add(numbers, Ordering::Relaxed) + 1
    }

    /// Starts a hub that nothing will kill but the test.
    pub async fn node(&self) -> Node {
        Node::start(self, "serve", "0").await
    }

    /// Starts `hub up`, outside of any checkout.
    pub async fn up(&self) -> Node {
        Node::start(self, "up", "0").await
    }

    /// Starts a hub that dies at its n-th fault point, or at the first with
    /// this label, counted from `arm`.
    pub async fn node_dying_at(&self, point: impl ToString) -> Node {
        Node::start(self, "serve", &point.to_string()).await
    }

    /// A hub in this process, which starts nothing, so many milliseconds ahead
    /// of the others. On SQLite no other may live.
    ///
    /// # Panics
    /// It does not open.
    pub async fn opened(&self, ahead_ms: i64) -> hub::app::App {
        let environment: HashMap<&str, String> = self.settings.iter().cloned().collect();
        let config =
            Config::load(None, |name| environment.get(name).cloned(), &[]).expect("settings");
        let machine = base::when::system_clock();
        let clock: base::when::Clock = std::sync::Arc::new(move || machine() + ahead_ms);
        hub::boot::open(config, clock).await.expect("hub opens").0
    }

    /// Changes a setting for the hubs that start from now on; returns the old
    /// value.
    pub fn set(&mut self, name: &'static str, value: String) -> String {
        let known = self
            .settings
            .iter_mut()
            .find(|(known, _)| *known == name)
            .expect("a setting of the lane");
        std::mem::replace(&mut known.1, value)
    }

    /// A path that outlives the hubs of this lane, for what a test makes.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// URL of the hubs' database.
    ///
    /// # Panics
    /// The settings are none.
    pub fn database_url(&self) -> String {
        let environment: HashMap<&str, String> = self.settings.iter().cloned().collect();
        let config = Config::load(None, |name| environment.get(name).cloned(), &[]);
        config.expect("settings").database_url()
    }

    /// From now on hubs use another database, and so do the questions of the
    /// test.
    ///
    /// # Panics
    /// It cannot be opened.
    pub async fn use_database(&mut self, url: String) {
        self.set("HUB_DATABASE_URL", url);
        self.db = Db::open(&self.database_url(), 4).await.expect("database");
    }

    /// Gives a data folder the compiled adapters all tests share.
    ///
    /// # Panics
    /// The folder has some already.
    pub fn link_cache(data_dir: &Path) {
        std::os::unix::fs::symlink(adapters::cache(), data_dir.join("cache")).expect("cache link");
    }

    /// From now on fault points count.
    pub fn arm(&self) {
        std::fs::write(self.file("armed"), "").expect("armed");
        std::fs::write(self.file("trace"), "").expect("trace");
    }

    pub fn disarm(&self) {
        if self.file("armed").exists() {
            std::fs::remove_file(self.file("armed")).expect("disarmed");
        }
    }

    /// The points passed since `arm`, in order.
    pub fn trace(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.file("trace")).unwrap_or_default();
        text.lines()
            .map(|line| {
                line.split_once(' ')
                    .map_or(line, |(_, label)| label)
                    .to_owned()
            })
            .collect()
    }

    /// All that the hubs of this lane wrote.
    pub fn whole_log(&self) -> String {
        std::fs::read_to_string(self.file("log")).unwrap_or_default()
    }

    /// What the hubs of this lane wrote, the end of it.
    pub fn log(&self) -> String {
        let text = self.whole_log();
        let lines: Vec<&str> = text.lines().collect();
        lines
            .iter()
            .skip(lines.len().saturating_sub(40))
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// Orders a fault of the simulator for one operation, once.
    pub fn order(&self, operation: &str, failure: FaultKind) {
        let when = When {
            operacao: Some(operation.to_owned()),
            ..When::default()
        };
        assert!(
            self.sim.add_fault(Fault {
                quando: when,
                falha: failure,
                ms: Some(300),
                ..Fault::default()
            }),
            "too many faults"
        );
    }

    /// Every emission takes this long from now on.
    pub fn slow(&self, ms: u64) {
        self.always("emitir", FaultKind::Lento, ms);
    }

    /// Orders a fault for one operation, from now on.
    pub fn always(&self, operation: &str, failure: FaultKind, ms: u64) {
        let when = When {
            operacao: Some(operation.to_owned()),
            vezes: Some(0),
            ..When::default()
        };
        assert!(self.sim.add_fault(Fault {
            quando: when,
            falha: failure,
            ms: Some(ms),
            ..Fault::default()
        }));
    }

    /// Lets the leases of dead nodes run out without waiting for the clock.
    ///
    /// # Panics
    /// The database does not answer.
    pub async fn expire_leases(&self) {
        let released = self.db.write((), |(), conn| {
            Box::pin(async move {
                Ok::<_, store::TxError<std::convert::Infallible>>(
                    store::presence::release_all(conn).await?,
                )
            })
        });
        released.await.expect("leases");
    }

    /// Waits until a condition holds.
    ///
    /// # Panics
    /// It does not within the patience of these tests.
    pub async fn until(&self, what: &str, mut holds: impl AsyncFnMut() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds().await {
            assert!(
                Instant::now() < deadline,
                "never came: {what}\n{}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until no flow is open and nothing is to be asked.
    ///
    /// # Panics
    /// Something stays open.
    pub async fn settled(&self) {
        self.until("everything settled", async || {
            self.count("SELECT COUNT(*) FROM flows WHERE phase <> 'done'").await
                + self.count("SELECT COUNT(*) FROM notas WHERE status IN ('em_transmissao', 'pendente_prefeitura')").await
                + self.count("SELECT COUNT(*) FROM eventos WHERE status = 'em_transmissao'").await
                == 0
        })
        .await;
    }

    /// Waits until every event has its place and arrived. One that a webhook has no delivery of yet
    /// makes the webhook due, or is in the hands of a node.
    ///
    /// # Panics
    /// One does not.
    pub async fn told(&self) {
        self.until("every event told", async || {
            self.count("SELECT COUNT(*) FROM outbox WHERE sequencia = 0")
                .await
                + self
                    .count("SELECT COUNT(*) FROM deliveries WHERE status <> 'entregue'")
                    .await
                + self
                    .count("SELECT COUNT(*) FROM webhooks WHERE ativo = 1 AND (lease_owner <> '' OR next_ms < 9223372036854775807)")
                    .await
                == 0
        })
        .await;
    }

    /// What a node answers when something is read with the key of the account.
    ///
    /// # Panics
    /// It does not answer, or not with 200.
    pub async fn asked(&self, node: &Node, path: &str) -> String {
        let url = format!("{}/api/v1/{path}", node.base_url);
        let answer = self.http.get(url).bearer_auth(&self.live_key).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}\n{}", self.log());
        answer.text().await.expect("a text")
    }

    /// A number from the database.
    ///
    /// # Panics
    /// The database does not answer.
    pub async fn count(&self, sql: &'static str) -> i64 {
        crate::sql::count(&self.db, sql).await
    }

    /// The hub's notes and the authority's are the same, every credit is
    /// where it belongs, and `hub doctor` is content.
    ///
    /// # Panics
    /// Something is not so; `when` says after what.
    pub async fn check(&self, when: &str) {
        let mut conn = self.db.read().await.expect("connection");
        let filter = store::tables::notas::Filter {
            limit: 10_000,
            ..Default::default()
        };
        let notas = store::tables::documents::notes(&mut conn, &self.account_id, &filter)
            .await
            .expect("notes")
            .rows;
        let exist: Vec<_> = notas
            .iter()
            .filter(|nota| matches!(nota.status, NotaStatus::Authorized | NotaStatus::Cancelled))
            .collect();
        let theirs = self.sim.notas();
        for nota in &exist {
            let city = self
                .emitters
                .iter()
                .find(|(_, id)| nota.emitter_id == id.as_str())
                .map(|(city, _)| city);
            let cnpj = city
                .map(|city| self.cnpj[city].as_str())
                .expect("an emitter of this lane");
            let rps = format!("{}/{}/", nota.serie, nota.numero);
            let same: Vec<_> = theirs
                .iter()
                .filter(|their| {
                    let number = if nota.modelo == Model::Nfse {
                        nota.numero_nfse.clone()
                    } else {
                        nota.numero.to_string()
                    };
                    their.prestador == cnpj && their.numero.to_string() == number
                })
                .filter(|their| {
                    their.chave_natural.starts_with(&rps)
                        || their.chave.as_ref() == Some(&nota.chave)
                })
                .map(|their| (&their.chave_natural, their.numero, their.situacao))
                .collect();
            assert_eq!(
                same.len(),
                1,
                "{when}: {} {rps} at the authority: {same:?}\n{}",
                nota.id,
                self.log()
            );
            let valid = same
                .iter()
                .all(|(_, _, status)| *status == sim::Status::Normal);
            assert_eq!(
                valid,
                nota.status == NotaStatus::Authorized,
                "{when}: {} is {}, at the authority: {same:?}\n{}",
                nota.id,
                nota.status,
                self.log()
            );
        }
        let there: Vec<_> = theirs
            .iter()
            .map(|their| (&their.prestador, &their.chave_natural, their.numero))
            .collect();
        let here: Vec<_> = notas
            .iter()
            .map(|nota| (&nota.id, &nota.serie, nota.numero, nota.status))
            .collect();
        assert_eq!(
            there.len(),
            exist.len(),
            "{when}: notes at the authority {there:#?}\nand here {here:#?}\n{}",
            self.log()
        );
        for (natural, times) in self.sim.overview().processadas {
            assert_eq!(times, 1, "{when}: {natural} was issued more than once");
        }
        // A cancellation, a letter, a voided range, a question: one price.
        let events = self
            .count("SELECT COUNT(*) FROM eventos WHERE status = 'registrado'")
            .await;
        let balances = accounts::ledger::balances(&mut conn, &self.account_id)
            .await
            .expect("balances");
        let spent = 4 * (i64::try_from(exist.len()).expect("few") + events);
        assert_eq!(
            (balances.available, balances.held),
            (CREDITS - spent, 0),
            "{when}: credits\n{}",
            self.log()
        );
        let findings = store::checks::run(&mut conn).await.expect("checks");
        assert!(findings.is_empty(), "{when}: {findings:?}\n{}", self.log());
    }
}
