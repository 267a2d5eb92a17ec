//! Digits and tables that the rules of authorization look at.

use sim::sefaz::rules::identification::forbidden;
use sim::sefaz::rules::ie::ie_ok;
use sim::sefaz::rules::items::gtin_ok;
use sim::sefaz::rules::tables::{CFOP, NCM, cfop, class, cst_reforma, devolution, ncm};

#[test]
fn weak_numeric_codes() {
    for cnf in [
        "00000000", "11111111", "12345678", "89012345", "90123456", "01234567",
    ] {
        assert!(forbidden(cnf), "{cnf}");
    }
    assert!(!forbidden("48213957"));
}

#[test]
fn examples_the_states_publish() {
    for (uf, ie) in [
        ("AC", "0100482300112"),
        ("AL", "240000048"),
        ("AP", "030123459"),
        ("BA", "12345663"),
        ("BA", "61234557"),
        ("BA", "100000306"),
        ("CE", "060000015"),
        ("DF", "0730000100109"),
        ("GO", "109876547"),
        ("MA", "120000385"),
        ("MT", "00130000019"),
        ("MG", "0623079040081"),
        ("PA", "159999995"),
        ("PB", "060000015"),
        ("PR", "1234567850"),
        ("PE", "032141840"),
        ("PE", "18100100000049"),
        ("PI", "012345679"),
        ("RN", "200400401"),
        ("RN", "2000400400"),
        ("RS", "2243658792"),
        ("RO", "00000000625213"),
        ("RR", "240066281"),
        ("SC", "251040852"),
        ("SP", "110042490114"),
        ("SP", "P011004243002"),
        ("SE", "271234563"),
        ("TO", "29010227836"),
    ] {
        assert!(ie_ok(uf, ie), "{uf} {ie}");
    }
    for (uf, ie) in [
        ("SP", "110042490115"),
        ("SP", "11004249011"),
        ("RJ", ""),
        ("XX", "1"),
        ("SP", "ééééééééé"),
    ] {
        assert!(!ie_ok(uf, ie), "{uf} {ie}");
    }
}

/// The hub has rules of its own, written apart: both must say the same of
/// every registration of the right form.
#[test]
fn two_independent_readings_agree() {
    let mut seed = 7u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed >> 33
    };
    let forms: [(&str, &[(&str, usize)]); 27] = [
        ("AC", &[("01", 13)]),
        ("AL", &[("24", 9)]),
        ("AP", &[("03", 9), ("03017", 9), ("03018", 9)]),
        ("AM", &[("04", 9), ("0000000", 9)]),
        ("BA", &[("", 8), ("", 9)]),
        ("CE", &[("06", 9)]),
        ("DF", &[("07", 13)]),
        ("ES", &[("08", 9)]),
        (
            "GO",
            &[
                ("10", 9),
                ("11", 9),
                ("15", 9),
                ("1010", 9),
                ("1011", 9),
                ("20", 9),
            ],
        ),
        ("MA", &[("12", 9)]),
        ("MG", &[("062", 13), ("0", 13)]),
        ("MS", &[("28", 9)]),
        ("MT", &[("0013", 11), ("", 11)]),
        ("PA", &[("15", 9)]),
        ("PB", &[("16", 9)]),
        ("PE", &[("", 9), ("18", 14)]),
        ("PI", &[("19", 9)]),
        ("PR", &[("", 10)]),
        ("RJ", &[("", 8)]),
        ("RN", &[("20", 9), ("20", 10)]),
        ("RO", &[("", 14)]),
        ("RR", &[("24", 9)]),
        ("RS", &[("", 10)]),
        ("SC", &[("25", 9)]),
        ("SE", &[("27", 9)]),
        ("SP", &[("11", 12), ("", 12)]),
        (
            "TO",
            &[
                ("29", 9),
                ("2901", 11),
                ("2902", 11),
                ("2903", 11),
                ("2999", 11),
            ],
        ),
    ];
    let mut valid = 0;
    for (uf, forms) in forms {
        for (prefix, length) in forms {
            for _ in 0..60 {
                let mut ie = (*prefix).to_owned();
                while ie.len() < *length {
                    ie.push(char::from(b'0' + u8::try_from(next() % 10).expect("digit")));
                }
                // The two last digits run through all values, so that right ones occur.
                let head = ie[..length - 2].to_owned();
                for dv in 0..100 {
                    let ie = format!("{head}{dv:02}");
                    let (ours, theirs) = (ie_ok(uf, &ie), fiscal::nfe::ie::valid(uf, &ie));
                    assert_eq!(ours, theirs, "{uf} {ie}");
                    valid += usize::from(ours);
                }
            }
        }
    }
    assert!(valid > 2_000, "{valid}");
}

#[test]
fn gtin_digits() {
    assert!(gtin_ok("7891000315507") && gtin_ok("96385074"));
    assert!(!gtin_ok("7891000315508") && !gtin_ok("123") && !gtin_ok("é"));
}

#[test]
fn tables_are_read() {
    assert!(ncm("01012100") && !ncm("01012101") && NCM.len() > 10_000);
    assert!(cfop("5102") && !cfop("5999") && CFOP.len() == 619);
    assert!(class("000001") && !class("000999") && cst_reforma("200") && !cst_reforma("999"));
    assert!(devolution("5202") && devolution("1411") && !devolution("5102"));
    // A purchase, and goods on their way to be exported.
    assert!(devolution("5556") && !devolution("1556") && !devolution("5504"));
}
