use crate::{hostile, text};
use rust_decimal::Decimal;
use tools::barcode::{BarcodeError, check_digit};
use tools::scale::{Reading, ScaleError, split};

#[test]
fn worked_examples() {
    for [given, out] in judges::examples("ean_pesavel").into_iter().flatten() {
        let reading = match text(&given, "modo") {
            "peso" => Reading::Weight,
            "preco" => Reading::Price,
            other => panic!("{other}"),
        };
        let digits = given["digitos_codigo"].as_u64().expect("a number");
        let digits = u8::try_from(digits).expect("small");
        let label = split(text(&given, "ean"), digits, reading).expect("a label");
        assert_eq!(label.code, text(&out, "codigo_interno"));
        assert_eq!(label.value, text(&out, "valor_campo"));
        assert_eq!(label.weight_kg.to_string(), text(&out, "peso_kg"));
        assert_eq!(label.price.to_string(), text(&out, "valor_reais"));
        assert_eq!(text(&out, "interpretacao"), text(&given, "modo"));
    }
}

#[test]
fn each_length_of_the_code() {
    for (digits, code, value, kilograms) in [
        (4, "0001", "2301575", "2301.575"),
        (5, "00012", "301575", "301.575"),
        (6, "000123", "01575", "1.575"),
    ] {
        let label = split("2000123015750", digits, Reading::Weight).expect("a label");
        assert_eq!((label.code.as_str(), label.value.as_str()), (code, value));
        assert_eq!(label.amount().to_string(), kilograms);
        assert_eq!(label.alternative(), label.amount() * Decimal::TEN);
    }
}

#[test]
fn what_is_no_label() {
    let wrong = |ean: &str, digits| split(ean, digits, Reading::Price).expect_err(ean);
    assert_eq!(wrong("7894900011517", 5), ScaleError::NotOfScale);
    assert_eq!(wrong("96385074", 5), ScaleError::NotOfScale);
    for digits in [0, 3, 7, 255] {
        assert_eq!(
            wrong("2000123015750", digits),
            ScaleError::CodeLength(digits)
        );
    }
    assert_eq!(
        wrong("2000123015751", 6),
        ScaleError::Barcode(BarcodeError::CheckDigit {
            expected: '0',
            found: '1'
        })
    );
}

/// Code and value put together are the label again.
#[test]
fn parts_make_the_whole() {
    for value in (0..100_000).step_by(997) {
        for digits in 4..=6 {
            let payload = format!("2{:06}{value:05}", value * 7 % 1_000_000);
            let ean = format!("{payload}{}", check_digit(&payload).expect("digits"));
            let label = split(&ean, digits, Reading::Weight).expect("a label");
            assert_eq!(format!("2{}{}", label.code, label.value), payload);
        }
    }
}

#[test]
fn hostile_texts_are_answered() {
    for text in hostile() {
        let _label = split(&text, 5, Reading::Price);
    }
}
