//! Import of an A1 certificate: a PFX (PKCS#12, RFC 7292) and its password
//! become a checked key and an ordered chain. File and password are forgotten.
//!
//! Opening a PFX is deliberate CPU work (password hashing): call it on the
//! blocking pool.

use std::sync::LazyLock;

use markup::ids::{Cnpj, CpfCnpj};
use openssl::error::ErrorStack;
use openssl::pkey::{PKey, Private};
use openssl::provider::Provider;
use openssl::x509::{X509, X509Ref, X509VerifyResult};
use zeroize::Zeroizing;

use super::certificate::{self, Certificate};
use super::der::{self, INTEGER, OID, SEQUENCE};
use super::pfx::{self, Contents, PfxError};
use crate::pfx::cost::Budget;
use crate::signing::rsa_key::{self, RsaKeyError};

/// Largest PFX accepted, in bytes. A key of 4096 bits with four authorities
/// takes about 16 KiB.
pub const MAX_PFX_BYTES: usize = 128 * 1024;
/// Largest password accepted, in bytes.
pub const MAX_PASSWORD_BYTES: usize = 512;
/// Longest chain kept; ICP-Brasil's have at most four certificates.
const MAX_CHAIN: usize = 8;
/// Signatures verified to order a chain. Checking one can take many
/// milliseconds where the file chose the authority's key.
const MAX_PROOFS: usize = 16;
/// 1.2.840.113549.1.1.1, RFC 8017 App. A.1.
const RSA_ENCRYPTION: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];

/// An A1 certificate ready to be sealed. It has no `Debug`: it holds a key.
pub struct A1 {
    /// The private key, PKCS#8 DER, unencrypted.
    pub key_pkcs8: Zeroizing<Vec<u8>>,
    /// DER certificates: the holder's first, each followed by its issuer, as
    /// far as the file goes.
    pub chain_der: Vec<Vec<u8>>,
    /// Name of the holder.
    pub holder: String,
    /// CNPJ or CPF of the holder, where the certificate names one.
    pub documento: Option<CpfCnpj>,
    /// Name of the issuing authority.
    pub issuer: String,
    /// Start of validity, epoch milliseconds.
    pub valid_from_ms: i64,
    /// End of validity, epoch milliseconds.
    pub valid_until_ms: i64,
    /// SHA-256 of the holder's certificate, lower-case hexadecimal.
    pub fingerprint: String,
}

/// Why a PFX was not accepted. The texts are for the customer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum A1Error {
    /// The file is a PFX, the password does not open it. A PFX damaged inside
    /// looks the same: the only checksum it has is keyed with the password.
    #[error("A senha não abre este certificado.")]
    WrongPassword,
    /// Validity ended at this moment (epoch milliseconds).
    #[error("O certificado está vencido.")]
    Expired { at_ms: i64 },
    /// Validity begins at this moment (epoch milliseconds).
    #[error("O certificado ainda não é válido.")]
    NotYetValid { from_ms: i64 },
    /// Readable, but not a certificate the hub can sign with.
    #[error("O arquivo não é um certificado A1 utilizável: {0}.")]
    NotA1(String),
    /// The private key belongs to none of the certificates in the file.
    #[error("A chave privada não corresponde ao certificado do arquivo.")]
    KeyMismatch,
    /// Not a PFX, or a damaged or oversized one.
    #[error("O arquivo não pôde ser lido: {0}.")]
    Invalid(String),
}

impl A1 {
    /// See [`Certificate::belongs_to`].
    pub fn belongs_to(&self, cnpj: &Cnpj) -> bool {
        certificate::same_company(self.documento.as_ref(), cnpj)
    }
}

/// Opens `pfx` with `senha` and checks all that can be checked offline: RSA
/// key of 2048 to 4096 bits that signs for the certificate, an end user's
/// certificate, valid at `now_ms` (epoch milliseconds).
pub fn import(pfx: &[u8], password: &str, now_ms: i64) -> Result<A1, A1Error> {
    let Contents {
        key_pkcs8,
        certificates,
    } = open(pfx, password)?;
    let key = usable_key(key_pkcs8)?;

    let (leaf, facts) = holder(&certificates, &key)?;
    if now_ms > facts.valid_until_ms {
        return Err(A1Error::Expired {
            at_ms: facts.valid_until_ms,
        });
    }
    if now_ms < facts.valid_from_ms {
        return Err(A1Error::NotYetValid {
            from_ms: facts.valid_from_ms,
        });
    }

    let chain = chain_from(leaf, &certificates);
    let unreadable = |_: ErrorStack| invalid("a chave ou o certificado está danificado");
    Ok(A1 {
        key_pkcs8: Zeroizing::new(key.private_key_to_pkcs8().map_err(unreadable)?),
        chain_der: chain
            .iter()
            .map(|c| c.to_der())
            .collect::<Result<_, _>>()
            .map_err(unreadable)?,
        holder: facts.holder,
        documento: facts.documento,
        issuer: facts.issuer,
        valid_from_ms: facts.valid_from_ms,
        valid_until_ms: facts.valid_until_ms,
        fingerprint: facts.fingerprint,
    })
}

fn invalid(reason: &str) -> A1Error {
    A1Error::Invalid(reason.to_owned())
}

fn not_a1(reason: impl Into<String>) -> A1Error {
    A1Error::NotA1(reason.into())
}

/// Files of Windows and of older tools use RC2 and 3DES, which OpenSSL 3 keeps
/// in a provider of its own. It stays loaded for the life of the process;
/// where it is missing, only those files fail.
static LEGACY: LazyLock<Option<Provider>> =
    LazyLock::new(|| Provider::try_load(None, "legacy", true).ok());

fn open(pfx: &[u8], password: &str) -> Result<Contents, A1Error> {
    if pfx.len() > MAX_PFX_BYTES {
        return Err(invalid("o arquivo é maior que 128 KiB"));
    }
    if pfx.starts_with(b"-----BEGIN") {
        return Err(invalid(
            "é um arquivo PEM; exporte o certificado como .pfx ou .p12",
        ));
    }
    if password.len() > MAX_PASSWORD_BYTES || password.contains('\0') {
        return Err(A1Error::WrongPassword);
    }
    if LazyLock::force(&LEGACY).is_none() {
        tracing::warn!("OpenSSL legacy provider missing: older PFX files cannot be opened");
    }

    // One for all attempts: it bounds the import, not the attempt.
    let mut budget = Budget::new();
    let mut answer = pfx::open(pfx, password, &mut budget);
    if answer.as_ref().err() == Some(&PfxError::WrongPassword) && !password.is_ascii() {
        // OpenSSL before 1.1.0 took each byte of a UTF-8 password for one
        // Latin-1 character; such files open only with the same mistake.
        let bytewise: Zeroizing<String> =
            Zeroizing::new(password.bytes().map(char::from).collect());
        answer = pfx::open(pfx, &bytewise, &mut budget);
    }
    answer.map_err(|error| match error {
        PfxError::WrongPassword => A1Error::WrongPassword,
        PfxError::NotPfx => invalid("não é um arquivo .pfx ou .p12, ou está incompleto"),
        PfxError::Excessive => invalid("os parâmetros de proteção da senha são excessivos"),
        PfxError::Unsupported => invalid("usa um algoritmo de proteção não suportado"),
        PfxError::Damaged => invalid("o conteúdo está danificado"),
        PfxError::TooManyCertificates => invalid("há certificados demais no arquivo"),
    })
}

fn usable_key(key_pkcs8: Option<Zeroizing<Vec<u8>>>) -> Result<PKey<Private>, A1Error> {
    let Some(key_pkcs8) = key_pkcs8 else {
        // What a token or smart card (A3) exports: certificates without key.
        return Err(not_a1("não contém a chave privada"));
    };
    let damaged = || invalid("a chave privada está danificada");
    // Told before OpenSSL reads it: for a DSA key it computes the public half,
    // with numbers of any size.
    if key_algorithm(&key_pkcs8).ok_or_else(damaged)? != RSA_ENCRYPTION {
        return Err(not_a1("a chave não é RSA"));
    }
    let key = PKey::private_key_from_pkcs8(&key_pkcs8).map_err(|_| damaged())?;
    rsa_key::rebuild(&key).map_err(|error| match error {
        RsaKeyError::NotRsa => not_a1("a chave não é RSA"),
        RsaKeyError::Size(bits) => {
            not_a1(format!("a chave RSA tem {bits} bits, fora de 2048 a 4096"))
        }
        RsaKeyError::Broken => damaged(),
    })
}

/// `PrivateKeyInfo ::= SEQUENCE { version, SEQUENCE { algorithm, ... }, ... }`.
fn key_algorithm(key_pkcs8: &[u8]) -> Option<&[u8]> {
    let (info, _) = der::read(key_pkcs8).filter(|(info, _)| info.tag == SEQUENCE)?;
    let mut parts = info.children();
    parts.next().filter(|version| version.tag == INTEGER)?;
    let algorithm = parts.next().filter(|part| part.tag == SEQUENCE)?;
    let oid = algorithm.children().next().filter(|oid| oid.tag == OID)?;
    Some(oid.content)
}

/// The certificate of `key`. A renewal may keep the key: the one that is valid
/// longest is meant.
fn holder<'a>(
    certificates: &'a [X509],
    key: &PKey<Private>,
) -> Result<(&'a X509, Certificate), A1Error> {
    if certificates.is_empty() {
        return Err(not_a1("não contém certificado"));
    }
    let mut found: Option<(&X509, Certificate)> = None;
    for certificate in certificates {
        let Ok(public) = certificate.public_key() else {
            continue;
        };
        if !public.public_eq(key) || !rsa_key::signs_for(key, &public) {
            continue;
        }
        let facts = Certificate::from_x509(certificate)
            .map_err(|_| invalid("o certificado está danificado"))?;
        let better = |(_, best): &(&X509, Certificate)| {
            (best.of_ca, -best.valid_until_ms) > (facts.of_ca, -facts.valid_until_ms)
        };
        if found.as_ref().is_none_or(better) {
            found = Some((certificate, facts));
        }
    }
    match found {
        None => Err(A1Error::KeyMismatch),
        Some((_, facts)) if facts.of_ca => {
            Err(not_a1("é o certificado de uma autoridade certificadora"))
        }
        Some(found) => Ok(found),
    }
}

/// From the holder upwards, each issuer proved by its signature; certificates
/// that belong to nobody in the chain are left out.
fn chain_from<'a>(leaf: &'a X509, certificates: &'a [X509]) -> Vec<&'a X509> {
    let mut chain = vec![leaf];
    let mut proofs = 0;
    let mut is_issuer = |issuer: &X509Ref, subject: &X509Ref| {
        if issuer.issued(subject) != X509VerifyResult::OK || proofs == MAX_PROOFS {
            return false;
        }
        proofs += 1;
        signed(issuer, subject)
    };
    while let Some(&last) = chain.last()
        && chain.len() < MAX_CHAIN
        && !is_issuer(last, last)
    {
        let next = certificates.iter().find(|c| is_issuer(c, last));
        match next {
            // A loop of authorities that sign each other has no end.
            Some(next) if !chain.iter().any(|c| same(c, next)) => chain.push(next),
            _ => break,
        }
    }
    chain
}

fn signed(issuer: &X509Ref, subject: &X509Ref) -> bool {
    let key = issuer.public_key();
    key.and_then(|key| subject.verify(&key)).unwrap_or(false)
}

fn same(a: &X509Ref, b: &X509Ref) -> bool {
    matches!((a.to_der(), b.to_der()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests;
