//! The facts of one X.509 certificate, as ICP-Brasil writes them.

use std::fmt::Write as _;

use markup::ids::{Cnpj, Cpf, CpfCnpj};
use openssl::asn1::{Asn1Time, Asn1TimeRef};
use openssl::error::ErrorStack;
use openssl::nid::Nid;
use openssl::x509::{X509, X509NameRef};
use sha2::{Digest, Sha256};

use super::der::{self, BOOLEAN, Element, OCTET_STRING, OID, SEQUENCE};

/// 2.5.29.17, RFC 5280 §4.2.1.6.
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];
/// 2.5.29.19, RFC 5280 §4.2.1.9.
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
/// 2.16.76.1.3.1, DOC-ICP-04: birth date (8), CPF (11), NIS, RG.
const ICP_NATURAL_PERSON: &[u8] = &[0x60, 0x4c, 0x01, 0x03, 0x01];
/// 2.16.76.1.3.3, DOC-ICP-04: CNPJ of the holder.
const ICP_CNPJ: &[u8] = &[0x60, 0x4c, 0x01, 0x03, 0x03];

/// Characters of a name that are kept; X.520 allows 64 in a common name.
const MAX_NAME_CHARS: usize = 200;

/// What the hub shows and checks of a certificate. Nothing secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Common name of the holder, without the number ICP-Brasil appends.
    pub holder: String,
    /// CNPJ or CPF of the holder, where the certificate names one.
    pub documento: Option<CpfCnpj>,
    /// Common name of the issuing authority.
    pub issuer: String,
    /// Start of validity, epoch milliseconds.
    pub valid_from_ms: i64,
    /// End of validity, epoch milliseconds, inclusive.
    pub valid_until_ms: i64,
    /// SHA-256 of the DER, lower-case hexadecimal.
    pub fingerprint: String,
    /// Belongs to a certification authority (basicConstraints cA).
    pub of_ca: bool,
}

/// The bytes are not a certificate that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed certificate")]
pub struct CertificateError;

impl From<ErrorStack> for CertificateError {
    fn from(_: ErrorStack) -> Self {
        Self
    }
}

impl Certificate {
    /// Whether the holder may sign for `cnpj`: all establishments of a company
    /// share the first 8 positions. False for a person's certificate and for
    /// one that names nobody.
    pub fn belongs_to(&self, cnpj: &Cnpj) -> bool {
        same_company(self.documento.as_ref(), cnpj)
    }

    /// Reads a DER certificate.
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        Self::from_x509(&X509::from_der(der)?)
    }

    pub(super) fn from_x509(x509: &X509) -> Result<Self, CertificateError> {
        let der = x509.to_der()?;
        let extensions = Extensions::of(&der);
        let common_name = common_name(x509.subject_name());
        let (holder, in_name) = split_common_name(&common_name);
        Ok(Self {
            documento: extensions.documento().or(in_name),
            holder,
            issuer: common_name_or_organization(x509.issuer_name()),
            valid_from_ms: epoch_ms(x509.not_before())?,
            valid_until_ms: epoch_ms(x509.not_after())?,
            fingerprint: sha256_hex(&der),
            of_ca: extensions.is_ca(),
        })
    }
}

pub(super) fn same_company(holder: Option<&CpfCnpj>, cnpj: &Cnpj) -> bool {
    holder
        .and_then(CpfCnpj::cnpj)
        .is_some_and(|own| own.root() == cnpj.root())
}

/// Older certificates carry the number only as `NAME:NUMBER`.
fn split_common_name(common_name: &str) -> (String, Option<CpfCnpj>) {
    if let Some((name, number)) = common_name.rsplit_once(':')
        && let Ok(documento) = CpfCnpj::parse(number)
    {
        return (name.trim().to_owned(), Some(documento));
    }
    (common_name.to_owned(), None)
}

fn common_name_or_organization(name: &X509NameRef) -> String {
    let common_name = common_name(name);
    if common_name.is_empty() {
        entry(name, Nid::ORGANIZATIONNAME)
    } else {
        common_name
    }
}

fn common_name(name: &X509NameRef) -> String {
    entry(name, Nid::COMMONNAME)
}

/// One line of printable text: names end up in pages and logs.
fn entry(name: &X509NameRef, nid: Nid) -> String {
    let text = name
        .entries_by_nid(nid)
        .next()
        .and_then(|e| e.data().to_string().ok());
    let printable = text
        .iter()
        .flat_map(|t| t.chars())
        .filter(|c| !c.is_control());
    printable
        .take(MAX_NAME_CHARS)
        .collect::<String>()
        .trim()
        .to_owned()
}

fn epoch_ms(time: &Asn1TimeRef) -> Result<i64, CertificateError> {
    let since_epoch = Asn1Time::from_unix(0)?.diff(time)?;
    Ok((i64::from(since_epoch.days) * 86_400 + i64::from(since_epoch.secs)) * 1_000)
}

fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _infallible = write!(hex, "{byte:02x}");
            hex
        })
}

/// The extensions of a certificate, read from its DER because the OpenSSL
/// binding gives no access to `otherName`.
struct Extensions<'a>(Vec<(&'a [u8], &'a [u8])>);

/// Extensions looked at; real certificates have about ten.
const MAX_EXTENSIONS: usize = 64;
/// Alternative names looked at; ICP-Brasil's have about six.
const MAX_ALT_NAMES: usize = 64;

impl<'a> Extensions<'a> {
    /// `Certificate → tbsCertificate → [3] → SEQUENCE OF Extension`.
    fn of(der: &'a [u8]) -> Self {
        let list = der::read(der)
            .and_then(|(certificate, _)| certificate.children().next())
            .and_then(|tbs| tbs.children().find(|c| c.tag == der::context(3)))
            .and_then(|explicit| explicit.children().next());
        let found = list.iter().flat_map(Element::children).take(MAX_EXTENSIONS);
        Self(
            found
                .filter_map(|extension| Self::one(&extension))
                .collect(),
        )
    }

    /// `SEQUENCE { extnID, critical DEFAULT FALSE, extnValue OCTET STRING }`.
    fn one(extension: &Element<'a>) -> Option<(&'a [u8], &'a [u8])> {
        let id = extension.children().next().filter(|c| c.tag == OID)?;
        let value = extension.children().find(|c| c.tag == OCTET_STRING)?;
        Some((id.content, value.content))
    }

    fn get(&self, id: &[u8]) -> Option<Element<'a>> {
        let (_, value) = self.0.iter().find(|(found, _)| *found == id)?;
        der::read(value)
            .map(|(element, _)| element)
            .filter(|e| e.tag == SEQUENCE)
    }

    fn is_ca(&self) -> bool {
        self.get(BASIC_CONSTRAINTS)
            .and_then(|constraints| constraints.children().next())
            .is_some_and(|first| first.tag == BOOLEAN && first.content.iter().any(|&b| b != 0))
    }

    /// A field full of zeros, ICP-Brasil's way to say "none", fails its check.
    fn documento(&self) -> Option<CpfCnpj> {
        let cnpj = self
            .other_name(ICP_CNPJ)
            .and_then(|text| Cnpj::parse(&text).ok());
        let cpf = || Cpf::parse(self.other_name(ICP_NATURAL_PERSON)?.get(8..19)?).ok();
        cnpj.map(CpfCnpj::Cnpj).or_else(|| cpf().map(CpfCnpj::Cpf))
    }

    /// `otherName [0] { type-id, value [0] EXPLICIT }`; ICP-Brasil allows an
    /// OCTET STRING or a character string inside.
    fn other_name(&self, type_id: &[u8]) -> Option<String> {
        let names = self.get(SUBJECT_ALT_NAME)?;
        let mut others = names
            .children()
            .take(MAX_ALT_NAMES)
            .filter(|n| n.tag == der::context(0));
        others.find_map(|other| {
            let mut parts = other.children();
            parts
                .next()
                .filter(|id| id.tag == OID && id.content == type_id)?;
            let value = parts.next().filter(|v| v.tag == der::context(0))?;
            let text = if value.constructed {
                value.children().next()?.content
            } else {
                value.content
            };
            Some(std::str::from_utf8(text).ok()?.trim().to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testkit::{self, Holder};
    use super::*;

    fn documento(number: &str) -> Option<CpfCnpj> {
        Some(CpfCnpj::parse(number).unwrap())
    }

    #[test]
    fn reads_an_e_cnpj() {
        let leaf = testkit::leaf(&Holder {
            cnpj: Some("12ABC34501DE35"),
            ..Holder::default()
        });
        let facts = Certificate::from_x509(&leaf.certificate).unwrap();
        assert_eq!(facts.holder, "EMPRESA DE TESTE LTDA");
        assert_eq!(facts.documento, documento("12ABC34501DE35"));
        assert_eq!(facts.issuer, "AC DE TESTE");
        assert_eq!(facts.valid_from_ms, testkit::VALID_FROM_MS);
        assert_eq!(facts.valid_until_ms, testkit::VALID_UNTIL_MS);
        assert_eq!(facts.fingerprint.len(), 64);
        assert!(!facts.of_ca);
        assert_eq!(
            Certificate::from_der(&leaf.certificate.to_der().unwrap()),
            Ok(facts)
        );
    }

    #[test]
    fn reads_the_cpf_from_positions_9_to_19_and_the_number_in_the_name() {
        let field = "0101198011144477735000000000001234567SSPSP";
        let leaf = testkit::leaf(&Holder {
            natural_person: Some(field),
            ..Holder::default()
        });
        let facts = Certificate::from_x509(&leaf.certificate).unwrap();
        assert_eq!(facts.documento, documento("11144477735"));

        let leaf = testkit::leaf(&Holder {
            common_name: "ALFA: BETA ME:11222333000181",
            ..Holder::default()
        });
        let facts = Certificate::from_x509(&leaf.certificate).unwrap();
        assert_eq!(facts.holder, "ALFA: BETA ME");
        assert_eq!(facts.documento, documento("11222333000181"));

        let leaf = testkit::leaf(&Holder {
            common_name: "SEM NUMERO",
            ..Holder::default()
        });
        assert_eq!(
            Certificate::from_x509(&leaf.certificate).unwrap().documento,
            None
        );
    }

    #[test]
    fn an_empty_icp_field_is_no_document() {
        let leaf = testkit::leaf(&Holder {
            cnpj: Some("00000000000000"),
            natural_person: Some("0000000000000000000"),
            common_name: "SEM NUMERO",
            ..Holder::default()
        });
        assert_eq!(
            Certificate::from_x509(&leaf.certificate).unwrap().documento,
            None
        );
    }

    #[test]
    fn a_branch_belongs_to_its_company_only() {
        let belongs = |holder: Option<CpfCnpj>, cnpj| {
            same_company(holder.as_ref(), &Cnpj::parse(cnpj).unwrap())
        };
        assert!(belongs(documento("12ABC34501DE35"), "12ABC34501DE35"));
        assert!(belongs(documento("12ABC34501DE35"), "12.ABC.345/0002-69"));
        assert!(!belongs(documento("12ABC34501DE35"), "11222333000181"));
        assert!(!belongs(documento("11144477735"), "12ABC34501DE35"));
        assert!(!belongs(None, "12ABC34501DE35"));
    }

    #[test]
    fn cut_certificates_are_errors() {
        let der = testkit::leaf(&Holder::default())
            .certificate
            .to_der()
            .unwrap();
        for length in 0..der.len() {
            assert_eq!(Certificate::from_der(&der[..length]), Err(CertificateError));
        }
    }
    #[test]
    fn a_changed_byte_is_an_error_or_another_fingerprint() {
        let der = testkit::leaf(&Holder::default())
            .certificate
            .to_der()
            .unwrap();
        let original = Certificate::from_der(&der).unwrap();
        for at in 0..der.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut changed = der.clone();
                changed[at] ^= flip;
                if let Ok(facts) = Certificate::from_der(&changed) {
                    assert_ne!(facts.fingerprint, original.fingerprint, "{at}");
                }
            }
        }
    }
}
