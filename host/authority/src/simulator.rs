//! The simulated authorities of this process, and where to reach them.

use base::config::{Authorities, AuthoritiesMode};
use sim::pki::{A1Files, A1Request, Pki};
use sim::{Sim, SimConfig};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Certificates the simulator issues live this long.
const YEAR_MS: i64 = 365 * 24 * 3_600_000;
/// Certificates kept for test keys; each costs an RSA key to make.
const KEPT_CERTIFICATES: usize = 256;
/// A world nobody entered for this long is closed; its journal stays.
const IDLE_MS: i64 = 3_600_000;

pub struct Simulator {
    /// The authorities behind the TLS server, who know companies by their
    /// certificates.
    pub sim: Sim,
    /// What test keys see, by account: a test key proves no company, so each
    /// account has authorities of its own.
    worlds: Mutex<HashMap<String, World>>,
    folder: PathBuf,
    clock: base::when::Clock,
    pub pki: Pki,
    /// Address of the TLS server, ours or an outside one.
    address: OnceLock<String>,
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
    /// Prepares the simulator; nothing listens yet.
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
        let journal = Some(folder.join("authorities.jsonl"));
        let sim = Sim::new(SimConfig {
            seed: 1,
            now: clock.clone(),
            journal,
            pki: pki.clone(),
        })?;
        let address = OnceLock::new();
        let mut ca_pem = pki.ca_pem();
        if settings.mode == AuthoritiesMode::Simulator && !settings.simulator.is_empty() {
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
            pki,
            address,
            server: Mutex::default(),
            ca_pem,
            test_certificates: Mutex::default(),
        })
    }

    /// The authorities an account's test keys see.
    ///
    /// # Errors
    /// Their journal cannot be read.
    pub fn world(&self, account: &str) -> std::io::Result<Sim> {
        let now_ms = (self.clock)();
        let mut worlds = self.worlds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(world) = worlds.get_mut(account) {
            world.entered_ms = now_ms;
            return Ok(world.sim.clone());
        }
        worlds.retain(|_, world| now_ms - world.entered_ms < IDLE_MS);
        let sim = Sim::new(SimConfig {
            seed: 1,
            now: self.clock.clone(),
            journal: Some(self.folder.join(format!("{account}.jsonl"))),
            pki: self.pki.clone(),
        })?;
        let world = World {
            sim: sim.clone(),
            entered_ms: now_ms,
        };
        worlds.insert(account.to_owned(), world);
        Ok(sim)
    }

    /// Starts the TLS server, unless an outside one was configured.
    ///
    /// # Errors
    /// The address cannot be used.
    pub async fn listen(&self, address: SocketAddr) -> anyhow::Result<()> {
        if self.address.get().is_none() {
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

    /// A certificate of the simulated authority for a company of a test key
    /// that has none.
    ///
    /// # Errors
    /// The key cannot be made.
    pub fn test_certificate(&self, cnpj: &str, now_ms: i64) -> anyhow::Result<Arc<A1Files>> {
        if let Some(known) = self.lock().get(cnpj) {
            return Ok(known.clone());
        }
        let made = Arc::new(self.pki.issue_a1(A1Request {
            documento: cnpj.to_owned(),
            nome: "EMPRESA SIMULADA".to_owned(),
            valido_de_ms: now_ms - 24 * 3_600_000,
            valido_ate_ms: now_ms + YEAR_MS,
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
