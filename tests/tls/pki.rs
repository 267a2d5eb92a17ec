//! Authorities and certificates of these tests, valid until 2049.

use openssl::asn1::{Asn1Integer, Asn1Time};
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509Builder, X509Name};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// 2000-01-01, 2001-01-01 and 2049-01-01, epoch seconds.
const FROM: i64 = 946_684_800;
const ENDED: i64 = 978_307_200;
const UNTIL: i64 = 2_493_072_000;

#[derive(Clone)]
pub struct Leaf {
    pub certificate: X509,
    pub key: PKey<Private>,
}

pub struct Pki {
    /// Issues the servers' certificates.
    pub servers: Leaf,
    pub server: Leaf,
    /// Of another host.
    pub elsewhere: Leaf,
    pub ended: Leaf,
    /// Issues the customers' certificates.
    pub customers: Leaf,
    pub customer: Leaf,
    /// A customer of an authority nobody knows.
    pub stranger: Leaf,
}

pub fn pki() -> &'static Pki {
    static PKI: LazyLock<Pki> = LazyLock::new(|| {
        // Making RSA keys is slow: certificates share this one.
        let key = rsa();
        let servers = issue("AC SERVIDORES", &rsa(), None, &[], UNTIL);
        let customers = issue("AC CLIENTES", &rsa(), None, &[], UNTIL);
        let nobody = issue("AC DESCONHECIDA", &rsa(), None, &[], UNTIL);
        let names = ["localhost"];
        Pki {
            server: issue("localhost", &key, Some(&servers), &names, UNTIL),
            elsewhere: issue(
                "elsewhere",
                &key,
                Some(&servers),
                &["elsewhere.test"],
                UNTIL,
            ),
            ended: issue("localhost", &key, Some(&servers), &names, ENDED),
            customer: issue("EMPRESA", &key, Some(&customers), &[], UNTIL),
            stranger: issue("ESTRANHA", &key, Some(&nobody), &[], UNTIL),
            servers,
            customers,
        }
    });
    &PKI
}

fn rsa() -> PKey<Private> {
    PKey::from_rsa(Rsa::generate(2048).expect("key")).expect("key")
}

fn issue(
    name: &str,
    key: &PKey<Private>,
    issuer: Option<&Leaf>,
    hosts: &[&str],
    until: i64,
) -> Leaf {
    let mut subject = X509Name::builder().expect("name");
    subject.append_entry_by_text("CN", name).expect("name");
    let subject = subject.build();
    let mut builder = X509Builder::new().expect("builder");
    builder.set_version(2).expect("version");
    let serial = BigNum::from_u32(7).and_then(|serial| Asn1Integer::from_bn(&serial));
    builder
        .set_serial_number(&serial.expect("serial"))
        .expect("serial");
    builder.set_subject_name(&subject).expect("subject");
    let by = issuer.map_or(&*subject, |issuer| issuer.certificate.subject_name());
    builder.set_issuer_name(by).expect("issuer");
    let moment = |at| Asn1Time::from_unix(at).expect("time");
    builder.set_not_before(&moment(FROM)).expect("from");
    builder.set_not_after(&moment(until)).expect("until");
    builder.set_pubkey(key).expect("key");
    let mut constraints = BasicConstraints::new();
    if issuer.is_none() {
        constraints.ca();
    }
    let constraints = constraints.critical().build().expect("constraints");
    builder.append_extension(constraints).expect("constraints");
    if !hosts.is_empty() {
        let mut names = SubjectAlternativeName::new();
        for host in hosts {
            names.dns(host);
        }
        let names = names
            .build(&builder.x509v3_context(None, None))
            .expect("names");
        builder.append_extension(names).expect("names");
    }
    let signer = issuer.map_or(key, |issuer| &issuer.key);
    builder
        .sign(signer, MessageDigest::sha256())
        .expect("signature");
    Leaf {
        certificate: builder.build(),
        key: key.clone(),
    }
}

impl Leaf {
    pub fn pem(&self) -> Vec<u8> {
        self.certificate.to_pem().expect("pem")
    }

    /// Chain and key as the vault gives them.
    pub fn identity(&self) -> (Vec<u8>, Zeroizing<Vec<u8>>) {
        let key = self.key.private_key_to_pem_pkcs8().expect("pem");
        (self.pem(), Zeroizing::new(key))
    }

    /// Certificate and key as one file.
    pub fn file(&self, folder: &Path, name: &str) -> PathBuf {
        let (mut text, key) = self.identity();
        text.extend_from_slice(&key);
        let path = folder.join(name);
        std::fs::write(&path, text).expect("file");
        path
    }
}
