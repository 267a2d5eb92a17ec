//! Who a certificate belongs to: the CNPJ or CPF in its otherName fields.

use openssl::nid::Nid;
use openssl::x509::X509;

/// Holder of an ICP-Brasil certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// CNPJ (14) or CPF (11).
    pub document: String,
    /// The name before the colon of the common name.
    pub name: String,
}

/// DER of the object identifiers 2.16.76.1.3.3 (CNPJ) and 2.16.76.1.3.1 (person).
const CNPJ_OID: [u8; 7] = [0x06, 0x05, 0x60, 0x4c, 0x01, 0x03, 0x03];
const PERSON_OID: [u8; 7] = [0x06, 0x05, 0x60, 0x4c, 0x01, 0x03, 0x01];

/// Reads the holder; `None` when the certificate names no CNPJ and no CPF.
pub fn holder(cert_der: &[u8]) -> Option<Holder> {
    let cert = X509::from_der(cert_der).ok()?;
    let common_name = cert
        .subject_name()
        .entries_by_nid(Nid::COMMONNAME)
        .next()
        .and_then(|e| e.data().to_string().ok())
        .unwrap_or_default();
    let document = value_after(cert_der, &CNPJ_OID)
        .filter(|v| v.len() == 14)
        // Birth date first, then the CPF.
        .or_else(|| {
            value_after(cert_der, &PERSON_OID).and_then(|v| v.get(8..19).map(str::to_owned))
        })?;
    let name = common_name
        .rsplit_once(':')
        .map_or(common_name.as_str(), |(n, _)| n)
        .to_owned();
    Some(Holder { document, name })
}

/// The text of an otherName value: `[0] { string }` after its identifier.
fn value_after(der: &[u8], oid: &[u8]) -> Option<String> {
    let at = der.windows(oid.len()).position(|w| w == oid)? + oid.len();
    let explicit = der.get(at..)?;
    if explicit.first() != Some(&0xa0) {
        return None;
    }
    // Short lengths only: these fields have fewer than 128 bytes.
    let inner = explicit.get(2..)?;
    let tag = *inner.first()?;
    let len = usize::from(*inner.get(1)?);
    // OCTET, UTF8, Printable, Teletex and IA5 strings are all seen.
    if !matches!(tag, 0x04 | 0x0c | 0x13 | 0x14 | 0x16) || len >= 0x80 {
        return None;
    }
    let bytes = inner.get(2..2 + len)?;
    let text = std::str::from_utf8(bytes).ok()?;
    text.bytes()
        .all(|b| b.is_ascii_graphic() || b == b' ')
        .then(|| text.to_owned())
}
