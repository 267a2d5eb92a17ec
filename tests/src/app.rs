//! A whole hub in this process: real database, real sandbox, real TLS to a
//! simulator; only the clock can be moved.

use crate::a1::{PASSWORD, pfx};
use crate::{adapters, dns, headers, places, postgres, shapes};
use base::config::Config;
use base::files::Space;
use base::when::Clock;
use hub::app::App;
use hub::demo::open_account;
use issuing::emitters::profile::{Credentials, Perfil, PerfilNfse, TaxRegime};
use issuing::emitters::{self, NewEmitter};
use issuing::model::Ambiente;
use serde_json::Value;
use sim::pki::PfxFormat;
use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use store::TxError;
use store::ids::AccountId;
use store::node::room::Reader;
use store::tables::accounts::{Released, release};
use tempfile::TempDir;

/// Which database a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

pub struct TestApp {
    pub app: App,
    pub base_url: String,
    pub test_key: String,
    pub live_key: String,
    pub account_id: AccountId,
    /// Added to the machine's clock, milliseconds.
    pub ahead_ms: Arc<AtomicI64>,
    /// Where the machine's clock was stopped, 0 while it goes.
    stopped_ms: Arc<AtomicI64>,
    /// Room on the disk, bytes, whatever this machine has.
    pub free_bytes: Arc<AtomicU64>,
    http: reqwest::Client,
    _folder: TempDir,
}

/// What the disk of a test has, bytes.
const DISK_BYTES: u64 = 100 << 30;

/// A SQLite database with the schema of this program, made once.
async fn sqlite() -> &'static [u8] {
    static MADE: tokio::sync::OnceCell<Vec<u8>> = tokio::sync::OnceCell::const_new();
    let made = MADE.get_or_init(async || {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("hub.db");
        // Migrating closes its connection, which leaves all of it in this file.
        let url = format!("sqlite:{}", file.display());
        store::Db::open(&url, 1).await.expect("database");
        std::fs::read(&file).expect("database")
    });
    made.await
}

/// What came back, read.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
    pub text: String,
}

impl Answer {
    /// Reads a response to its end.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn read(response: reqwest::Response) -> reqwest::Result<Answer> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await?;
        Ok(Answer {
            status,
            headers,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        })
    }

    /// Whether it says that it is not the last one.
    pub fn is_open(&self) -> bool {
        let open = ["requisicao_em_andamento", "em_transmissao"];
        self.status == 202 || open.contains(&self.text_at("/codigo"))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// `422 validacao_previa` or `201 autorizada`: what most tests look at.
    pub fn summary(&self) -> String {
        let word = self.body["codigo"]
            .as_str()
            .or(self.body["status"].as_str())
            .unwrap_or_default();
        format!("{} {word}", self.status)
    }

    /// A member as text.
    pub fn text_at(&self, pointer: &str) -> &str {
        self.body
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

impl TestApp {
    /// None where this backend is not on the machine.
    pub async fn start(backend: Backend) -> Option<TestApp> {
        TestApp::start_with(backend, |_| {}).await
    }

    /// As `start`, with settings changed.
    ///
    /// # Panics
    /// The hub does not start.
    pub async fn start_with(backend: Backend, change: impl FnOnce(&mut Config)) -> Option<TestApp> {
        let folder = tempfile::tempdir().expect("folder");
        let mut config = Config::load(None, |_| None, &[]).expect("defaults");
        config.storage.data_dir = folder.path().to_owned();
        config.adapters.folder = adapters::folder().to_owned();
        config.authorities.mode = base::config::AuthoritiesMode::Simulator;
        config.server.listen = "127.0.0.1:0".to_owned();
        // Links without a host: each test has a port of its own.
        config.server.base_url = String::new();
        config.flow.wait_divisor = 1_000;
        // Adapters are unoptimized here, and the machine may be busy.
        config.flow.step_ms = 5_000;
        config.issuing.wait_ms = 120_000;
        config.issuing.poll_ms = 50;
        // Receivers of the tests stand on this machine.
        config.webhooks.allow_http = true;
        config.webhooks.allow_nets = vec!["127.0.0.1".to_owned()];
        config.dns.servers = vec![dns::address().to_string()];
        config.cte.transmissao = base::config::Transmission::Teste;
        // Nobody outside is asked by a test.
        config.probes.enabled = false;
        if backend == Backend::Postgres {
            config.database.url = postgres::migrated().await?;
            config.database.pool_size = 8;
        }
        change(&mut config);
        if backend == Backend::Sqlite && config.database.url.is_empty() {
            let made = std::fs::write(folder.path().join("hub.db"), sqlite().await);
            made.expect("database");
        }
        // Compiled code is the same for every test.
        let cache = folder.path().join("cache");
        std::fs::create_dir_all(adapters::cache()).expect("cache");
        std::os::unix::fs::symlink(adapters::cache(), &cache).expect("cache link");
        pki(&folder.path().join("simulator"));
        let ahead_ms = Arc::new(AtomicI64::new(0));
        let stopped_ms = Arc::new(AtomicI64::new(0));
        let clock: Clock = {
            let (ahead_ms, stopped_ms) = (ahead_ms.clone(), stopped_ms.clone());
            let machine = base::when::system_clock();
            Arc::new(move || {
                let base_ms = match stopped_ms.load(Ordering::Relaxed) {
                    0 => machine(),
                    stopped_ms => stopped_ms,
                };
                base_ms + ahead_ms.load(Ordering::Relaxed)
            })
        };
        let free_bytes = Arc::new(AtomicU64::new(DISK_BYTES / 2));
        let free = free_bytes.clone();
        let disks: Reader = Arc::new(move |_| {
            let free = free.load(Ordering::Relaxed);
            let total = DISK_BYTES;
            Ok(Space { free, total })
        });
        let opened = hub::boot::open_on(config, clock, disks).await;
        let (app, refused) = opened.expect("hub opens");
        assert!(refused.is_empty(), "{refused:?}");
        app.simulator
            .listen(([127, 0, 0, 1], 0).into())
            .await
            .expect("simulator");
        hub::boot::start(&app);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("port");
        let base_url = format!("http://{}", listener.local_addr().expect("address"));
        payments::announce(&app, &base_url);
        let router = hub::boot::router(&app);
        tokio::spawn(
            async move { gate::server::serve(listener, router, std::future::pending()).await },
        );
        let account = open_account(&app, "Teste", 6_000).await.expect("account");
        Some(TestApp {
            app,
            base_url,
            test_key: account.test_key,
            live_key: account.live_key,
            account_id: account.id,
            ahead_ms,
            stopped_ms,
            free_bytes,
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("client"),
            _folder: folder,
        })
    }

    /// An emitter of a municipality, in production, with a certificate of the
    /// simulated authority.
    ///
    /// # Panics
    /// It cannot be registered.
    pub async fn emitter(&self, cnpj: &str, ibge: &str) -> String {
        self.emitter_of(&self.account_id, cnpj, ibge).await
    }

    /// As `emitter`, of another account.
    ///
    /// # Panics
    /// It cannot be registered.
    pub async fn emitter_of(&self, account_id: &AccountId, cnpj: &str, ibge: &str) -> String {
        self.emitter_with(account_id, cnpj, profile(ibge)).await
    }

    /// As `emitter_of`, with a profile of the test's own.
    ///
    /// # Panics
    /// It cannot be registered.
    pub async fn emitter_with(&self, account_id: &AccountId, cnpj: &str, perfil: Perfil) -> String {
        let file = pfx(self, cnpj, PfxFormat::Modern, (-1, 365));
        let new = NewEmitter {
            cnpj: cnpj.to_owned(),
            alias: None,
            ambiente: Ambiente::Production,
            default: Some(true),
            certificado: Some((file, PASSWORD.to_owned())),
            perfil: Some(perfil),
        };
        emitters::register(&self.app, account_id, new, false)
            .await
            .map(|emitter| emitter.row.id.into())
            .expect("emitter")
    }

    /// Releases an account for transport documents.
    ///
    /// # Panics
    /// There is no such account.
    pub async fn release(&self, account_id: &AccountId) {
        let input = account_id.clone();
        let written = self.app.db.write(input, |account, conn| {
            Box::pin(async move {
                let cte = release(conn, account, Released::Cte, true).await?;
                let mdfe = release(conn, account, Released::Mdfe, true).await?;
                Ok::<_, TxError<Infallible>>(cte && mdfe)
            })
        });
        assert!(written.await.expect("a release"), "no such account");
    }

    /// Waits until the calls answered so far stand in the log of calls.
    ///
    /// # Panics
    /// They do not.
    pub async fn calls_logged(&self) {
        crate::until(async || {
            let written = self.app.request_log.is_empty();
            written.then_some(()).ok_or("calls wait to be written")
        })
        .await;
    }

    /// From here on only the test moves the clock: for what is counted while
    /// real time goes by, on a machine as slow as it likes.
    pub fn stop_clock(&self) {
        let base_ms = self.app.now_ms() - self.ahead_ms.load(Ordering::Relaxed);
        self.stopped_ms.store(base_ms, Ordering::Relaxed);
    }

    /// An emitter that has no certificate yet.
    ///
    /// # Panics
    /// It cannot be registered.
    pub async fn emitter_without_certificate(&self, cnpj: &str, ibge: &str) -> String {
        let new = NewEmitter {
            cnpj: cnpj.to_owned(),
            alias: None,
            ambiente: Ambiente::Homologacao,
            default: Some(true),
            certificado: None,
            perfil: Some(profile(ibge)),
        };
        emitters::register(&self.app, &self.account_id, new, false)
            .await
            .map(|emitter| emitter.row.id.into())
            .expect("emitter")
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(
            self.http
                .get(format!("{}{path}", self.base_url))
                .bearer_auth(&self.live_key),
        )
        .await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_as(&self.live_key, path, body, None).await
    }

    pub async fn post_as(
        &self,
        key: &str,
        path: &str,
        body: &Value,
        idempotency: Option<&str>,
    ) -> Answer {
        let mut request = self
            .http
            .post(format!("{}{path}", self.base_url))
            .bearer_auth(key)
            .header("content-type", "application/json")
            .body(body.to_string());
        if let Some(idempotency) = idempotency {
            request = request.header("idempotency-key", idempotency);
        }
        self.send(request).await
    }

    /// Any request; `http()` builds it. The answer looks as the document says,
    /// and so does a body that was accepted.
    ///
    /// # Panics
    /// The hub does not answer, or not as documented.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let (client, request) = request.build_split();
        let request = request.expect("a request");
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let query = request.url().query().unwrap_or_default().to_owned();
        let body = request.body().and_then(reqwest::Body::as_bytes);
        let body = body.map(<[u8]>::to_vec);
        let response = client.execute(request).await.expect("an answer");
        let answer = Answer::read(response).await.expect("a body");
        let status = answer.status;
        headers::assert_documented(method.as_str(), &path, status, &answer.headers);
        let accepted = (200..300).contains(&status);
        if path.starts_with("/api/v1/") {
            places::assert_one_form(&answer.body);
        }
        if accepted && answer.header("content-type") == "application/json" {
            shapes::assert_documented(method.as_str(), &path, status, &answer.body);
        }
        // A 207 tells of each item whether it was accepted; of a tolerant call
        // the hub takes members it does not know.
        if accepted && status != 207 && !query.contains("tolerante") {
            let body = body.unwrap_or_default();
            shapes::assert_request_documented(method.as_str(), &path, &body);
        }
        answer
    }

    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Posts with one `Idempotency-Key` until the answer is the last one, however slow the
    /// machine.
    ///
    /// # Panics
    /// There is none within a minute.
    pub async fn post_to_the_end(
        &self,
        key: &str,
        path: &str,
        body: &Value,
        order: &str,
    ) -> Answer {
        crate::until(async || {
            let answer = self.post_as(key, path, body, Some(order)).await;
            if answer.is_open() {
                Err(answer.text)
            } else {
                Ok(answer)
            }
        })
        .await
    }

    /// Reads an address until its answer is as it should be.
    ///
    /// # Panics
    /// It is not within 20 s.
    pub async fn until(&self, path: &str, accept: impl Fn(&Answer) -> bool) -> Answer {
        crate::until(async || {
            let answer = self.get(path).await;
            if accept(&answer) {
                Ok(answer)
            } else {
                Err(answer.text)
            }
        })
        .await
    }

    /// Waits until a note has a state; its record then.
    ///
    /// # Panics
    /// It does not get there within 20 s.
    pub async fn until_note(&self, nota_id: &str, state: &str) -> Answer {
        let path = format!("/api/v1/documentos/{nota_id}");
        self.until(&path, |note| note.text_at("/status") == state)
            .await
    }

    /// The items of a list, once there are at least so many.
    ///
    /// # Panics
    /// There are not within 20 s.
    pub async fn until_told(&self, path: &str, least: usize) -> Vec<Value> {
        let items = |list: &Answer| list.body["itens"].as_array().cloned().unwrap_or_default();
        items(&self.until(path, |list| items(list).len() >= least).await)
    }

    /// Credits the account can spend.
    ///
    /// # Panics
    /// The database does not answer.
    pub async fn balance(&self) -> (i64, i64) {
        let mut conn = self.app.db.read().await.expect("connection");
        let balances = accounts::ledger::balances(&mut conn, &self.account_id)
            .await
            .expect("balances");
        (balances.available, balances.held)
    }

    /// All rules of `hub doctor`.
    ///
    /// # Panics
    /// One is broken.
    pub async fn check_invariants(&self) {
        let mut conn = self.app.db.read().await.expect("connection");
        let findings = store::checks::run(&mut conn).await.expect("checks");
        assert!(findings.is_empty(), "{findings:?}");
    }
}

/// Gives a hub the simulated authority that all tests of this process share:
/// making its keys is the slowest part of a start.
fn pki(folder: &Path) {
    static MADE: OnceLock<TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let made = tempfile::tempdir().expect("folder");
        let now_ms = base::when::system_clock()();
        let pki = sim::pki::Pki::load_or_create(made.path(), now_ms).expect("authority");
        // Makes the key of the test companies, too.
        let company = sim::pki::A1Request {
            document: "11222333000181".to_owned(),
            name: "EMPRESA DE TESTE LTDA".to_owned(),
            valid_from_ms: now_ms,
            valid_until_ms: now_ms + 1,
        };
        pki.issue_test_a1(company)
            .expect("key of the test companies");
        made
    });
    std::fs::create_dir_all(folder).expect("folder of the simulator");
    for entry in std::fs::read_dir(made.path()).expect("authority") {
        let file = entry.expect("file");
        std::fs::copy(file.path(), folder.join(file.file_name())).expect("authority");
    }
}

/// A profile good enough to issue in a municipality.
pub fn profile(ibge: &str) -> Perfil {
    Perfil {
        razao_social: Some("Empresa de Teste Ltda".to_owned()),
        // The example of the state's own manual, for MG: a valid number.
        ie: Some("0623079040081".to_owned()),
        im: Some("12345".to_owned()),
        regime: Some(TaxRegime::Normal),
        endereco: Some(fiscal::nfse::dps::Address {
            cep: Some("30130010".to_owned()),
            logradouro: Some("Avenida Central".to_owned()),
            numero: Some("100".to_owned()),
            bairro: Some("Centro".to_owned()),
            codigo_ibge: Some(ibge.to_owned()),
            ..Default::default()
        }),
        nfse: Some(PerfilNfse {
            serie_rps: Some("1".to_owned()),
            credenciais: Some(Credentials {
                usuario: Some("usuario".to_owned()),
                senha: Some("senha".to_owned()),
                token: None,
                ..Credentials::default()
            }),
            ..PerfilNfse::default()
        }),
        padroes: serde_json::from_value(serde_json::json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
            "icms": { "cst": "00", "aliquota": 18 }, "pis": { "cst": "01", "aliquota": 1.65 },
            "cofins": { "cst": "01", "aliquota": 7.6 }, "ibs_cbs": { "cst": "000", "cclass_trib": "000001" },
        }))
        .ok(),
        ..Perfil::default()
    }
}

/// The same test on both databases; on PostgreSQL it says when it skips.
///
/// A test belongs here if it runs a statement that hardly another test runs on
/// PostgreSQL, or if the database alone decides what it asks about: who comes
/// first, what two may not do at once, the order of lists, the limits of accounts
/// and keys. For the rest there is [`on_sqlite!`].
#[macro_export]
macro_rules! both {
    ($(#[$meta:meta])* async fn $name:ident($app:ident: TestApp) $body:block) => {
        mod $name {
            use super::*;

            async fn run($app: $crate::TestApp) $body

            $crate::sqlite_test!();

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                if let Some(app) = $crate::TestApp::start($crate::app::Backend::Postgres).await {
                    run(app).await;
                }
            }
        }
    };
}

/// A test on SQLite alone: tests of [`both!`] run the same statements on
/// PostgreSQL.
#[macro_export]
macro_rules! on_sqlite {
    ($(#[$meta:meta])* async fn $name:ident($app:ident: TestApp) $body:block) => {
        mod $name {
            use super::*;

            async fn run($app: $crate::TestApp) $body

            $crate::sqlite_test!();
        }
    };
}

/// The function `run` as a test on SQLite.
#[macro_export]
macro_rules! sqlite_test {
    () => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn sqlite() {
            run($crate::TestApp::start($crate::app::Backend::Sqlite)
                .await
                .expect("SQLite is always there"))
            .await;
        }
    };
}
