use crate::{hostile, text};
use tools::phone::{Kind, Phone, PhoneError};

/// Area codes of Brazil: none ends in 0, and of these tens only some exist.
fn is_ddd(ddd: u8) -> bool {
    matches!(ddd,
        11..=19 | 21 | 22 | 24 | 27 | 28 | 31..=35 | 37 | 38 | 41..=49 | 51 | 53..=55
        | 61..=69 | 71 | 73..=75 | 77 | 79 | 81..=89 | 91..=99)
}

fn parse(text: &str) -> Result<Phone, PhoneError> {
    Phone::parse(text, is_ddd)
}

#[test]
fn worked_examples() {
    for [given, out] in judges::examples("telefone").into_iter().flatten() {
        let number = text(&given, "numero");
        let parsed = parse(number);
        assert_eq!(Some(parsed.is_ok()), out["valido"].as_bool(), "{number}");
        let Ok(phone) = parsed else { continue };
        assert_eq!(phone.kind.name(), text(&out, "tipo"));
        if let Some(ddd) = out["ddd"].as_str() {
            assert_eq!(phone.ddd.map(|ddd| ddd.to_string()).as_deref(), Some(ddd));
        }
        if let Some(e164) = out["e164"].as_str() {
            assert_eq!(phone.e164.as_deref(), Some(e164));
        }
    }
}

#[test]
fn every_way_to_write_a_number() {
    for written in [
        "11987654321",
        "(11) 98765-4321",
        "011 98765-4321",
        "0 15 11 98765-4321",
        "+55 11 98765.4321",
        "5511987654321",
        "0055 11 98765 4321",
    ] {
        let phone = parse(written).expect(written);
        assert_eq!(phone.kind, Kind::Mobile, "{written}");
        assert_eq!(phone.ddd, Some(11));
        assert_eq!(phone.digits, "11987654321");
        assert_eq!(phone.e164.as_deref(), Some("+5511987654321"));
    }
    for written in ["1133334444", "01133334444", "0211133334444", "551133334444"] {
        let phone = parse(written).expect(written);
        assert_eq!(phone.kind, Kind::Landline, "{written}");
        assert_eq!(phone.e164.as_deref(), Some("+551133334444"));
    }
}

/// 55 is the country and an area in Rio Grande do Sul.
#[test]
fn area_55_is_not_the_country() {
    for (written, e164) in [
        ("5532221111", "+555532221111"),
        ("55999991111", "+5555999991111"),
        ("5555999991111", "+5555999991111"),
        ("+555532221111", "+555532221111"),
    ] {
        let phone = parse(written).expect(written);
        assert_eq!(phone.ddd, Some(55));
        assert_eq!(phone.e164.as_deref(), Some(e164));
    }
}

#[test]
fn numbers_of_no_area() {
    for (written, kind, digits) in [
        ("0800 722 0101", Kind::TollFree, "08007220101"),
        ("800 722 0101", Kind::TollFree, "08007220101"),
        ("+55 800 722 0101", Kind::TollFree, "08007220101"),
        ("0300 123 4567", Kind::SharedCost, "03001234567"),
        ("0303 123 4567", Kind::Telemarketing, "03031234567"),
        ("0500 123 4567", Kind::Donation, "05001234567"),
        ("0900 123 4567", Kind::Premium, "09001234567"),
        ("4004-1234", Kind::Nationwide, "40041234"),
        ("190", Kind::PublicService, "190"),
    ] {
        let phone = parse(written).expect(written);
        assert_eq!(phone.kind, kind, "{written}");
        assert_eq!(phone.digits, digits);
        assert_eq!((phone.ddd, phone.e164), (None, None));
    }
}

#[test]
fn other_countries() {
    let phone = parse("+1 (415) 555-0132").expect("a number");
    assert_eq!(phone.kind, Kind::International);
    assert_eq!(phone.e164.as_deref(), Some("+14155550132"));
    assert_eq!(phone.digits, "14155550132");
    assert_eq!(parse("+123456"), Err(PhoneError::Length(6)));
    assert_eq!(parse("+1234567890123456"), Err(PhoneError::Length(16)));
    assert_eq!(parse("+0123456789"), Err(PhoneError::FirstDigit('0')));
    assert_eq!(parse("0014155550132"), Err(PhoneError::NoPlus));
}

#[test]
fn what_is_wrong_is_told() {
    for (written, error) in [
        ("2098765432", PhoneError::Ddd(20)),
        ("987654321", PhoneError::NoDdd),
        ("33334444", PhoneError::NoDdd),
        ("1187654321", PhoneError::NinthDigit),
        ("1113334444", PhoneError::FirstDigit('1')),
        ("11887654321", PhoneError::FirstDigit('8')),
        ("12345", PhoneError::Length(5)),
        ("0800 12 3456", PhoneError::NoDdd),
        ("", PhoneError::Characters),
        ("+", PhoneError::Characters),
        ("11 9876A-4321", PhoneError::Characters),
        ("11+987654321", PhoneError::Characters),
    ] {
        assert_eq!(parse(written), Err(error), "{written}");
    }
}

/// What was made of a number is read as the same number.
#[test]
fn the_normal_form_is_stable() {
    for ddd in 11..=99_u8 {
        for number in ["987654321", "33334444", "8007220101", "5"] {
            let Ok(phone) = parse(&format!("{ddd}{number}")) else {
                continue;
            };
            assert_eq!(parse(&phone.digits).as_ref(), Ok(&phone));
            if let Some(e164) = &phone.e164 {
                assert_eq!(parse(e164).as_ref(), Ok(&phone));
            }
        }
    }
}

#[test]
fn hostile_texts_are_answered() {
    for text in hostile() {
        let _phone = parse(&text);
    }
}
