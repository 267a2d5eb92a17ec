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

pub use chain::Cadeia;
pub use system::System;

use crate::certificate::{Certificate, CertificateError};
use openssl::error::ErrorStack;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use openssl::x509::{X509, X509VerifyResult};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// Imported certificates looked at, per purpose.
const MAX_IMPORTED: usize = 1_000;

/// What a certificate is trusted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Para {
    /// TLS servers of the authorities.
    Servidor,
    /// Signatures and client certificates.
    Assinatura,
}

impl Para {
    pub fn as_str(self) -> &'static str {
        match self {
            Para::Servidor => "servidor",
            Para::Assinatura => "assinatura",
        }
    }

    fn parse(word: &str) -> Option<Para> {
        [Para::Servidor, Para::Assinatura]
            .into_iter()
            .find(|para| para.as_str() == word)
    }
}

/// Where a certificate came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origem {
    /// In the binary: source, and day it was read there (`host/vault/roots`).
    Embutida { fonte: String, lido_em: String },
    /// By `hub roots import`.
    Importada { arquivo: PathBuf },
}

/// One certificate of the stores.
#[derive(Clone)]
pub struct Known {
    pub para: Para,
    /// Signs itself and is an anchor; otherwise it only completes chains.
    pub raiz: bool,
    pub facts: Certificate,
    pub origem: Origem,
    pub x509: X509,
}

impl Known {
    fn new(para: Para, x509: X509, origem: Origem) -> Result<Known, CertificateError> {
        Ok(Known {
            para,
            raiz: signs_itself(&x509),
            facts: Certificate::from_der(&x509.to_der()?)?,
            origem,
            x509,
        })
    }
}

/// Both stores.
pub struct Roots {
    imported: Vec<Known>,
    system: System,
    /// Roots and intermediates for signatures, made at first use.
    assinatura: OnceLock<Option<X509Store>>,
    /// What was found of a chain, by the holder's fingerprint.
    cadeias: Mutex<HashMap<String, Cadeia>>,
}

impl Roots {
    /// The embedded certificates and those imported into `data_dir`. A file
    /// that cannot be used is logged and left out.
    pub fn open(data_dir: &Path) -> Roots {
        let mut imported = Vec::new();
        for para in [Para::Servidor, Para::Assinatura] {
            let folder = folder(data_dir, para);
            for path in import::files(&folder, MAX_IMPORTED).unwrap_or_default() {
                match load(&path, para) {
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
            assinatura: OnceLock::new(),
            cadeias: Mutex::default(),
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
            .assinatura
            .get_or_init(|| self.store(Para::Assinatura).ok());
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
    pub fn servidor(&self) -> Result<X509Store, ErrorStack> {
        let mut store = X509StoreBuilder::new()?;
        self.system.add_to(&mut store);
        for known in self.all().filter(|known| known.para == Para::Servidor) {
            store.add_cert(known.x509.clone())?;
        }
        Ok(store.build())
    }

    fn of(&self, para: Para) -> impl Iterator<Item = &Known> {
        self.all().filter(move |known| known.para == para)
    }
}

/// Where imported certificates of a purpose are.
pub fn folder(data_dir: &Path, para: Para) -> PathBuf {
    data_dir.join("roots").join(para.as_str())
}

fn load(path: &Path, para: Para) -> Result<Known, String> {
    let text = import::read(path).map_err(|error| error.to_string())?;
    let x509 = X509::from_pem(&text).map_err(|_| "not a PEM certificate".to_owned())?;
    let origem = Origem::Importada {
        arquivo: path.to_owned(),
    };
    let known = Known::new(para, x509, origem).map_err(|error| error.to_string())?;
    // The folder is the operator's, the rule is not.
    if let Some(reason) = import::never(&known) {
        return Err(reason.to_owned());
    }
    Ok(known)
}

fn signs_itself(x509: &X509) -> bool {
    x509.issued(x509) == X509VerifyResult::OK
        && x509
            .public_key()
            .and_then(|key| x509.verify(&key))
            .unwrap_or(false)
}

#[cfg(test)]
mod tests;
