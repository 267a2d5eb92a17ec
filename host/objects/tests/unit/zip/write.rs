use objects::zip::write::Zip;
use sha2::{Digest as _, Sha256};
use std::io;
use time::OffsetDateTime;

/// Time and date that the ZIP has for a file of this moment.
fn stamp(moment: OffsetDateTime) -> [u16; 2] {
    let mut zip = Zip::new(Vec::new());
    zip.add("a", b"", moment).expect("added");
    let written = zip.finish().expect("finished").to;
    // Behind the signature, the version, the flags and the method (4.3.7).
    [10_usize, 12].map(|at| u16::from_le_bytes([written[at], written[at + 1]]))
}

#[test]
fn a_name_goes_in_once_and_the_end_says_what_is_there() {
    let moment = OffsetDateTime::UNIX_EPOCH + time::Duration::days(20_000);
    let mut zip = Zip::new(Vec::new());
    zip.add("a/b.xml", b"<a/>", moment).expect("added");
    assert!(zip.has("a/b.xml") && !zip.has("b.xml"));
    let again = zip.add("a/b.xml", b"", moment).expect_err("twice");
    assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    let done = zip.finish().expect("finished");
    assert_eq!(done.to.len(), done.bytes as usize);
    assert_eq!(done.sha256, flow::hex(&Sha256::digest(&done.to)));
    let end = &done.to[done.to.len() - 22..];
    assert_eq!(&end[..12], b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
}

#[test]
fn moments_are_those_of_the_format() {
    let moment = time::macros::datetime!(2026-11-20 13:15:04 UTC);
    assert_eq!(
        stamp(moment),
        [13 << 11 | 15 << 5 | 2, 46 << 9 | 11 << 5 | 20]
    );
    assert_eq!(stamp(OffsetDateTime::UNIX_EPOCH)[1] >> 9, 0);
}
