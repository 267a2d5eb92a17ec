//! The roots of the operating system.

use openssl::ssl::SslFiletype;
use openssl::x509::X509;
use openssl::x509::store::{X509Lookup, X509StoreBuilder};
use std::path::PathBuf;

/// Where the system keeps its roots. `SSL_CERT_FILE` and `SSL_CERT_DIR` win,
/// as for every program with OpenSSL.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// One file with all of them.
    pub file: Option<PathBuf>,
    /// Without such a file: folders, one certificate per file named by hash.
    pub folders: Vec<PathBuf>,
}

impl System {
    pub fn probe() -> System {
        let found = openssl_probe::probe();
        System {
            folders: if found.cert_file.is_some() {
                Vec::new()
            } else {
                found.cert_dir
            },
            file: found.cert_file,
        }
    }

    /// The certificates of the file. Those that OpenSSL cannot read are
    /// somebody else's matter.
    pub fn certificates(&self) -> Vec<X509> {
        let text = self.file.as_ref().map(std::fs::read);
        text.and_then(Result::ok)
            .and_then(|text| X509::stack_from_pem(&text).ok())
            .unwrap_or_default()
    }

    /// Adds them; what is missing or broken is left out, because our own
    /// roots stand beside them.
    pub(super) fn add_to(&self, store: &mut X509StoreBuilder) {
        for certificate in self.certificates() {
            if let Err(error) = store.add_cert(certificate) {
                tracing::debug!(%error, "system root left out");
            }
        }
        for folder in &self.folders {
            let added = store
                .add_lookup(X509Lookup::hash_dir())
                .and_then(|lookup| lookup.add_dir(&folder.to_string_lossy(), SslFiletype::PEM));
            if let Err(error) = added {
                tracing::debug!(%error, "system roots left out");
            }
        }
    }
}
