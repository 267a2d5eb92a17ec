use crate::samples::record;
use packing::{Dictionaries, Dictionary, Layout, Record, TrainError, Unreadable, train};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// SHA-256 of each dictionary that was ever shipped: a line is added for a new one, and none
/// is ever changed, for records of any store may need it.
const SHIPPED: [(u32, &str, &str); 8] = [
    (
        1,
        "generic",
        "b41f847da24e87f1bc69420f9e6652343272432a8013489f95f6b6037b881ee5",
    ),
    (
        2,
        "nfse-nacional",
        "5aa9024a4b98606131384e02e3015ade60f6f4d77148f166d0006538c38936bc",
    ),
    (
        3,
        "abrasf",
        "12a7bb607dd6468e0dc77898a383b6e6b30ce709f0557cfc68983365307ff656",
    ),
    (
        4,
        "nfe",
        "ef6e890cd4dfb48a54c21bee48d1ab1345042db14aa704531323cdfe995b13e9",
    ),
    (
        5,
        "generic",
        "f3722d090e15c0e5d1b09757129e8fa35ba96c880703966c3ec5c74777bacd8c",
    ),
    (
        6,
        "nfse-nacional",
        "61d88bb8b563ef4cb523a7ed815785f7624eb4a0ad20229e78b3ef583367465b",
    ),
    (
        7,
        "abrasf",
        "73a7a3bde3edf7fa22423c31f3848aa6bb6fa05f2f7b5fe2aa181d55e22cdf95",
    ),
    (
        8,
        "nfe",
        "031b18ad74fcc7f00c03bca91f066de532a65b823b5a0cf01f642b16f17b36f1",
    ),
];

#[test]
fn dictionaries_that_were_shipped_never_change() {
    let all = Dictionaries::shipped().all();
    let now: Vec<(u32, &str, String)> = all
        .iter()
        .map(|one| {
            let digest = Sha256::digest(&one.bytes);
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            (one.id, one.layout.name(), hex)
        })
        .collect();
    let then: Vec<(u32, &str, String)> = SHIPPED
        .iter()
        .map(|(id, layout, hex)| (*id, *layout, (*hex).to_owned()))
        .collect();
    assert_eq!(now, then);
    let ids: BTreeSet<u32> = all.iter().map(|one| one.id).collect();
    assert!(ids.len() == all.len() && !ids.contains(&0));
}

#[test]
fn each_shipped_dictionary_reads_what_it_wrote() {
    for layout in Layout::ALL {
        let record = record(11);
        let packed = record
            .pack(Dictionaries::shipped(), layout, |_| false)
            .expect("packed");
        let newest = Dictionaries::shipped().newest(layout);
        assert_eq!(packed.dictionary, newest.map_or(0, |one| one.id));
        let read = Record::unpack(&packed.bytes, Dictionaries::shipped(), &[]);
        assert_eq!(read.expect("read"), record);
    }
}

#[test]
fn a_trained_dictionary_makes_records_smaller_and_is_needed_to_read_them() {
    let samples: Vec<Record> = (0..400).map(record).collect();
    let bytes = train(&samples, |_| false).expect("trained");
    let old = Dictionary::new(1, Layout::Nfe, bytes.clone());
    let new = Dictionary::new(2, Layout::Nfe, bytes);
    let both = Dictionaries::new(vec![old, new]);
    let record = record(1_000);
    let packed = record.pack(&both, Layout::Nfe, |_| false).expect("packed");
    assert_eq!(packed.dictionary, 2, "the newest");
    let without = record
        .pack(&both, Layout::Generic, |_| false)
        .expect("packed");
    assert_eq!(without.dictionary, 0);
    assert!(packed.bytes.len() < without.bytes.len() * 3 / 4);
    assert_eq!(
        Record::unpack(&packed.bytes, &both, &[]).expect("read"),
        record
    );
    let none = Dictionaries::default();
    let refused = Record::unpack(&packed.bytes, &none, &[]);
    assert!(matches!(refused, Err(Unreadable::Dictionary(2))));
}

#[test]
fn a_few_records_teach_nothing() {
    let few: Vec<Record> = (0..3).map(record).collect();
    assert!(matches!(train(&few, |_| false), Err(TrainError::TooFew(3))));
}
