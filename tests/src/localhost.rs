//! A TLS server of this machine.

use openssl::asn1::{Asn1Integer, Asn1Time};
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509Builder, X509Name};
use std::path::Path;

/// 2000-01-01 and 2049-01-01, epoch seconds.
const FROM: i64 = 946_684_800;
const UNTIL: i64 = 2_493_072_000;

/// Writes a certificate of `localhost` that answers for itself (`server.pem`) and its
/// key (`server.key`) into a folder.
pub fn certificate(folder: &Path) {
    let key = PKey::from_rsa(Rsa::generate(2048).expect("key")).expect("key");
    let mut name = X509Name::builder().expect("name");
    name.append_entry_by_text("CN", "localhost").expect("name");
    let name = name.build();
    let mut builder = X509Builder::new().expect("builder");
    builder.set_version(2).expect("version");
    let serial = Asn1Integer::from_bn(&BigNum::from_u32(7).expect("number")).expect("serial");
    builder.set_serial_number(&serial).expect("serial");
    builder.set_subject_name(&name).expect("subject");
    builder.set_issuer_name(&name).expect("issuer");
    builder.set_pubkey(&key).expect("key");
    let from = Asn1Time::from_unix(FROM).expect("time");
    let until = Asn1Time::from_unix(UNTIL).expect("time");
    builder.set_not_before(&from).expect("time");
    builder.set_not_after(&until).expect("time");
    let basic = BasicConstraints::new().critical().ca().build();
    builder
        .append_extension(basic.expect("extension"))
        .expect("extension");
    let host = SubjectAlternativeName::new()
        .dns("localhost")
        .build(&builder.x509v3_context(None, None))
        .expect("extension");
    builder.append_extension(host).expect("extension");
    builder.sign(&key, MessageDigest::sha256()).expect("signed");
    let pem = builder.build().to_pem().expect("PEM");
    let key = key.private_key_to_pem_pkcs8().expect("PEM");
    std::fs::write(folder.join("server.pem"), pem).expect("certificate");
    std::fs::write(folder.join("server.key"), key).expect("key");
}
