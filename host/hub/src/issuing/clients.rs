//! TLS clients towards authorities, one per certificate and kept a while:
//! building one reads every root certificate of the system.

use super::context::Mode;
use super::customer::TlsIdentity;
use crate::config;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// Clients kept at the same moment.
const KEPT: usize = 256;
/// How long a client, and with it the customer's key, stays in memory.
const AGE: Duration = Duration::from_secs(600);

/// What distinguishes a client from the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Which {
    pub mode: Mode,
    /// None: a client without certificate.
    pub certificate_id: Option<String>,
    /// The simulator's address, which changes with its process.
    pub simulator: Option<String>,
}

struct Kept {
    client: Arc<OnceCell<reqwest::Client>>,
    since: Instant,
}

#[derive(Default)]
pub struct Clients(Mutex<HashMap<Which, Kept>>);

impl Clients {
    /// The client, built by the first who asks while the others wait.
    ///
    /// # Errors
    /// What `build` says; the next one who asks builds again.
    pub async fn get<E, F>(
        &self,
        which: Which,
        build: impl FnOnce() -> F,
    ) -> Result<reqwest::Client, E>
    where
        F: Future<Output = Result<reqwest::Client, E>>,
    {
        let client = self.place(which);
        client.get_or_try_init(build).await.cloned()
    }

    fn place(&self, which: Which) -> Arc<OnceCell<reqwest::Client>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

/// Builds a client; blocks for some tens of milliseconds.
///
/// # Errors
/// OpenSSL does not take the certificate or the authority's root.
pub fn build(
    settings: &config::Authorities,
    root_pem: Option<&[u8]>,
    identity: Option<TlsIdentity>,
) -> Result<reqwest::Client, reqwest::Error> {
    // OpenSSL: a third of the authorities renegotiate to ask for the
    // certificate, which rustls cannot. Verification is always on.
    let mut builder = reqwest::Client::builder()
        .tls_backend_native()
        .http1_only()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        // What may issue a note is never repeated by the client.
        .retry(reqwest::retry::never())
        .connect_timeout(Duration::from_millis(settings.connect_timeout_ms))
        .min_tls_version(reqwest::tls::Version::TLS_1_2);
    if let Some(root) = root_pem {
        builder = builder.tls_certs_only([reqwest::Certificate::from_pem(root)?]);
    }
    if let Some((chain, key)) = identity {
        builder = builder.identity(reqwest::Identity::from_pkcs8_pem(&chain, &key)?);
    }
    builder.build()
}
