//! A1 certificates in the e-CNPJ and e-CPF layout.
//!
//! Source: DOC-ICP-04 (ICP-Brasil), annex of the object identifiers: otherName
//! 2.16.76.1.3.3 CNPJ of the company, .3.2 name and .3.4 data of its
//! responsible person, .3.7 CEI; for a person .3.1 data, .3.5 voter, .3.6 CEI.

use openssl::asn1::Asn1Object;
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkcs12::Pkcs12;
use openssl::pkey::{PKey, Private};
use openssl::provider::Provider;
use openssl::stack::Stack;
use openssl::x509::X509;
use openssl::x509::extension::{
    BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAlternativeName,
};

use super::issue::{Period, begin, identifiers, name};
use super::{Pair, PkiError};

/// What a certificate is asked for.
#[derive(Debug, Clone)]
pub struct A1Request {
    /// CNPJ (14 characters, letters allowed since 2026) or CPF (11 digits),
    /// without punctuation. The check digits are not looked at.
    pub document: String,
    /// Name of the holder, at most 49 characters of ASCII.
    pub name: String,
    /// First moment of validity, epoch milliseconds.
    pub valid_from_ms: i64,
    /// Last moment of validity, epoch milliseconds.
    pub valid_until_ms: i64,
}

/// An issued certificate and its key.
#[derive(Clone)]
pub struct A1Files {
    /// The holder's certificate.
    pub cert_der: Vec<u8>,
    /// The private key, PKCS#8 without password.
    pub key_pkcs8_der: Vec<u8>,
    /// The certificates above it: intermediate authority, then root.
    pub chain_der: Vec<Vec<u8>>,
}

/// Encryption of a PFX file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PfxFormat {
    /// AES-256 and SHA-256.
    Modern,
    /// RC2-40 for the certificates, 3DES for the key, SHA-1: what most
    /// Brazilian authorities still deliver.
    Legacy,
}

impl std::fmt::Debug for A1Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the key.
        f.debug_struct("A1Files")
            .field("cert_bytes", &self.cert_der.len())
            .finish_non_exhaustive()
    }
}

impl A1Files {
    /// The PFX file as the certificate's buyer gets it.
    pub fn pfx(&self, password: &str, format: PfxFormat) -> Result<Vec<u8>, PkiError> {
        if password.contains('\0') {
            return Err(PkiError::Request("password with NUL"));
        }
        // RC2-40 lives in the legacy provider; it is unloaded again at the end.
        let legacy = match format {
            PfxFormat::Legacy => Some(Provider::try_load(None, "legacy", true)?),
            PfxFormat::Modern => None,
        };
        let mut chain = Stack::new()?;
        for der in &self.chain_der {
            chain.push(X509::from_der(der)?)?;
        }
        let key = PKey::private_key_from_pkcs8(&self.key_pkcs8_der)?;
        let cert = X509::from_der(&self.cert_der)?;
        let mut builder = Pkcs12::builder();
        builder.name("simulador").pkey(&key).cert(&cert).ca(chain);
        match format {
            PfxFormat::Modern => builder
                .key_algorithm(Nid::AES_256_CBC)
                .cert_algorithm(Nid::AES_256_CBC)
                .mac_md(MessageDigest::sha256()),
            PfxFormat::Legacy => builder
                .key_algorithm(Nid::PBE_WITHSHA1AND3_KEY_TRIPLEDES_CBC)
                .cert_algorithm(Nid::PBE_WITHSHA1AND40BITRC2_CBC)
                .mac_md(MessageDigest::sha1()),
        };
        let der = builder.build2(password)?.to_der()?;
        drop(legacy);
        Ok(der)
    }
}

pub(super) fn issue(
    issuer: &Pair,
    root: &Pair,
    key: &PKey<Private>,
    request: &A1Request,
) -> Result<A1Files, PkiError> {
    let document = request.document.as_str();
    let company = match document.len() {
        14 if document
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) =>
        {
            true
        }
        11 if document.bytes().all(|b| b.is_ascii_digit()) => false,
        _ => return Err(PkiError::Request("documento")),
    };
    // The CN has 64 characters (X.520) and carries ":" and the document too.
    let name_ok = !request.name.trim().is_empty()
        && request.name.len() <= 49
        && request.name.bytes().all(|b| (b' '..=b'~').contains(&b));
    if !name_ok {
        return Err(PkiError::Request("nome"));
    }
    if request.valid_until_ms <= request.valid_from_ms {
        return Err(PkiError::Request("period"));
    }
    let unit = if company {
        "RFB e-CNPJ A1"
    } else {
        "RFB e-CPF A1"
    };
    let subject = name(&format!("{}:{document}", request.name), unit)?;
    let period = Period {
        from_ms: request.valid_from_ms,
        to_ms: request.valid_until_ms,
    };
    let mut b = begin(&subject, issuer.cert.subject_name(), key, period)?;
    b.append_extension(BasicConstraints::new().build()?)?;
    b.append_extension(
        KeyUsage::new()
            .critical()
            .digital_signature()
            .non_repudiation()
            .key_encipherment()
            .build()?,
    )?;
    b.append_extension(
        ExtendedKeyUsage::new()
            .client_auth()
            .email_protection()
            .build()?,
    )?;
    let mut san = SubjectAlternativeName::new();
    for (oid, text) in other_names(document, company) {
        san.other_name2(Asn1Object::from_str(oid)?, &octet_string(&text));
    }
    san.email("titular@example.com");
    let san = san.build(&b.x509v3_context(Some(&issuer.cert), None))?;
    b.append_extension(san)?;
    identifiers(&mut b, issuer)?;
    b.sign(&issuer.key, MessageDigest::sha256())?;
    Ok(A1Files {
        cert_der: b.build().to_der()?,
        key_pkcs8_der: key.private_key_to_pkcs8()?,
        chain_der: vec![issuer.cert.to_der()?, root.cert.to_der()?],
    })
}

/// Birth date (8), CPF (11), NIS (11), identity card (15) and its issuer: a
/// made-up person; the real one's data is personal.
fn person(cpf: &str) -> String {
    format!("01011970{cpf:0>11}{:0>11}{:0>15}SSPSP", "", "")
}

fn other_names(document: &str, company: bool) -> Vec<(&'static str, String)> {
    if company {
        vec![
            ("2.16.76.1.3.4", person("")),
            ("2.16.76.1.3.2", "RESPONSAVEL DE TESTE".to_owned()),
            ("2.16.76.1.3.3", document.to_owned()),
            ("2.16.76.1.3.7", "0".repeat(12)),
        ]
    } else {
        vec![
            ("2.16.76.1.3.1", person(document)),
            ("2.16.76.1.3.5", "0".repeat(19)),
            ("2.16.76.1.3.6", "0".repeat(12)),
        ]
    }
}

/// DER of a short octet string, the form most authorities use here.
fn octet_string(text: &str) -> Vec<u8> {
    // Every text above is shorter than 128 bytes: one length byte.
    let mut der = vec![0x04, u8::try_from(text.len()).unwrap_or(0)];
    der.extend_from_slice(text.as_bytes());
    der
}
