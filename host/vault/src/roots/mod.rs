//! Whom the hub trusts, for what. Two stores that never mix: servers of the
//! authorities (public roots and ICP-Brasil v10) and signatures or client
//! certificates (the other roots of ICP-Brasil).
//!
//! The certificates are data (`host/vault/roots`); an operator adds to them by
//! `hub roots import`, which takes effect at the next start.

mod chain;
mod embedded;
pub mod import;
mod system;

pub use chain::Chain;
pub use system::System;

use crate::certificate::{Certificate, CertificateError};
use openssl::error::ErrorStack;
use openssl::x509::X509;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// Imported certificates looked at, per purpose.
const MAX_IMPORTED: usize = 1_000;

/// What a certificate is trusted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Purpose {
    /// TLS servers of the authorities.
    Server,
    /// Signatures and client certificates.
    Signature,
}

impl Purpose {
    pub fn as_str(self) -> &'static str {
        match self {
            Purpose::Server => "servidor",
            Purpose::Signature => "assinatura",
        }
    }

    fn parse(word: &str) -> Option<Purpose> {
        [Purpose::Server, Purpose::Signature]
            .into_iter()
            .find(|purpose| purpose.as_str() == word)
    }
}

/// Where a certificate came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the binary: source, and day it was read there (`host/vault/roots`).
    Embedded { source: String, read_on: String },
    /// By `hub roots import`.
    Imported { path: PathBuf },
}

/// One certificate of the stores.
#[derive(Clone)]
pub struct Known {
    pub purpose: Purpose,
    /// Signs itself and is an anchor; otherwise it only completes chains.
    pub root: bool,
    pub facts: Certificate,
    pub origin: Origin,
    pub x509: X509,
}

impl Known {
    fn new(purpose: Purpose, x509: X509, origin: Origin) -> Result<Known, CertificateError> {
        Ok(Known {
            purpose,
            root: signs_itself(&x509),
            facts: Certificate::from_x509(&x509)?,
            origin,
            x509,
        })
    }
}

/// Both stores.
pub struct Roots {
    imported: Vec<Known>,
    system: System,
    /// Roots and intermediates for signatures, made at first use.
    signature: OnceLock<Option<X509Store>>,
    /// What was found of a chain, by the holder's fingerprint.
    chains: Mutex<HashMap<String, Chain>>,
}

impl Roots {
    /// The embedded certificates and those imported into `data_dir`. A file
    /// that cannot be used is logged and left out.
    pub fn open(data_dir: &Path) -> Roots {
        let mut imported = Vec::new();
        for purpose in [Purpose::Server, Purpose::Signature] {
            let folder = folder(data_dir, purpose);
            for path in import::files(&folder, MAX_IMPORTED).unwrap_or_default() {
                match load(&path, purpose) {
                    Ok(known) => imported.push(known),
                    Err(reason) => {
                        tracing::warn!(file = %path.display(), %reason, "imported root left out");
                    }
                }
            }
        }
        Roots {
            imported,
            system: System::probe(),
            signature: OnceLock::new(),
            chains: Mutex::default(),
        }
    }

    /// Reads what every question about a signature needs: some tens of
    /// milliseconds that no call should wait for.
    pub fn warm(&self) {
        if self.signatures().is_none() {
            tracing::error!("no certificate can be checked: its roots cannot be used");
        }
    }

    fn signatures(&self) -> Option<&X509Store> {
        let made = self
            .signature
            .get_or_init(|| self.store(Purpose::Signature).ok());
        made.as_ref()
    }

    /// Every certificate, without those of the system.
    pub fn all(&self) -> impl Iterator<Item = &Known> {
        embedded::all().iter().chain(&self.imported)
    }

    /// The system's own roots, which count for servers only.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// A new store for TLS servers. Reads the system's roots: takes tens of
    /// milliseconds, once per process.
    ///
    /// # Errors
    /// OpenSSL refuses a certificate.
    pub fn server(&self) -> Result<X509Store, ErrorStack> {
        let mut store = X509StoreBuilder::new()?;
        self.system.add_to(&mut store);
        for known in self.all().filter(|known| known.purpose == Purpose::Server) {
            store.add_cert(known.x509.clone())?;
        }
        Ok(store.build())
    }

    fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Known> {
        self.all().filter(move |known| known.purpose == purpose)
    }
}

/// Where imported certificates of a purpose are.
pub fn folder(data_dir: &Path, purpose: Purpose) -> PathBuf {
    data_dir.join("roots").join(purpose.as_str())
}

fn load(path: &Path, purpose: Purpose) -> Result<Known, String> {
    let text = import::read(path).map_err(|error| error.to_string())?;
    let x509 = X509::from_pem(&text).map_err(|_| "not a PEM certificate".to_owned())?;
    let origin = Origin::Imported {
        path: path.to_owned(),
    };
    let known = Known::new(purpose, x509, origin).map_err(|error| error.to_string())?;
    // The folder is the operator's, the rule is not.
    if let Some(reason) = import::never(&known) {
        return Err(reason.to_owned());
    }
    Ok(known)
}

fn signs_itself(x509: &X509) -> bool {
    chain::signed_by(x509, x509)
}

#[cfg(test)]
mod tests;
