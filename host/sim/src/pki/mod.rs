//! The simulator's own certification authority, in the shape of ICP-Brasil:
//! root, intermediate authority, and A1 certificates of companies and persons.
//!
//! Nothing here is trusted outside the simulator: the hub trusts it only when
//! it is configured to call the simulator.

mod a1;
mod holder;
mod issue;
mod store;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use openssl::error::ErrorStack;
use openssl::pkey::{PKey, Private};
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::{X509VerifyFlags, X509VerifyParam};
use openssl::x509::{X509, X509StoreContext};

pub use a1::{A1Files, A1Request, PfxFormat};
pub use holder::{Holder, holder};
pub(crate) use store::private_file;

/// Why a key or certificate could not be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum PkiError {
    /// The crypto library refused.
    #[error("openssl: {0}")]
    Openssl(#[from] ErrorStack),
    /// A file could not be read or written.
    #[error("file of the simulator's keys: {0}")]
    Io(#[from] std::io::Error),
    /// A document that is neither CPF nor CNPJ, a text or a period that no
    /// certificate can carry.
    #[error("certificate request: {0}")]
    Request(&'static str),
}

/// Key and certificate of one authority.
#[derive(Clone)]
pub struct Pair {
    pub(crate) key: PKey<Private>,
    pub(crate) cert: X509,
}

impl Pair {
    /// Key and certificate of an issued A1.
    ///
    /// # Errors
    /// A file that holds no key or no certificate.
    pub fn read(files: &A1Files) -> Result<Self, PkiError> {
        Ok(Self {
            key: PKey::private_key_from_pkcs8(&files.key_pkcs8_der)?,
            cert: X509::from_der(&files.cert_der)?,
        })
    }
}

/// The simulated chain. Clones share the same keys.
#[derive(Clone)]
pub struct Pki(Arc<Inner>);

struct Inner {
    root: Pair,
    intermediate: Pair,
    server: Pair,
    authority: Pair,
    /// Where the keys are kept.
    dir: Option<PathBuf>,
    /// Key of the certificates that [`Pki::issue_test_a1`] issues, once one did.
    test_companies: Mutex<Option<PKey<Private>>>,
}

impl Inner {
    fn generate(now_ms: i64) -> Result<Self, PkiError> {
        let root = issue::root(now_ms)?;
        let intermediate = issue::intermediate(&root, now_ms)?;
        let server = issue::server(&intermediate, now_ms)?;
        let authority = issue::authority(&intermediate, now_ms)?;
        Ok(Self {
            root,
            intermediate,
            server,
            authority,
            dir: None,
            test_companies: Mutex::default(),
        })
    }
}

/// What is wrong with a certificate that was presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateProblem {
    /// Cannot be read as a certificate.
    Unreadable,
    /// Before its first or after its last day.
    Expired,
    /// Not issued by this chain.
    Chain,
}

impl std::fmt::Debug for Pki {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pki")
    }
}

impl Pki {
    /// Makes new keys. The certificates are valid from the day before `now_ms`
    /// (epoch milliseconds) for ten years.
    pub fn generate(now_ms: i64) -> Result<Self, PkiError> {
        Ok(Self(Arc::new(Inner::generate(now_ms)?)))
    }

    /// Reads the keys from `dir`, or makes them there. Key files are readable
    /// by the owner only.
    pub fn load_or_create(dir: &Path, now_ms: i64) -> Result<Self, PkiError> {
        if let Some(inner) = store::load(dir)? {
            return Ok(Self(Arc::new(inner)));
        }
        let inner = Inner {
            dir: Some(dir.to_owned()),
            ..Inner::generate(now_ms)?
        };
        store::save(dir, &inner)?;
        Ok(Self(Arc::new(inner)))
    }

    /// Root certificate (PEM), for the hub's trust store.
    pub fn ca_pem(&self) -> Vec<u8> {
        self.0.root.cert.to_pem().unwrap_or_default()
    }

    /// Issues an A1 certificate and its key.
    pub fn issue_a1(&self, request: A1Request) -> Result<A1Files, PkiError> {
        let key = issue::new_key()?;
        a1::issue(&self.0.intermediate, &self.0.root, &key, &request)
    }

    /// Issues an A1 certificate on a key that all certificates issued here share,
    /// so that none has to be made. For companies that only this simulator knows,
    /// and whose private key is shown to nobody.
    pub fn issue_test_a1(&self, request: A1Request) -> Result<A1Files, PkiError> {
        let mut kept = self
            .0
            .test_companies
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let key = match (&*kept, &self.0.dir) {
            (Some(key), _) => key.clone(),
            (None, Some(dir)) => store::test_companies(dir)?,
            (None, None) => issue::new_key()?,
        };
        *kept = Some(key.clone());
        drop(kept);
        a1::issue(&self.0.intermediate, &self.0.root, &key, &request)
    }

    /// Checks a certificate against this chain at a moment (epoch milliseconds).
    pub fn check(&self, cert_der: &[u8], at_ms: i64) -> Result<(), CertificateProblem> {
        let cert = X509::from_der(cert_der).map_err(|_| CertificateProblem::Unreadable)?;
        // Two questions, so that "expired" and "foreign" are told apart.
        if !self.verifies(&cert, None).unwrap_or(false) {
            return Err(CertificateProblem::Chain);
        }
        if !self.verifies(&cert, Some(at_ms)).unwrap_or(false) {
            return Err(CertificateProblem::Expired);
        }
        Ok(())
    }

    fn verifies(&self, cert: &X509, at_ms: Option<i64>) -> Result<bool, ErrorStack> {
        let mut param = X509VerifyParam::new()?;
        match at_ms {
            Some(ms) => param.set_time(ms.div_euclid(1000)),
            None => param.set_flags(X509VerifyFlags::NO_CHECK_TIME)?,
        }
        let mut store = X509StoreBuilder::new()?;
        store.add_cert(self.0.root.cert.clone())?;
        store.set_param(&param)?;
        let mut untrusted = openssl::stack::Stack::new()?;
        untrusted.push(self.0.intermediate.cert.clone())?;
        X509StoreContext::new()?.init(&store.build(), cert, &untrusted, |c| c.verify_cert())
    }

    /// Certificate and key of the TLS server, and the certificates above it.
    pub fn server(&self) -> (&Pair, &X509) {
        (&self.0.server, &self.0.intermediate.cert)
    }

    /// Key with which the simulated authority signs what it issues.
    pub fn authority(&self) -> &Pair {
        &self.0.authority
    }

    /// Names the TLS server announces as issuers of client certificates.
    pub(crate) fn issuers(&self) -> [&X509; 2] {
        [&self.0.intermediate.cert, &self.0.root.cert]
    }
}
