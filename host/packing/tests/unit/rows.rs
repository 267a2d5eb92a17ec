//! Pages of rows.

use packing::{PackError, Page, Unreadable, Values};

const DIGEST: &str = "0f5d8c73348131852b0e155d55e6e4069ee0f6bc1793e7510ee7b8a499841018";

fn texts(values: &[&str]) -> Values {
    Values::Texts(values.iter().map(|text| (*text).to_owned()).collect())
}

/// Rows whose texts have ids and digests, and such that only look like them.
fn page() -> Page {
    Page::default()
        .with(
            "id",
            texts(&[
                "req_01KB9B7WW06EX2YAF7R5MBP000",
                "req_01KB9QRWWZBRBAAAYSRQ9EM000",
                "x_7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
                "",
            ]),
        )
        .with(
            "path",
            texts(&[
                "/api/v1/nfse_01KB9B7WW06EX2YAF7R5MBQZZZ?é",
                "\u{1}01KB9B7WW06EX2YAF7R5MBQZZZ",
                "nfse_01kb9b7ww06ex2yaf7r5mbqzzz 8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
                DIGEST,
            ]),
        )
        .with(
            "digest",
            texts(&[DIGEST, &DIGEST.to_uppercase(), "", DIGEST]),
        )
        .with("status", Values::Numbers(vec![i64::MIN, i64::MAX, 0, -5]))
        .with(
            "at_ms",
            Values::Numbers(vec![1_764_471_600_000, 1_764_484_739_999, 3, 4]),
        )
}

#[test]
fn rows_come_back_as_they_were() {
    let page = page();
    let bytes = page.pack().expect("packed");
    assert_eq!(Page::unpack(&bytes).expect("read"), page);
    assert_eq!(page.rows(), 4);
    let none = Page::default().pack().expect("packed");
    assert_eq!(Page::unpack(&none).expect("read"), Page::default());
}

#[test]
fn a_page_that_was_damaged_is_not_read() {
    let page = page();
    let bytes = page.pack().expect("packed");
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        if let Ok(read) = Page::unpack(&damaged) {
            assert_eq!(read, page, "byte {place} gave other rows");
        }
        assert!(Page::unpack(&bytes[..place]).is_err(), "{place} bytes");
    }
    let mut other = packing::Record::default();
    other.set("xml/nfse".to_owned(), b"<a/>".to_vec());
    let other = other.pack(
        &packing::Dictionaries::default(),
        packing::Layout::Generic,
        |_| false,
    );
    let read = Page::unpack(&other.expect("packed").bytes);
    assert!(matches!(read, Err(Unreadable::Shape)));
}

#[test]
fn columns_have_one_length() {
    let page = page().with("more", texts(&["one"]));
    assert!(matches!(page.pack(), Err(PackError::Uneven(name)) if name == "more"));
}

#[test]
fn what_rows_have_in_common_is_written_once() {
    let at_ms = 1_764_471_600_000_u64;
    let (mut ids, mut paths, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..256_u64 {
        // Digits that repeat nowhere; four calls in a row are about one note.
        let digits = |of: u64| {
            let number = of.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 100_000_000_000_000;
            format!("01KB9B7WW0{number:016}")
        };
        ids.push(format!("req_{}", digits(row + 1)));
        paths.push(format!(
            "/api/v1/documentos/nfse_{}",
            digits(5_000 + row / 4)
        ));
        times.push((at_ms + row).cast_signed());
    }
    let text: usize = ids.iter().chain(&paths).map(String::len).sum();
    let page = Page::default()
        .with("id", Values::Texts(ids))
        .with("path", Values::Texts(paths))
        .with("at_ms", Values::Numbers(times));
    let bytes = page.pack().expect("packed");
    assert_eq!(Page::unpack(&bytes).expect("read"), page);
    // The digits of an id have ten bytes.
    assert!(bytes.len() < 256 * 16, "{} of {text}", bytes.len());
}
