//! Trust, identity and the handshake's settings.

use super::Profile;
use openssl::error::ErrorStack;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{Ssl, SslConnector, SslMethod, SslVersion};
use openssl::x509::X509;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use zeroize::Zeroizing;

/// Certificate chain and private key, PEM.
pub type TlsIdentity = (Vec<u8>, Zeroizing<Vec<u8>>);

/// A set of roots, and what holds for every connection made with them. One
/// is shared by all clients: what differs is set per connection.
#[derive(Clone)]
pub struct Trust(SslConnector);

impl Trust {
    /// # Errors
    /// OpenSSL cannot make a context.
    pub fn new(roots: X509Store) -> Result<Trust, ErrorStack> {
        // The builder turns on verification of chain and host name, which
        // nothing here turns off, and SSL_MODE_AUTO_RETRY. Renegotiation as
        // in RFC 5746 needs no option: OpenSSL answers a server that asks.
        // The insecure one of before 2010 stays off, and so do servers that
        // know no other (SSL_OP_LEGACY_SERVER_CONNECT).
        let mut context = SslConnector::builder(SslMethod::tls_client())?;
        context.set_cert_store(roots);
        context.set_min_proto_version(Some(SslVersion::TLS1_2))?;
        context.set_alpn_protos(b"\x08http/1.1")?;
        Ok(Trust(context.build()))
    }

    /// Trust in one authority alone, PEM: the simulator's.
    ///
    /// # Errors
    /// The certificate cannot be read.
    pub fn only(root_pem: &[u8]) -> Result<Trust, ErrorStack> {
        let mut store = X509StoreBuilder::new()?;
        for root in X509::stack_from_pem(root_pem)? {
            store.add_cert(root)?;
        }
        Trust::new(store.build())
    }

    /// A connection to be: who is expected, what is offered, who we are.
    pub(super) fn ssl(
        &self,
        host: &str,
        profile: &Profile,
        identity: Option<&Identity>,
    ) -> Result<Ssl, ErrorStack> {
        let mut ssl = self.0.configure()?;
        // Before the certificate: its key is judged by the level.
        ssl.set_security_level(profile.level());
        ssl.set_cipher_list(profile.ciphers())?;
        if profile.only_tls12() {
            ssl.set_max_proto_version(Some(SslVersion::TLS1_2))?;
        }
        if let Some(identity) = identity
            && let Some((own, above)) = identity.chain.split_first()
        {
            ssl.set_certificate(own)?;
            ssl.set_private_key(&identity.key)?;
            for certificate in above {
                ssl.add_chain_cert(certificate.clone())?;
            }
        }
        ssl.into_ssl(host)
    }
}

/// The customer's side of the handshake. No `Debug`: it holds a key.
pub struct Identity {
    /// Holder first.
    chain: Vec<X509>,
    key: PKey<Private>,
}

impl Identity {
    /// `complete` adds the authorities the chain leaves out.
    ///
    /// # Errors
    /// The chain is empty or one of both cannot be read.
    pub fn new(
        (chain, key): &TlsIdentity,
        complete: impl FnOnce(Vec<X509>) -> Vec<X509>,
    ) -> Result<Identity, ErrorStack> {
        Ok(Identity {
            chain: complete(X509::stack_from_pem(chain)?),
            key: PKey::private_key_from_pem(key)?,
        })
    }
}
