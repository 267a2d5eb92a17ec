//! Whether a customer's certificate is one of ICP-Brasil, and the
//! authorities its file left out.

use super::{Purpose, Roots};
use openssl::error::ErrorStack;
use openssl::stack::Stack;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use openssl::x509::verify::X509VerifyFlags;
use openssl::x509::{X509, X509Ref, X509StoreContext, X509VerifyResult};
use std::sync::PoisonError;

/// Longest chain made; ICP-Brasil's have at most four certificates.
const MAX_CHAIN: usize = 8;
/// Answers kept; each is a few dozen bytes.
const KEPT: usize = 10_000;

/// Where a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// At a root of ICP-Brasil for signatures.
    IcpBrasil,
    /// Nowhere we know: not of ICP-Brasil, or of an authority newer than this
    /// hub (`hub roots import`).
    Unknown,
}

impl Chain {
    pub fn as_str(self) -> &'static str {
        match self {
            Chain::IcpBrasil => "icp_brasil",
            Chain::Unknown => "desconhecida",
        }
    }
}

impl Roots {
    /// What the chain of a certificate leads to; DER, holder first. Dates do
    /// not count: an ended certificate is said to be ended elsewhere.
    pub fn chain(&self, fingerprint: &str, chain_der: &[Vec<u8>]) -> Chain {
        let kept = || self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(fingerprint) {
            return *known;
        }
        let found = if self.leads_to_root(chain_der).unwrap_or(false) {
            Chain::IcpBrasil
        } else {
            Chain::Unknown
        };
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(fingerprint.to_owned(), found);
        found
    }

    fn leads_to_root(&self, chain_der: &[Vec<u8>]) -> Result<bool, ErrorStack> {
        let (Some(store), Some((leaf, rest))) = (self.signatures(), chain_der.split_first()) else {
            return Ok(false);
        };
        let mut untrusted = Stack::new()?;
        for der in rest.iter().take(MAX_CHAIN) {
            untrusted.push(X509::from_der(der)?)?;
        }
        verified(store, &X509::from_der(leaf)?, &untrusted)
    }

    /// Roots and intermediates of a purpose; OpenSSL takes only those that
    /// sign themselves for anchors.
    pub(super) fn store(&self, purpose: Purpose) -> Result<X509Store, ErrorStack> {
        let mut store = X509StoreBuilder::new()?;
        store.set_flags(X509VerifyFlags::NO_CHECK_TIME)?;
        for known in self.of(purpose) {
            store.add_cert(known.x509.clone())?;
        }
        Ok(store.build())
    }

    /// The chain with the authorities its file left out, without the root:
    /// GO wants every one of them in the handshake (nfephp-org/sped-nfe #217,
    /// second-hand), and many files hold only the holder's certificate.
    pub fn completed(&self, mut chain: Vec<X509>) -> Vec<X509> {
        while let Some(last) = chain.last()
            && chain.len() < MAX_CHAIN
            && last.issued(last) != X509VerifyResult::OK
        {
            let issuer = self
                .of(Purpose::Signature)
                .find(|known| !known.root && signed_by(last, &known.x509));
            match issuer {
                Some(issuer) => chain.push(issuer.x509.clone()),
                None => break,
            }
        }
        chain
    }
}

pub(super) fn verified(
    store: &X509Store,
    leaf: &X509,
    untrusted: &Stack<X509>,
) -> Result<bool, ErrorStack> {
    let mut context = X509StoreContext::new()?;
    context.init(store, leaf, untrusted, |context| context.verify_cert())
}

pub(super) fn signed_by(subject: &X509Ref, issuer: &X509Ref) -> bool {
    issuer.issued(subject) == X509VerifyResult::OK
        && issuer
            .public_key()
            .and_then(|key| subject.verify(&key))
            .unwrap_or(false)
}
