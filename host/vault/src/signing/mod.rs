//! Signatures with a customer's key, and the key as TLS client identity.

pub mod rsa_key;
pub mod signers;
pub mod verify;

use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::x509::X509;
use zeroize::Zeroizing;

/// Certificates accepted in a chain.
const MAX_CHAIN: usize = 16;

/// Digest of an RSA PKCS#1 v1.5 signature (RFC 8017 §8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// What NF-e and most municipal layouts still ask for.
    RsaSha1,
    RsaSha256,
}

/// Why something could not be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SigningError {
    /// Not an RSA key of 2048 to 4096 bits in PKCS#8 DER.
    #[error("unusable private key")]
    Key,
    /// No certificate, too many, or one that cannot be read.
    #[error("unusable certificate chain")]
    Chain,
    /// The first certificate of the chain is not the key's.
    #[error("key and certificate do not match")]
    Mismatch,
    /// OpenSSL refused the operation.
    #[error("signature failed")]
    Crypto,
}

/// One customer's key with its chain: parsed once, used for many signatures,
/// also from several threads at once. It has no `Debug`: it holds a key.
pub struct Signer {
    key: PKey<Private>,
    chain: Vec<X509>,
    chain_der: Vec<Vec<u8>>,
}

impl Signer {
    /// `pkcs8`: unencrypted DER. `chain`: DER certificates, the key's first.
    pub fn new<C: AsRef<[u8]>>(pkcs8: &[u8], chain: &[C]) -> Result<Self, SigningError> {
        let parsed = PKey::private_key_from_pkcs8(pkcs8).map_err(|_| SigningError::Key)?;
        let key = rsa_key::rebuild(&parsed).map_err(|_| SigningError::Key)?;
        if chain.len() > MAX_CHAIN {
            return Err(SigningError::Chain);
        }
        let chain_der: Vec<Vec<u8>> = chain.iter().map(|der| der.as_ref().to_vec()).collect();
        let chain = chain_der
            .iter()
            .map(|der| X509::from_der(der))
            .collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|_| SigningError::Chain)?;
        let leaf = chain.first().ok_or(SigningError::Chain)?;
        let public = leaf.public_key().map_err(|_| SigningError::Chain)?;
        if !public.public_eq(&key) {
            return Err(SigningError::Mismatch);
        }
        Ok(Self {
            key,
            chain,
            chain_der,
        })
    }

    /// PKCS#1 v1.5 signature over `data`, as long as the modulus.
    pub fn sign(&self, data: &[u8], algorithm: Algorithm) -> Result<Vec<u8>, SigningError> {
        let digest = match algorithm {
            Algorithm::RsaSha1 => MessageDigest::sha1(),
            Algorithm::RsaSha256 => MessageDigest::sha256(),
        };
        let mut signer = openssl::sign::Signer::new(digest, &self.key)?;
        Ok(signer.sign_oneshot_to_vec(data)?)
    }

    /// DER certificates, the holder's first (for `X509Certificate` elements).
    pub fn chain_der(&self) -> &[Vec<u8>] {
        &self.chain_der
    }

    /// The holder's certificate, DER.
    pub fn certificate_der(&self) -> &[u8] {
        // `new` refuses an empty chain.
        self.chain_der.first().map_or(&[], Vec::as_slice)
    }

    /// The chain (holder first) and the PKCS#8 key as PEM, for the client side
    /// of a TLS handshake.
    pub fn tls_identity_pem(&self) -> Result<(Vec<u8>, Zeroizing<Vec<u8>>), SigningError> {
        let mut certificates = Vec::new();
        for certificate in &self.chain {
            certificates.extend(certificate.to_pem()?);
        }
        let key = Zeroizing::new(self.key.private_key_to_pem_pkcs8()?);
        Ok((certificates, key))
    }
}

impl From<ErrorStack> for SigningError {
    fn from(_: ErrorStack) -> Self {
        Self::Crypto
    }
}

#[cfg(test)]
mod tests {
    use openssl::sign::Verifier;

    use super::super::testkit::{self, Holder};
    use super::*;

    fn signer() -> (testkit::Leaf, Signer) {
        let leaf = testkit::leaf(&Holder::default());
        let chain = [
            leaf.certificate.to_der().unwrap(),
            testkit::authority().certificate.to_der().unwrap(),
        ];
        let signer = Signer::new(&leaf.key.private_key_to_pkcs8().unwrap(), &chain).unwrap();
        (leaf, signer)
    }

    #[test]
    fn signatures_verify_with_the_certificate_and_only_for_their_data() {
        let (leaf, signer) = signer();
        let public = leaf.certificate.public_key().unwrap();
        for (algorithm, digest) in [
            (Algorithm::RsaSha1, MessageDigest::sha1()),
            (Algorithm::RsaSha256, MessageDigest::sha256()),
        ] {
            let signature = signer.sign(b"dados", algorithm).unwrap();
            assert_eq!(signature.len(), 256);
            // PKCS#1 v1.5 has no randomness: replay gives the same bytes.
            assert_eq!(signature, signer.sign(b"dados", algorithm).unwrap());
            let verify = |data: &[u8]| {
                Verifier::new(digest, &public)
                    .unwrap()
                    .verify_oneshot(&signature, data)
                    .unwrap()
            };
            assert!(verify(b"dados"));
            assert!(!verify(b"dadoz"));
        }
    }

    #[test]
    fn the_pem_identity_is_the_same_key_and_chain() {
        let (leaf, signer) = signer();
        let (certificates, key) = signer.tls_identity_pem().unwrap();
        let certificates = X509::stack_from_pem(&certificates).unwrap();
        assert_eq!(certificates.len(), 2);
        assert_eq!(certificates[0].to_der().unwrap(), signer.certificate_der());
        assert_eq!(signer.chain_der().len(), 2);
        assert!(key.starts_with(b"-----BEGIN PRIVATE KEY-----"));
        assert!(
            PKey::private_key_from_pem(&key)
                .unwrap()
                .public_eq(&leaf.key)
        );
    }

    #[test]
    fn unusable_keys_and_chains_are_refused() {
        let leaf = testkit::leaf(&Holder::default());
        let pkcs8 = leaf.key.private_key_to_pkcs8().unwrap();
        let own = leaf.certificate.to_der().unwrap();
        let foreign = testkit::authority().certificate.to_der().unwrap();
        let error = |key: &[u8], chain: &[Vec<u8>]| Signer::new(key, chain).err();

        assert_eq!(error(&pkcs8, &[]), Some(SigningError::Chain));
        assert_eq!(
            error(&pkcs8, &[b"junk".to_vec()]),
            Some(SigningError::Chain)
        );
        assert_eq!(
            error(&pkcs8, &vec![own.clone(); MAX_CHAIN + 1]),
            Some(SigningError::Chain)
        );
        assert_eq!(error(&pkcs8, &[foreign]), Some(SigningError::Mismatch));
        assert_eq!(
            error(b"junk", std::slice::from_ref(&own)),
            Some(SigningError::Key)
        );
        let ec = testkit::ec_key().private_key_to_pkcs8().unwrap();
        assert_eq!(error(&ec, &[own]), Some(SigningError::Key));
    }
}
