use crate::samples::{record, xml, zipped};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use packing::{Certificate, Dictionaries, Layout, Packed, Record, Unreadable, certificates_of};
use sha2::{Digest as _, Sha256};

/// What looks like a certificate, in base64: bytes without pattern in a SEQUENCE.
fn certificate(number: u8) -> String {
    let body: Vec<u8> = (0..40_u8)
        .flat_map(|part| Sha256::digest([number, part]))
        .collect();
    let mut der = vec![0x30, 0x82];
    der.extend_from_slice(&1_280_u16.to_be_bytes());
    der.extend_from_slice(&body);
    der[4] = 0x30;
    STANDARD.encode(der)
}

/// A document that somebody signed.
fn signed(number: u8) -> String {
    let certificate = certificate(number);
    xml(7) + "<X509Certificate>" + &certificate + "</X509Certificate>"
}

/// The signed document as it is, in base64, in base64 of gzip, and in base64 of an envelope
/// that has it in base64 of gzip.
fn whole() -> Record {
    let mut record = record(7);
    let mut add = |name: &str, text: String| record.set(name.to_owned(), text.into_bytes());
    add("xml/nfse", signed(1));
    add("xml/other", signed(2));
    add("0/2/request_body", STANDARD.encode(signed(1)));
    add("0/3/request_body", zipped(&signed(2), 6));
    let inner = format!("<envelope>{}</envelope>", zipped(&signed(1), 6));
    add("0/4/request_body", STANDARD.encode(inner));
    record
}

fn packed(record: &Record) -> Packed {
    let packed = record.pack(&Dictionaries::default(), Layout::Generic, |name| {
        !name.starts_with("note/")
    });
    packed.expect("packed")
}

#[test]
fn certificates_are_kept_beside_a_record_and_it_comes_back_with_them() {
    let whole = whole();
    let packed = packed(&whole);
    assert_eq!(packed.certificates.len(), 2, "each once");
    let named: Vec<_> = packed.certificates.iter().map(Certificate::id).collect();
    assert_eq!(certificates_of(&packed.bytes).expect("read"), named);
    let none = Dictionaries::default();
    let read = Record::unpack(&packed.bytes, &none, &packed.certificates);
    assert_eq!(read.expect("read"), whole);
    let inside = whole.pack(&none, Layout::Generic, |_| false);
    let inside = inside.expect("packed");
    assert!(inside.certificates.is_empty());
    assert!(packed.bytes.len() + 2_000 < inside.bytes.len());
}

#[test]
fn a_record_without_one_of_its_certificates_is_an_error() {
    let packed = packed(&whole());
    let none = Dictionaries::default();
    for given in [&packed.certificates[..1], &packed.certificates[1..], &[]] {
        let refused = Record::unpack(&packed.bytes, &none, given);
        assert!(matches!(refused, Err(Unreadable::Certificate)));
    }
    let other = Certificate::new(b"other".to_vec());
    let refused = Record::unpack(&packed.bytes, &none, &[other]);
    assert!(matches!(refused, Err(Unreadable::Certificate)));
    // Texts that have none are read without.
    let some = Record::unpack_some(&packed.bytes, &none, &[], |name| name.starts_with("note/"));
    assert_eq!(some.expect("read").parts().len(), 2);
}

#[test]
fn a_name_that_changed_is_noticed() {
    let whole = whole();
    let packed = packed(&whole);
    let first = packed.certificates[0].id().0;
    let at = packed.bytes.windows(16).position(|bytes| bytes == first);
    let at = at.expect("a name in the head");
    for place in at - 1..at + 32 {
        let mut damaged = packed.bytes.clone();
        damaged[place] ^= 1;
        let read = Record::unpack(&damaged, &Dictionaries::default(), &packed.certificates);
        assert!(read.is_err(), "byte {place}");
    }
}

#[test]
fn what_a_text_keeps_has_its_certificate_inside() {
    let mut record = Record::default();
    record.set("note/context".to_owned(), signed(1).into_bytes());
    let packed = packed(&record);
    assert!(packed.certificates.is_empty());
    let read = Record::unpack(&packed.bytes, &Dictionaries::default(), &[]);
    assert_eq!(read.expect("read"), record);
}

/// Bytes as version 1 wrote them: version, dictionary, length, digest, what is compressed. It
/// has one text in two pieces, the second of which is a document in base64.
#[test]
fn records_of_the_first_version_are_read() {
    let document = xml(3);
    let mut plain = vec![1, 8];
    plain.extend_from_slice(b"xml/nfse");
    plain.extend_from_slice(&[2, 0, 6]);
    plain.extend_from_slice(b"before");
    plain.push(1);
    let length = document.len();
    plain.extend_from_slice(&[(length & 0x7f) as u8 | 0x80, (length >> 7) as u8]);
    plain.extend_from_slice(document.as_bytes());
    let length = plain.len();
    let mut bytes = vec![1, 0, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8];
    bytes.extend_from_slice(&Sha256::digest(&plain));
    let mut compressor = zstd::bulk::Compressor::new(3).expect("zstd");
    bytes.extend_from_slice(&compressor.compress(&plain).expect("compressed"));
    assert!(certificates_of(&bytes).expect("read").is_empty());
    let read = Record::unpack(&bytes, &Dictionaries::default(), &[]).expect("read");
    let text = format!("before{}", STANDARD.encode(document));
    assert_eq!(read.get("xml/nfse"), Some(text.as_bytes()));
    let none = Record::unpack_some(&bytes, &Dictionaries::default(), &[], |_| false);
    assert!(none.expect("read").is_empty());
}
