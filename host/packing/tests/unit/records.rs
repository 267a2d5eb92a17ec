use crate::samples::{record, xml, zipped};
use packing::{Dictionaries, Layout, MAX_RECORD, PackError, Record, Unreadable};
use sha2::{Digest as _, Sha256};

fn packed(record: &Record) -> Vec<u8> {
    let none = Dictionaries::default();
    let packed = record.pack(&none, Layout::Generic, |_| false);
    packed.expect("packed").bytes
}

fn unpacked(bytes: &[u8]) -> Result<Record, Unreadable> {
    Record::unpack(bytes, &Dictionaries::default(), &[])
}

fn one(bytes: Vec<u8>) -> Record {
    let mut record = Record::default();
    record.set("a".to_owned(), bytes);
    record
}

#[test]
fn a_record_comes_back_byte_for_byte() {
    let record = record(7);
    let bytes = packed(&record);
    assert_eq!(unpacked(&bytes).expect("read"), record);
    assert_eq!(
        unpacked(&packed(&Record::default())).expect("read"),
        Record::default()
    );
}

#[test]
fn a_document_that_a_record_has_three_times_costs_once() {
    let three = packed(&record(7));
    let mut once = Record::default();
    once.set("xml/nfse".to_owned(), xml(7).into_bytes());
    let once = packed(&once);
    assert!(
        three.len() < once.len() + 400,
        "{} and {}",
        three.len(),
        once.len()
    );
}

#[test]
fn what_cannot_be_packed_again_the_same_stays_as_it_is() {
    let long = "A".repeat(500);
    let not_canonical = format!("{}=", zipped(&xml(1), 6));
    let mut another_crc = zipped(&xml(1), 6);
    another_crc.replace_range(another_crc.len() - 8..another_crc.len() - 4, "AAAA");
    for text in [
        long,
        not_canonical,
        another_crc,
        zipped(&xml(1), 4),
        "=".repeat(300),
    ] {
        let record = one(text.into_bytes());
        assert_eq!(unpacked(&packed(&record)).expect("read"), record);
    }
    let every_byte = (0..=u8::MAX).cycle().take(5_000).collect();
    let record = one(every_byte);
    assert_eq!(unpacked(&packed(&record)).expect("read"), record);
}

#[test]
fn a_byte_that_changed_is_noticed_wherever_it_is() {
    let record = record(3);
    let bytes = packed(&record);
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        if let Ok(read) = unpacked(&damaged) {
            assert_eq!(read, record, "byte {place} gave other texts");
        }
        assert!(
            unpacked(&bytes[..place]).is_err(),
            "{place} bytes were enough"
        );
    }
}

#[test]
fn a_length_that_no_record_has_is_refused_before_memory_is_taken() {
    // Version 1, no dictionary, 2^62 bytes.
    let mut bytes = vec![1, 0];
    bytes.extend([0x80; 8]);
    bytes.push(0x40);
    bytes.extend([0; 40]);
    assert!(matches!(unpacked(&bytes), Err(Unreadable::TooLarge(_))));
    // More bytes than it says.
    let record = one(vec![b'x'; 100_000]);
    let mut bytes = packed(&record);
    bytes[2] = 0x81;
    bytes[3] = 0x80;
    bytes[4] = 0;
    assert!(unpacked(&bytes).is_err());
    assert!(matches!(unpacked(&[9, 0, 0]), Err(Unreadable::Version(9))));
    let huge = one(vec![0; MAX_RECORD + 1]);
    let refused = huge.pack(&Dictionaries::default(), Layout::Generic, |_| false);
    assert!(matches!(refused, Err(PackError::TooLarge(_))));
}

#[test]
fn documents_that_unpack_to_more_than_a_record_may_have_stay_as_they_are() {
    // No base64, and most of what a record may have.
    let mut record = one(vec![b'='; 60 << 20]);
    for number in 0..3_u8 {
        // Digits without pattern, and two megabytes that compress to nearly nothing.
        let digits: String = (0..1_500_u32)
            .flat_map(|at| Sha256::digest([&[number][..], &at.to_be_bytes()].concat()))
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let document = format!("<a>{digits}{}</a>", "x".repeat(2 << 20));
        let name = format!("b{number}");
        record.set(name, zipped(&document, 1).into_bytes());
    }
    assert_eq!(unpacked(&packed(&record)).expect("read"), record);
}

#[test]
fn a_record_is_divided_and_put_together() {
    let whole = record(5);
    let mut near = whole.clone();
    let far = near.split(|name| name.starts_with("note/"));
    assert!(near.get("note/context").is_some() && near.get("xml/nfse").is_none());
    assert!(far.get("note/context").is_none() && far.get("xml/nfse").is_some());
    for part in far.parts() {
        near.set(part.name.clone(), part.bytes.clone());
    }
    assert_eq!(near, whole);
}

#[test]
fn some_texts_are_read_without_the_others() {
    let whole = record(5);
    let none = Dictionaries::default();
    let bytes = packed(&whole);
    let mut wanted = whole.clone();
    wanted.split(|name| name.starts_with("note/"));
    let some = Record::unpack_some(&bytes, &none, &[], |name| name.starts_with("note/"));
    assert_eq!(some.expect("read"), wanted);
    let nothing = Record::unpack_some(&bytes, &none, &[], |_| false);
    assert!(nothing.expect("read").is_empty());
    // What is not wanted is covered by the digest all the same.
    let mut damaged = bytes;
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    assert!(Record::unpack_some(&damaged, &none, &[], |_| false).is_err());
}
