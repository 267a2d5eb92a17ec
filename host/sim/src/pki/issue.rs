//! Builds the certificates of the chain.

use openssl::asn1::{Asn1Integer, Asn1Time};
use openssl::bn::BigNum;
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, PKeyRef, Private};
use openssl::rsa::Rsa;
use openssl::x509::extension::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAlternativeName,
    SubjectKeyIdentifier,
};
use openssl::x509::{X509, X509Builder, X509Name, X509NameBuilder, X509NameRef};

use super::{Pair, PkiError};
use crate::clock::DAY_MS;

/// RSA, as ICP-Brasil A1 certificates use it.
const KEY_BITS: u32 = 2048;

/// Period of a certificate, epoch milliseconds.
#[derive(Clone, Copy)]
pub(super) struct Period {
    pub from_ms: i64,
    pub to_ms: i64,
}

impl Period {
    fn ten_years(now_ms: i64) -> Self {
        let from_ms = now_ms.saturating_sub(DAY_MS);
        Self {
            from_ms,
            to_ms: from_ms.saturating_add(3650 * DAY_MS),
        }
    }
}

pub(super) fn new_key() -> Result<PKey<Private>, PkiError> {
    Ok(PKey::from_rsa(Rsa::generate(KEY_BITS)?)?)
}

pub(super) fn name(common_name: &str, unit: &str) -> Result<X509Name, PkiError> {
    let mut name = X509NameBuilder::new()?;
    name.append_entry_by_text("C", "BR")?;
    name.append_entry_by_text("O", "ICP-Brasil")?;
    name.append_entry_by_text("OU", unit)?;
    name.append_entry_by_text("CN", common_name)?;
    Ok(name.build())
}

/// A certificate without extensions and signature.
pub(super) fn begin(
    subject: &X509NameRef,
    issuer: &X509NameRef,
    key: &PKeyRef<Private>,
    period: Period,
) -> Result<X509Builder, PkiError> {
    // ASN.1 times end with the year 9999; beyond it openssl answers an error.
    let mut serial = [0u8; 16];
    getrandom::fill(&mut serial).map_err(|_| PkiError::Request("no randomness"))?;
    serial[0] &= 0x7f;
    let mut builder = X509::builder()?;
    builder.set_version(2)?;
    builder.set_serial_number(&*Asn1Integer::from_bn(&*BigNum::from_slice(&serial)?)?)?;
    builder.set_subject_name(subject)?;
    builder.set_issuer_name(issuer)?;
    builder.set_pubkey(key)?;
    builder.set_not_before(&*Asn1Time::from_unix(period.from_ms.div_euclid(1000))?)?;
    builder.set_not_after(&*Asn1Time::from_unix(period.to_ms.div_euclid(1000))?)?;
    Ok(builder)
}

pub(super) fn root(now_ms: i64) -> Result<Pair, PkiError> {
    let subject = name("AC Raiz Simulada", "Autoridade de teste sem valor legal")?;
    issued(&subject, None, now_ms, |b| {
        b.append_extension(BasicConstraints::new().critical().ca().build()?)?;
        signs_certificates(b)
    })
}

pub(super) fn intermediate(root: &Pair, now_ms: i64) -> Result<Pair, PkiError> {
    let subject = name("AC Simulada RFB", "Autoridade de teste sem valor legal")?;
    issued(&subject, Some(root), now_ms, |b| {
        b.append_extension(BasicConstraints::new().critical().ca().pathlen(0).build()?)?;
        signs_certificates(b)
    })
}

pub(super) fn server(issuer: &Pair, now_ms: i64) -> Result<Pair, PkiError> {
    let subject = name("localhost", "Servidor de teste")?;
    issued(&subject, Some(issuer), now_ms, |b| {
        b.append_extension(
            KeyUsage::new()
                .critical()
                .digital_signature()
                .key_encipherment()
                .build()?,
        )?;
        b.append_extension(ExtendedKeyUsage::new().server_auth().build()?)?;
        let san = SubjectAlternativeName::new()
            .dns("localhost")
            .ip("127.0.0.1")
            .ip("::1")
            .build(&b.x509v3_context(Some(&issuer.cert), None))?;
        b.append_extension(san)
    })
}

pub(super) fn authority(issuer: &Pair, now_ms: i64) -> Result<Pair, PkiError> {
    let subject = name("AUTORIDADE FISCAL SIMULADA", "Pessoa Juridica A1")?;
    issued(&subject, Some(issuer), now_ms, |b| {
        b.append_extension(
            KeyUsage::new()
                .critical()
                .digital_signature()
                .non_repudiation()
                .build()?,
        )
    })
}

/// A new key and its certificate of ten years with the extensions that
/// `extend` appends, signed by `issuer` or, without one, by itself.
fn issued(
    subject: &X509NameRef,
    issuer: Option<&Pair>,
    now_ms: i64,
    extend: impl FnOnce(&mut X509Builder) -> Result<(), ErrorStack>,
) -> Result<Pair, PkiError> {
    let key = new_key()?;
    let above = issuer.map_or(subject, |issuer| issuer.cert.subject_name());
    let mut b = begin(subject, above, &key, Period::ten_years(now_ms))?;
    extend(&mut b)?;
    match issuer {
        Some(issuer) => identifiers(&mut b, issuer)?,
        None => {
            let own = SubjectKeyIdentifier::new().build(&b.x509v3_context(None, None))?;
            b.append_extension(own)?;
        }
    }
    b.sign(
        issuer.map_or(&key, |issuer| &issuer.key),
        MessageDigest::sha256(),
    )?;
    Ok(Pair {
        key,
        cert: b.build(),
    })
}

fn signs_certificates(b: &mut X509Builder) -> Result<(), ErrorStack> {
    b.append_extension(
        KeyUsage::new()
            .critical()
            .key_cert_sign()
            .crl_sign()
            .build()?,
    )
}

pub(super) fn identifiers(builder: &mut X509Builder, issuer: &Pair) -> Result<(), PkiError> {
    let own =
        SubjectKeyIdentifier::new().build(&builder.x509v3_context(Some(&issuer.cert), None))?;
    builder.append_extension(own)?;
    let above = AuthorityKeyIdentifier::new()
        .keyid(true)
        .build(&builder.x509v3_context(Some(&issuer.cert), None))?;
    builder.append_extension(above)?;
    Ok(())
}
