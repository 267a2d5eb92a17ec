//! The simulated authorities of this process, and where to reach them.

use anyhow::Context as _;
use base::config::{Authorities, AuthoritiesMode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openssl::x509::X509;
use serde_json::{Value, json};
use sim::pki::{A1Files, A1Request, PfxFormat, Pki};
use sim::{Cities, Sim, SimConfig};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use store::ids::AccountId;

/// Certificates the simulator issues live this long.
const YEAR_MS: i64 = 365 * 24 * 3_600_000;
/// Certificates kept for test keys; each costs an RSA key to make.
const KEPT_CERTIFICATES: usize = 256;
/// A world nobody entered for this long is closed; its file stays.
const IDLE_MS: i64 = 3_600_000;
/// Most worlds open at once; each holds three files and at most some MiB.
const OPEN_WORLDS: usize = 64;
/// The file of the authorities behind the TLS server, and the end of the names
/// of the worlds' files.
const FILE: &str = "authorities.sqlite";
const WORLD: &str = "sqlite";
/// Longest wait for a certificate of an outside simulator; it makes an RSA key.
const ORDER_WAIT: Duration = Duration::from_secs(15);

pub struct Simulator {
    /// The authorities behind the TLS server, who know companies by their
    /// certificates.
    pub sim: Sim,
    /// What test keys see, by account: a test key proves no company, so each
    /// account has authorities of its own.
    worlds: Mutex<HashMap<AccountId, World>>,
    folder: PathBuf,
    clock: base::when::Clock,
    /// Municipal systems that are known by their cases, in all worlds.
    cities: Cities,
    pub pki: Pki,
    /// Address of the TLS server, ours or an outside one.
    address: OnceLock<String>,
    /// Whether that is another process, with an authority of its own.
    outside: bool,
    /// Keeps our own TLS server running.
    server: Mutex<Option<sim::ServerHandle>>,
    /// Root the TLS server's certificate comes from.
    ca_pem: Vec<u8>,
    test_certificates: Mutex<HashMap<String, Arc<A1Files>>>,
}

struct World {
    sim: Sim,
    entered_ms: i64,
}

impl Simulator {
    /// Prepares the simulator; nothing listens yet, and no file of what the
    /// authorities know is opened.
    ///
    /// # Errors
    /// Its folder cannot be used, or the outside simulator's CA not read.
    pub fn open(
        folder: &Path,
        settings: &Authorities,
        clock: base::when::Clock,
    ) -> anyhow::Result<Simulator> {
        base::files::folder(folder)?;
        let pki = Pki::load_or_create(folder, clock())?;
        let cities = cities(&settings.simulator_cases);
        let sim = Sim::new(SimConfig {
            seed: 1,
            now: clock.clone(),
            file: Some(folder.join(FILE)),
            pki: pki.clone(),
            cities: cities.clone(),
        });
        let address = OnceLock::new();
        let mut ca_pem = pki.ca_pem();
        let outside = settings.mode == AuthoritiesMode::Simulator && !settings.simulator.is_empty();
        if outside {
            ca_pem = std::fs::read(&settings.simulator_ca).map_err(|error| {
                anyhow::anyhow!(
                    "authorities.simulator_ca = {}: {error}",
                    settings.simulator_ca.display()
                )
            })?;
            let _first = address.set(settings.simulator.clone());
        }
        Ok(Simulator {
            sim,
            worlds: Mutex::default(),
            folder: base::files::folder(&folder.join("contas")).map(|()| folder.join("contas"))?,
            clock,
            cities,
            pki,
            address,
            outside,
            server: Mutex::default(),
            ca_pem,
            test_certificates: Mutex::default(),
        })
    }

    /// The authorities an account's test keys see.
    ///
    /// # Errors
    /// Their file cannot be opened.
    pub fn world(&self, account: &AccountId) -> std::io::Result<Sim> {
        let sim = self.entered(account);
        sim.open()?;
        Ok(sim)
    }

    fn entered(&self, account: &AccountId) -> Sim {
        let now_ms = (self.clock)();
        let mut worlds = self.worlds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(world) = worlds.get_mut(account) {
            world.entered_ms = now_ms;
            return world.sim.clone();
        }
        worlds.retain(|_, world| now_ms - world.entered_ms < IDLE_MS);
        if worlds.len() >= OPEN_WORLDS {
            let oldest = worlds.iter().min_by_key(|(_, world)| world.entered_ms);
            if let Some(oldest) = oldest.map(|(account, _)| account.clone()) {
                worlds.remove(&oldest);
            }
        }
        let sim = Sim::new(SimConfig {
            seed: 1,
            now: self.clock.clone(),
            file: Some(self.folder.join(format!("{account}.{WORLD}"))),
            pki: self.pki.clone(),
            cities: self.cities.clone(),
        });
        let world = World {
            sim: sim.clone(),
            entered_ms: now_ms,
        };
        worlds.insert(account.to_owned(), world);
        sim
    }

    /// Starts the TLS server, unless an outside one was configured.
    ///
    /// # Errors
    /// The address cannot be used, or the file of the authorities not opened.
    pub async fn listen(&self, address: SocketAddr) -> anyhow::Result<()> {
        if self.address.get().is_none() {
            self.sim.open()?;
            let (bound, server) = sim::serve(self.sim.clone(), &self.pki, address).await?;
            let _first = self.address.set(format!("localhost:{}", bound.port()));
            *self
                .server
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(server);
        }
        Ok(())
    }

    /// `host:port` of the TLS server, once there is one.
    pub fn address(&self) -> Option<&str> {
        self.address.get().map(String::as_str)
    }

    pub fn ca_pem(&self) -> &[u8] {
        &self.ca_pem
    }

    /// A certificate (PFX) that the authorities at [`Simulator::address`] accept
    /// of a company. Those of another process are asked for it.
    ///
    /// # Errors
    /// The key cannot be made, or the outside simulator gives none.
    pub async fn issue(&self, cnpj: &str, name: &str, password: &str) -> anyhow::Result<Vec<u8>> {
        if self.outside {
            let address = self.address().unwrap_or_default();
            return self
                .order(address, cnpj, name, password)
                .await
                .with_context(|| {
                    format!("the simulator at {address} gives no certificate it would accept")
                });
        }
        let now_ms = (self.clock)();
        let made = self.pki.issue_a1(A1Request {
            document: cnpj.to_owned(),
            name: name.to_owned(),
            valid_from_ms: now_ms - 24 * 3_600_000,
            valid_until_ms: now_ms + YEAR_MS,
        })?;
        Ok(made.pfx(password, PfxFormat::Modern)?)
    }

    /// Whether a chain ends in the root of the authorities at [`Simulator::address`].
    pub fn issued(&self, chain_der: &[Vec<u8>]) -> bool {
        let roots = X509::stack_from_pem(&self.ca_pem).unwrap_or_default();
        let roots = roots.iter().filter_map(|root| root.to_der().ok());
        roots
            .into_iter()
            .any(|root| chain_der.last() == Some(&root))
    }

    /// `POST /__sim/certificados` of the outside simulator.
    async fn order(
        &self,
        address: &str,
        cnpj: &str,
        name: &str,
        password: &str,
    ) -> anyhow::Result<Vec<u8>> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .timeout(ORDER_WAIT)
            .add_root_certificate(reqwest::Certificate::from_pem(&self.ca_pem)?)
            .build()?;
        let order = json!({ "documento": cnpj, "nome": name, "senha": password });
        let asked = client
            .post(format!("https://{address}/__sim/certificados"))
            .body(order.to_string());
        let answer = asked.send().await?.error_for_status()?.bytes().await?;
        let answer: Value = serde_json::from_slice(&answer)?;
        let pfx = answer["pfx_base64"].as_str().context("no pfx_base64")?;
        Ok(STANDARD.decode(pfx)?)
    }

    /// A certificate of the simulated authority for a company of a test key
    /// that has none.
    ///
    /// # Errors
    /// The key cannot be made.
    pub fn test_certificate(&self, cnpj: &str, now_ms: i64) -> anyhow::Result<Arc<A1Files>> {
        if let Some(known) = self.lock().get(cnpj) {
            return Ok(known.clone());
        }
        let made = Arc::new(self.pki.issue_test_a1(A1Request {
            document: cnpj.to_owned(),
            name: "EMPRESA SIMULADA".to_owned(),
            valid_from_ms: now_ms - 24 * 3_600_000,
            valid_until_ms: now_ms + YEAR_MS,
        })?);
        let mut kept = self.lock();
        if kept.len() >= KEPT_CERTIFICATES {
            kept.clear();
        }
        kept.insert(cnpj.to_owned(), made.clone());
        Ok(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<A1Files>>> {
        self.test_certificates
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Cities of the cases in a folder beside those built in; an empty path is none.
fn cities(folder: &Path) -> Cities {
    if folder.as_os_str().is_empty() {
        return Cities::default();
    }
    if !folder.is_dir() {
        tracing::warn!(folder = %folder.display(), "authorities.simulator_cases: there is no such folder");
    }
    let cities = Cities::with(folder);
    for problem in cities.problems() {
        tracing::warn!(%problem, "authorities.simulator_cases");
    }
    cities
}
