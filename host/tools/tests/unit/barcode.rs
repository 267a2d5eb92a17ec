use crate::{hostile, text};
use markup::ids::is_valid_gtin;
use tools::barcode::{Barcode, BarcodeError, Kind, check_digit};

#[test]
fn worked_examples_of_check_digits() {
    for [given, out] in judges::examples("gtin_dv").into_iter().flatten() {
        let payload = text(&given, "sem_dv");
        let digit = check_digit(payload).expect("digits");
        assert_eq!(digit.to_string(), text(&out, "dv"), "{payload}");
        let whole = format!("{payload}{digit}");
        assert_eq!(whole, text(&out, "completo"));
        let barcode = Barcode::parse(&whole).expect("a number");
        assert_eq!(barcode.kind().name(), text(&given, "tipo"));
    }
}

#[test]
fn worked_examples_of_isbn() {
    for [given, out] in judges::examples("isbn10_para_13").into_iter().flatten() {
        let book = Barcode::parse(text(&given, "isbn10")).expect("an ISBN");
        assert_eq!(book.kind(), Kind::Isbn10);
        assert_eq!(book.isbn13().as_deref(), out["isbn13"].as_str());
    }
}

#[test]
fn kinds_and_normal_forms() {
    let cases = [
        ("7894900011517", Kind::Gtin13, "EAN-13", "07894900011517"),
        ("96385074", Kind::Gtin8, "EAN-8", "00000096385074"),
        ("036000291452", Kind::Gtin12, "UPC-A", "00036000291452"),
        (
            "1 0614141 00041 5",
            Kind::Gtin14,
            "GTIN-14",
            "10614141000415",
        ),
        (
            "978-0-14-300723-4",
            Kind::Isbn13,
            "ISBN-13",
            "09780143007234",
        ),
        ("0-8044-2957-x", Kind::Isbn10, "ISBN-10", "09780804429573"),
        ("9771234567003", Kind::Issn, "ISSN", "09771234567003"),
        ("9790260000438", Kind::Gtin13, "EAN-13", "09790260000438"),
    ];
    for (written, kind, name, normal) in cases {
        let barcode = Barcode::parse(written).expect(written);
        assert_eq!(barcode.kind(), kind, "{written}");
        assert_eq!(barcode.kind().name(), name);
        assert_eq!(barcode.gtin14(), normal);
        assert!(is_valid_gtin(&barcode.gtin14()), "{written}");
        assert_eq!(barcode.kind().structure().is_none(), kind == Kind::Isbn10);
    }
}

#[test]
fn periodicals_have_an_issn() {
    // 0317-8471 is the example of the ISSN manual.
    let payload = "977031784700";
    let whole = format!("{payload}{}", check_digit(payload).expect("digits"));
    let periodical = Barcode::parse(&whole).expect("a number");
    assert_eq!(periodical.issn().as_deref(), Some("0317-8471"));
    assert_eq!(periodical.isbn13(), None);
}

#[test]
fn what_is_wrong_is_told() {
    let wrong = |text: &str| Barcode::parse(text).expect_err(text);
    assert_eq!(
        wrong("7894900011518"),
        BarcodeError::CheckDigit {
            expected: '7',
            found: '8'
        }
    );
    assert_eq!(
        wrong("0804429571"),
        BarcodeError::CheckDigit {
            expected: 'X',
            found: '1'
        }
    );
    // One digit short of an EAN-13 it is read as UPC-A.
    assert_eq!(
        wrong("789490001151"),
        BarcodeError::CheckDigit {
            expected: '4',
            found: '1'
        }
    );
    assert_eq!(wrong("78949"), BarcodeError::Length(5));
    assert_eq!(wrong(""), BarcodeError::Length(0));
    assert_eq!(wrong("789490001151X"), BarcodeError::Characters);
    assert_eq!(wrong("08044X9571"), BarcodeError::Characters);
    assert_eq!(wrong("0000000000000"), BarcodeError::NotAssigned);
    assert_eq!(check_digit("123"), Err(BarcodeError::Length(3)));
    assert_eq!(check_digit("12345é7"), Err(BarcodeError::Characters));
}

#[test]
fn restricted_numbers_are_known() {
    let restricted = |text: &str| Barcode::parse(text).expect(text).is_restricted();
    assert!(restricted("2000123015750"));
    assert!(!restricted("7894900011517"));
    assert!(!restricted("036000291452"));
    assert!(!restricted("96385074"));
    let small = format!("2123456{}", check_digit("2123456").expect("digits"));
    assert!(restricted(&small));
}

/// Every change of one digit is noticed, for numbers of every length.
#[test]
fn a_changed_digit_is_noticed() {
    for seed in 1..200_u64 {
        for length in [7, 11, 12, 13] {
            let payload = format!("{:013}", seed * 7_919_191_919 % 9_999_999_999_999);
            let payload = &payload[13 - length..];
            let whole = format!("{payload}{}", check_digit(payload).expect("digits"));
            assert!(is_valid_gtin(&whole));
            let place = usize::try_from(seed).expect("small") % length;
            let digit = whole.as_bytes()[place] - b'0';
            let other = char::from(b'0' + (digit + 1) % 10);
            let mut changed = whole.clone();
            changed.replace_range(place..=place, &other.to_string());
            assert!(Barcode::parse(&changed).is_err(), "{whole} {changed}");
        }
    }
}

#[test]
fn hostile_texts_are_answered() {
    for text in hostile() {
        let _parsed = Barcode::parse(&text);
        let _digit = check_digit(&text);
    }
}
