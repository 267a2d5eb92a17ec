//! Reads a PFX (PKCS#12, RFC 7292) protected with a password: its private key
//! and its certificates.
//!
//! Not with OpenSSL's own reader, which opens all layers at one go: the
//! iteration counts in an encrypted layer could not be looked at before they
//! are obeyed. Here each derivation goes through one [`Budget`].

pub mod cost;
pub mod hash;
pub mod kdf;
pub mod pbe;

use openssl::pkey::PKey;
use openssl::sign::Signer;
use openssl::x509::X509;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::der::{self, Element, INTEGER, OCTET_STRING, OID, SEQUENCE};
use crate::pfx::cost::Budget;
use crate::pfx::hash::Hash;
use crate::pfx::kdf::{Password, Purpose, Salted};
use crate::pfx::pbe::{Algorithm, PbeError, Pbkdf2, count, field, fields};

/// 1.2.840.113549.1.7.1 and .6, RFC 2315 §14.
const DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01];
const ENCRYPTED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x06];
/// 1.2.840.113549.1.12.10.1, the kind of a bag follows.
const BAG_TYPES: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x0a, 0x01];
/// 1.2.840.113549.1.9.22.1, RFC 2985 §5.7.1.
const X509_CERTIFICATE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x16, 0x01];
/// 1.2.840.113549.1.5.14, RFC 9879.
const PBMAC1: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0e];

/// Certificates accepted in one file.
pub(crate) const MAX_CERTIFICATES: usize = 32;
/// Safes and bags looked at; a long chain has some ten.
const MAX_PARTS: usize = 256;
/// Bags within bags; no common exporter makes any.
const MAX_NESTED: u32 = 4;
/// Pieces of an octet string within pieces, as OpenSSL has it.
const MAX_PIECES_NESTED: u32 = 5;

/// What a PFX holds.
#[derive(Default)]
pub(crate) struct Contents {
    /// The first private key, PKCS#8 DER as it was found.
    pub key_pkcs8: Option<Zeroizing<Vec<u8>>>,
    /// All certificates, in the order of the file.
    pub certificates: Vec<X509>,
}

/// Why a PFX was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PfxError {
    /// Not the outer structure of a PFX.
    NotPfx,
    /// The iteration counts are beyond the budget.
    Excessive,
    /// An algorithm that is not supported.
    Unsupported,
    /// The password does not fit.
    WrongPassword,
    /// The password fits, what it protects cannot be read.
    Damaged,
    /// More than [`MAX_CERTIFICATES`].
    TooManyCertificates,
}

impl From<PbeError> for PfxError {
    fn from(error: PbeError) -> Self {
        match error {
            PbeError::Excessive => Self::Excessive,
            PbeError::Unsupported => Self::Unsupported,
            PbeError::Malformed | PbeError::Undecipherable => Self::Damaged,
        }
    }
}

/// Opens `pfx` with `senha`, spending no more than `budget`.
pub(crate) fn open(pfx: &[u8], secret: &str, budget: &mut Budget) -> Result<Contents, PfxError> {
    let envelope = Envelope::read(pfx)?;
    let mut passwords = vec![Password::new(secret)];
    if secret.is_empty() {
        // As OpenSSL does: first no password at all, then an empty one.
        passwords.insert(0, Password::absent());
    }
    let Some(mac) = envelope.mac else {
        // Without a MAC nothing but a failed decryption tells a wrong password.
        let password = passwords.first().ok_or(PfxError::WrongPassword)?;
        let contents = Reader::read(&envelope.safes, password, budget);
        return contents.map_err(|error| match error {
            PfxError::Damaged => PfxError::WrongPassword,
            other => other,
        });
    };
    for password in &passwords {
        if verify(&mac, &envelope.safes, password, budget)? {
            return Reader::read(&envelope.safes, password, budget);
        }
    }
    Err(PfxError::WrongPassword)
}

/// `PFX ::= SEQUENCE { version, authSafe ContentInfo, macData OPTIONAL }`.
struct Envelope<'a> {
    /// `AuthenticatedSafe`, which the MAC is about.
    safes: Vec<u8>,
    mac: Option<Element<'a>>,
}

impl<'a> Envelope<'a> {
    fn read(pfx: &'a [u8]) -> Result<Self, PfxError> {
        let outer = || {
            let mut parts = fields(der::read(pfx).map(|(outer, _)| outer))?;
            field(&mut parts, INTEGER)?;
            let (kind, safes) = content_info(&field(&mut parts, SEQUENCE)?)?;
            Ok::<_, PbeError>((kind, safes, parts.next()))
        };
        let (kind, safes, mac) = outer().map_err(|_| PfxError::NotPfx)?;
        if kind != DATA {
            // signedData: integrity by somebody's public key.
            return Err(PfxError::Unsupported);
        }
        let safes = octets(&safes).map_err(|_| PfxError::NotPfx)?;
        Ok(Self { safes, mac })
    }
}

/// `ContentInfo ::= SEQUENCE { contentType, content [0] EXPLICIT }`.
fn content_info<'a>(info: &Element<'a>) -> Result<(&'a [u8], Element<'a>), PbeError> {
    let mut parts = fields(Some(*info))?;
    let kind = field(&mut parts, OID)?.content;
    let content = field(&mut parts, der::context(0))?.children().next();
    Ok((kind, content.ok_or(PbeError::Malformed)?))
}

/// `MacData ::= SEQUENCE { mac DigestInfo, macSalt, iterations DEFAULT 1 }`,
/// `DigestInfo ::= SEQUENCE { digestAlgorithm, digest }`.
fn verify(
    mac: &Element<'_>,
    safes: &[u8],
    password: &Password,
    budget: &mut Budget,
) -> Result<bool, PfxError> {
    let mut parts = fields(Some(*mac))?;
    let mut info = fields(parts.next())?;
    let algorithm = Algorithm::read(info.next())?;
    let expected = field(&mut info, OCTET_STRING)?.content;
    let (hash, key) = if algorithm.oid == PBMAC1 {
        pbmac1(&algorithm, password, budget)?
    } else {
        let hash = Hash::of_digest(algorithm.oid).ok_or(PfxError::Unsupported)?;
        let salted = Salted {
            salt: field(&mut parts, OCTET_STRING)?.content,
            iterations: parts.next().map_or(1, |iterations| count(&iterations)),
        };
        let key = kdf::pkcs12(hash, Purpose::Mac, password, salted, hash.size(), budget);
        (hash, key.map_err(PbeError::from)?)
    };
    let hmac = || {
        let key = PKey::hmac(&key)?;
        Signer::new(hash.message_digest(), &key)?.sign_oneshot_to_vec(safes)
    };
    let found = hmac().map_err(|_| PfxError::Unsupported)?;
    Ok(found.ct_eq(expected).into())
}

/// `PBMAC1-params ::= SEQUENCE { keyDerivationFunc, messageAuthScheme }`. The
/// length of the key must be written there (RFC 9879 §4).
fn pbmac1(
    algorithm: &Algorithm<'_>,
    password: &Password,
    budget: &mut Budget,
) -> Result<(Hash, Zeroizing<Vec<u8>>), PbeError> {
    let mut parts = fields(algorithm.parameters)?;
    let derivation = Pbkdf2::read(&Algorithm::read(parts.next())?)?;
    let scheme = Algorithm::read(parts.next())?;
    let hash = Hash::of_hmac(scheme.oid).ok_or(PbeError::Unsupported)?;
    let length = derivation.length.ok_or(PbeError::Malformed)?;
    if !(1..=Hash::Sha512.size()).contains(&length) {
        return Err(PbeError::Unsupported);
    }
    Ok((hash, derivation.key(password, length, budget)?))
}

struct Reader<'a> {
    password: &'a Password,
    budget: &'a mut Budget,
    parts: usize,
    contents: Contents,
}

impl<'a> Reader<'a> {
    /// `AuthenticatedSafe ::= SEQUENCE OF ContentInfo`.
    fn read(
        safes: &[u8],
        password: &'a Password,
        budget: &'a mut Budget,
    ) -> Result<Contents, PfxError> {
        let mut reader = Self {
            password,
            budget,
            parts: 0,
            contents: Contents::default(),
        };
        for safe in reader.list(safes)? {
            reader.safe(&safe)?;
        }
        Ok(reader.contents)
    }

    fn safe(&mut self, safe: &Element<'_>) -> Result<(), PfxError> {
        let (kind, content) = content_info(safe)?;
        match kind {
            DATA => self.bags(&octets(&content)?, MAX_NESTED),
            ENCRYPTED_DATA => {
                // EncryptedData ::= SEQUENCE { version, EncryptedContentInfo },
                // the latter { contentType, algorithm, [0] IMPLICIT octets }.
                let mut parts = fields(Some(content))?;
                field(&mut parts, INTEGER)?;
                let mut info = fields(parts.next())?;
                field(&mut info, OID)?;
                let algorithm = Algorithm::read(info.next())?;
                let encrypted = octets(&field(&mut info, der::context(0))?)?;
                let clear = self.decrypt(&algorithm, &encrypted)?;
                self.bags(&clear, MAX_NESTED)
            }
            // envelopedData: for somebody else's private key.
            _ => Ok(()),
        }
    }

    /// `SafeContents ::= SEQUENCE OF SafeBag`, each a SEQUENCE `{ bagId,
    /// bagValue [0] EXPLICIT, bagAttributes OPTIONAL }`.
    fn bags(&mut self, contents: &[u8], depth: u32) -> Result<(), PfxError> {
        let depth = depth.checked_sub(1).ok_or(PfxError::Damaged)?;
        for bag in self.list(contents)? {
            let mut parts = fields(Some(bag))?;
            let kind = field(&mut parts, OID)?.content;
            let value = field(&mut parts, der::context(0))?.content;
            match kind.strip_prefix(BAG_TYPES) {
                Some([1]) if self.contents.key_pkcs8.is_none() => {
                    self.contents.key_pkcs8 = Some(Zeroizing::new(value.to_vec()));
                }
                Some([2]) if self.contents.key_pkcs8.is_none() => {
                    self.contents.key_pkcs8 = Some(self.shrouded_key(value)?);
                }
                Some([3]) => self.certificate(value)?,
                Some([6]) => self.bags(value, depth)?,
                // Revocation lists, secrets, further keys.
                _ => {}
            }
        }
        Ok(())
    }

    /// `EncryptedPrivateKeyInfo ::= SEQUENCE { algorithm, encryptedData }`.
    fn shrouded_key(&mut self, value: &[u8]) -> Result<Zeroizing<Vec<u8>>, PfxError> {
        let mut parts = fields(der::read(value).map(|(key, _)| key))?;
        let algorithm = Algorithm::read(parts.next())?;
        let encrypted = octets(&field(&mut parts, OCTET_STRING)?)?;
        self.decrypt(&algorithm, &encrypted)
    }

    /// `CertBag ::= SEQUENCE { certId, certValue [0] EXPLICIT OCTET STRING }`.
    fn certificate(&mut self, value: &[u8]) -> Result<(), PfxError> {
        let bag = der::read(value).ok_or(PfxError::Damaged)?.0;
        let (kind, certificate) = content_info(&bag)?;
        if kind != X509_CERTIFICATE {
            return Ok(());
        }
        if self.contents.certificates.len() == MAX_CERTIFICATES {
            return Err(PfxError::TooManyCertificates);
        }
        let certificate = X509::from_der(&octets(&certificate)?);
        let certificate = certificate.map_err(|_| PfxError::Damaged)?;
        self.contents.certificates.push(certificate);
        Ok(())
    }

    fn decrypt(
        &mut self,
        algorithm: &Algorithm<'_>,
        encrypted: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, PfxError> {
        let clear = pbe::decrypt(algorithm, encrypted, self.password, self.budget)?;
        // Chance gives wrong bytes a right padding now and then: all that is
        // encrypted in a PFX is a SEQUENCE.
        match der::read(&clear) {
            Some((inner, _)) if inner.tag == SEQUENCE => Ok(clear),
            _ => Err(PfxError::Damaged),
        }
    }

    /// The elements of an encoded SEQUENCE, all of them well-formed.
    fn list<'b>(&mut self, encoded: &'b [u8]) -> Result<Vec<Element<'b>>, PfxError> {
        let (list, _) = der::read(encoded).ok_or(PfxError::Damaged)?;
        if list.tag != SEQUENCE {
            return Err(PfxError::Damaged);
        }
        let mut found = Vec::new();
        let mut rest = list.content;
        while !rest.is_empty() {
            let (element, after) = der::read(rest).ok_or(PfxError::Damaged)?;
            rest = after;
            self.parts += 1;
            if self.parts > MAX_PARTS {
                return Err(PfxError::TooManyCertificates);
            }
            found.push(element);
        }
        Ok(found)
    }
}

/// The octets of a string, which BER may cut into pieces.
fn octets(string: &Element<'_>) -> Result<Vec<u8>, PbeError> {
    fn gather(string: &Element<'_>, depth: u32, into: &mut Vec<u8>) -> Option<()> {
        if !string.constructed {
            into.extend_from_slice(string.content);
            return Some(());
        }
        let depth = depth.checked_sub(1)?;
        let mut rest = string.content;
        while !rest.is_empty() {
            let (piece, after) = der::read(rest)?;
            rest = after;
            gather(&piece, depth, into)?;
        }
        Some(())
    }
    let mut all = Vec::new();
    gather(string, MAX_PIECES_NESTED, &mut all).ok_or(PbeError::Malformed)?;
    Ok(all)
}

#[cfg(test)]
mod tests;
