//! Decryption with a password, as PFX files ask for it: PBES2 (RFC 8018 §6.2)
//! and the older schemes of RFC 7292 App. C.

use openssl::nid::Nid;
use openssl::symm::{Cipher, Crypter, Mode};
use zeroize::Zeroizing;

use crate::der::{self, Element, INTEGER, OCTET_STRING, OID, SEQUENCE};
use crate::pfx::cost::{Budget, Excessive};
use crate::pfx::hash::Hash;
use crate::pfx::kdf::{self, Password, Purpose, Salted};

/// 1.2.840.113549.1.5.13, RFC 8018 App. A.4.
const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d];
/// 1.2.840.113549.1.5.12, RFC 8018 App. A.2.
const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c];

/// Why something could not be decrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PbeError {
    Excessive,
    /// A scheme no common exporter uses, or one this OpenSSL lacks.
    Unsupported,
    /// The parameters cannot be read.
    Malformed,
    /// The padding is wrong: another password, or other bytes.
    Undecipherable,
}

impl From<Excessive> for PbeError {
    fn from(_: Excessive) -> Self {
        Self::Excessive
    }
}

/// `AlgorithmIdentifier ::= SEQUENCE { algorithm, parameters OPTIONAL }`.
pub(crate) struct Algorithm<'a> {
    pub oid: &'a [u8],
    pub parameters: Option<Element<'a>>,
}

impl<'a> Algorithm<'a> {
    pub(crate) fn read(element: Option<Element<'a>>) -> Result<Self, PbeError> {
        let mut parts = fields(element)?;
        Ok(Self {
            oid: field(&mut parts, OID)?.content,
            parameters: parts.next(),
        })
    }
}

/// Decrypts `data` as `algorithm` says.
pub(crate) fn decrypt(
    algorithm: &Algorithm<'_>,
    data: &[u8],
    password: &Password,
    budget: &mut Budget,
) -> Result<Zeroizing<Vec<u8>>, PbeError> {
    match algorithm.oid {
        PBES2 => pbes2(algorithm.parameters, data, password, budget),
        // pkcs-12PbeIds, 1.2.840.113549.1.12.1.n.
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, scheme] => {
            pkcs12(*scheme, algorithm.parameters, data, password, budget)
        }
        _ => Err(PbeError::Unsupported),
    }
}

/// `PBES2-params ::= SEQUENCE { keyDerivationFunc, encryptionScheme }`.
fn pbes2(
    parameters: Option<Element<'_>>,
    data: &[u8],
    password: &Password,
    budget: &mut Budget,
) -> Result<Zeroizing<Vec<u8>>, PbeError> {
    let mut parts = fields(parameters)?;
    let derivation = Pbkdf2::read(&Algorithm::read(parts.next())?)?;
    let encryption = Algorithm::read(parts.next())?;
    let cipher = match encryption.oid {
        // NIST's aes, 2.16.840.1.101.3.4.1.n.
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, n] => match n {
            2 => Cipher::aes_128_cbc(),
            22 => Cipher::aes_192_cbc(),
            42 => Cipher::aes_256_cbc(),
            _ => return Err(PbeError::Unsupported),
        },
        // des-EDE3-CBC, 1.2.840.113549.3.7.
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07] => Cipher::des_ede3_cbc(),
        _ => return Err(PbeError::Unsupported),
    };
    let iv = encryption.parameters.filter(|iv| iv.tag == OCTET_STRING);
    let iv = iv.ok_or(PbeError::Malformed)?.content;
    if derivation
        .length
        .is_some_and(|length| length != cipher.key_len())
    {
        return Err(PbeError::Malformed);
    }
    let key = derivation.key(password, cipher.key_len(), budget)?;
    run(cipher, &key, iv, data)
}

/// `pkcs-12PbeParams ::= SEQUENCE { salt, iterations }`.
fn pkcs12(
    scheme: u8,
    parameters: Option<Element<'_>>,
    data: &[u8],
    password: &Password,
    budget: &mut Budget,
) -> Result<Zeroizing<Vec<u8>>, PbeError> {
    let mut parts = fields(parameters)?;
    let salted = Salted {
        salt: field(&mut parts, OCTET_STRING)?.content,
        iterations: count(&field(&mut parts, INTEGER)?),
    };
    // Without the two of RC4 (1 and 2): common exporters do not use them, and
    // nothing in what they decrypt to tells a wrong password.
    let nid = match scheme {
        3 => Nid::DES_EDE3_CBC,
        4 => Nid::DES_EDE_CBC,
        5 => Nid::RC2_CBC,
        6 => Nid::RC2_40_CBC,
        _ => return Err(PbeError::Unsupported),
    };
    let cipher = Cipher::from_nid(nid).ok_or(PbeError::Unsupported)?;
    let iv_len = cipher.iv_len().unwrap_or_default();
    let mut derive =
        |purpose, length| kdf::pkcs12(Hash::Sha1, purpose, password, salted, length, budget);
    let key = derive(Purpose::Key, cipher.key_len())?;
    let iv = derive(Purpose::Iv, iv_len)?;
    run(cipher, &key, &iv, data)
}

fn run(cipher: Cipher, key: &[u8], iv: &[u8], data: &[u8]) -> Result<Zeroizing<Vec<u8>>, PbeError> {
    if cipher.iv_len() != Some(iv.len()) {
        return Err(PbeError::Malformed);
    }
    let crypter = Crypter::new(cipher, Mode::Decrypt, key, Some(iv));
    let mut crypter = crypter.map_err(|_| PbeError::Unsupported)?;
    let mut clear = Zeroizing::new(vec![0; data.len() + cipher.block_size()]);
    let mut length = crypter
        .update(data, &mut clear)
        .map_err(|_| PbeError::Undecipherable)?;
    let rest = clear.get_mut(length..).unwrap_or_default();
    length += crypter
        .finalize(rest)
        .map_err(|_| PbeError::Undecipherable)?;
    clear.truncate(length);
    Ok(clear)
}

/// `PBKDF2-params ::= SEQUENCE { salt, iterationCount, keyLength OPTIONAL,
/// prf DEFAULT hmacWithSHA1 }`.
pub(crate) struct Pbkdf2<'a> {
    salted: Salted<'a>,
    pub length: Option<usize>,
    prf: Hash,
}

impl<'a> Pbkdf2<'a> {
    pub(crate) fn read(derivation: &Algorithm<'a>) -> Result<Self, PbeError> {
        if derivation.oid != PBKDF2 {
            return Err(PbeError::Unsupported);
        }
        let mut parts = fields(derivation.parameters)?.peekable();
        let salted = Salted {
            salt: field(&mut parts, OCTET_STRING)?.content,
            iterations: count(&field(&mut parts, INTEGER)?),
        };
        let length = parts.next_if(|part| part.tag == INTEGER);
        let prf = match parts.next() {
            None => Hash::Sha1,
            prf => Hash::of_hmac(Algorithm::read(prf)?.oid).ok_or(PbeError::Unsupported)?,
        };
        Ok(Self {
            salted,
            length: length.map(|length| usize::try_from(count(&length)).unwrap_or(usize::MAX)),
            prf,
        })
    }

    pub(crate) fn key(
        &self,
        password: &Password,
        length: usize,
        budget: &mut Budget,
    ) -> Result<Zeroizing<Vec<u8>>, PbeError> {
        Ok(kdf::pbkdf2(
            self.prf,
            password,
            self.salted,
            length,
            budget,
        )?)
    }
}

/// The parts of a SEQUENCE.
pub(crate) fn fields<'a>(
    element: Option<Element<'a>>,
) -> Result<impl Iterator<Item = Element<'a>> + use<'a>, PbeError> {
    let sequence = element.filter(|element| element.tag == SEQUENCE);
    Ok(sequence.ok_or(PbeError::Malformed)?.children())
}

/// The next part, which must have this tag.
pub(crate) fn field<'a>(
    parts: &mut impl Iterator<Item = Element<'a>>,
    tag: u32,
) -> Result<Element<'a>, PbeError> {
    let part = parts.next().filter(|part| part.tag == tag);
    part.ok_or(PbeError::Malformed)
}

/// A count; one that is negative or too large for 64 bits is as good as
/// infinite.
pub(crate) fn count(integer: &Element<'_>) -> u64 {
    match integer.content {
        [] | [0x80..=0xff, ..] => u64::MAX,
        octets => {
            let significant = octets.iter().skip_while(|octet| **octet == 0);
            let significant: Vec<u8> = significant.copied().collect();
            der::unsigned(&significant).unwrap_or(u64::MAX)
        }
    }
}
