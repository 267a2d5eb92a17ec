//! HTTP/1.1 over TLS towards authorities: one client per certificate and
//! profile, kept a while because its connections are.
//!
//! OpenSSL by hand instead of `reqwest`: a third of the authorities
//! renegotiate to ask for the certificate, which rustls cannot, and some need
//! ciphers and a security level that no client library lets one choose for a
//! host. In return it is known of each failure whether a byte of the request
//! may have left.

mod client;
mod connect;
mod fault;
mod pool;
pub mod profile;
mod trust;

pub use client::{Answer, Client, Outgoing};
pub use profile::Profile;
pub use trust::{Identity, TlsIdentity, Trust};

use super::way::Mode;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::ids::CertificateId;
use store::words::Maybe;
use tokio::sync::OnceCell;

/// Clients kept at the same moment.
const KEPT: usize = 256;
/// How long a client, and with it the customer's key, stays in memory.
const AGE: Duration = Duration::from_secs(600);

/// What distinguishes a client from the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Which {
    pub mode: Mode,
    /// None: a client without certificate; an empty one: the simulator's.
    pub certificate_id: Option<Maybe<CertificateId>>,
    /// The simulator's address, which changes with its process.
    pub simulator: Option<String>,
    pub profile: Profile,
    /// Its requests go without TLS.
    pub plain: bool,
}

struct Kept {
    client: Arc<OnceCell<Arc<Client>>>,
    since: Instant,
}

#[derive(Default)]
pub struct Clients {
    kept: Mutex<HashMap<Which, Kept>>,
    /// The trust in official hosts, shared by all clients: it holds every root
    /// of the system.
    official: OnceCell<Trust>,
}

impl Clients {
    /// The client, built by the first who asks while the others wait.
    ///
    /// # Errors
    /// What `build` says; the next one who asks builds again.
    pub async fn get<E, F>(&self, which: Which, build: impl FnOnce() -> F) -> Result<Arc<Client>, E>
    where
        F: Future<Output = Result<Client, E>>,
    {
        let client = self.place(which);
        let build = async || build().await.map(Arc::new);
        client.get_or_try_init(build).await.cloned()
    }

    /// Forgets the clients of a certificate, and with them its key.
    pub fn forget(&self, certificate: &CertificateId) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|which, _| {
            let shown = which.certificate_id.as_ref().and_then(Maybe::as_ref);
            shown != Some(certificate)
        });
    }

    /// Trust in official hosts, made once per process.
    ///
    /// # Errors
    /// What `build` says; the next one who asks builds again.
    pub async fn official<E, F>(&self, build: impl FnOnce() -> F) -> Result<Trust, E>
    where
        F: Future<Output = Result<Trust, E>>,
    {
        self.official.get_or_try_init(build).await.cloned()
    }

    fn place(&self, which: Which) -> Arc<OnceCell<Arc<Client>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A client holds its customer's key: the old ones go.
        kept.retain(|_, kept| kept.since.elapsed() < AGE);
        if kept.len() >= KEPT && !kept.contains_key(&which) {
            kept.clear();
        }
        let new = || Kept {
            client: Arc::default(),
            since: Instant::now(),
        };
        kept.entry(which).or_insert_with(new).client.clone()
    }
}
