use crate::{hostile, text};
use rust_decimal::Decimal;
use tools::fci::{FciError, Input, Origin, content, imported_part, number};

fn money(text: &str) -> Decimal {
    text.parse().expect("a decimal")
}

#[test]
fn worked_examples() {
    for [given, out] in judges::examples("fci").into_iter().flatten() {
        let imported = money(text(&given, "parcela_importada"));
        let exit = money(text(&given, "valor_saida_interestadual"));
        let content = content(imported, exit).expect("a content");
        assert_eq!(
            content.percent.to_string(),
            text(&out, "conteudo_importacao_pct")
        );
        assert_eq!(content.origin.code(), text(&out, "origem"));
        let four = out["aliquota_interestadual_importado_4pct"].as_bool();
        assert_eq!(Some(content.four_percent), four);
    }
}

/// 40 % and 70 % belong to the lower class, whatever is shown of the decimals.
#[test]
fn the_exact_ratio_decides() {
    for (imported, percent, origin, four) in [
        ("0", "0.00", Origin::Low, false),
        ("40000.00", "40.00", Origin::Low, false),
        ("40000.01", "40.00", Origin::Medium, true),
        ("70000.00", "70.00", Origin::Medium, true),
        ("70000.01", "70.00", Origin::High, true),
        ("150000", "150.00", Origin::High, true),
    ] {
        let content = content(money(imported), money("100000")).expect("a content");
        assert_eq!(content.percent.to_string(), percent, "{imported}");
        assert_eq!(content.origin, origin, "{imported}");
        assert_eq!(content.four_percent, four, "{imported}");
    }
}

#[test]
fn inputs_count_by_their_origin() {
    let part = |value: &str, origin| Input {
        value: money(value),
        origin,
    };
    for (origin, counted) in [
        (0, "0"),
        (1, "10.01"),
        (2, "10.01"),
        (3, "5.005"),
        (4, "0"),
        (5, "0"),
        (6, "0"),
        (7, "0"),
        (8, "10.01"),
    ] {
        let sum = imported_part(&[part("10.01", origin), part("1.00", 1)]).expect("a sum");
        assert_eq!(sum, money(counted) + Decimal::ONE, "{origin}");
    }
    assert_eq!(imported_part(&[]), Ok(Decimal::ZERO));
    assert_eq!(imported_part(&[part("1", 9)]), Err(FciError::Origin(9)));
    assert_eq!(imported_part(&[part("-1", 1)]), Err(FciError::Negative));
}

#[test]
fn impossible_values_are_refused() {
    let [one, zero] = [Decimal::ONE, Decimal::ZERO];
    assert_eq!(content(-one, one), Err(FciError::Negative));
    assert_eq!(content(one, zero), Err(FciError::NoExit));
    assert_eq!(content(one, -one), Err(FciError::NoExit));
    assert_eq!(content(Decimal::MAX, one), Err(FciError::TooLarge));
    assert_eq!(content(one, Decimal::MAX), Err(FciError::TooLarge));
    let most = Input {
        value: Decimal::MAX,
        origin: 1,
    };
    assert_eq!(imported_part(&[most, most]), Err(FciError::TooLarge));
    let tiny = Decimal::new(1, 28);
    assert_eq!(content(money("1000"), tiny), Err(FciError::TooLarge));
}

#[test]
fn numbers_of_sheets() {
    let normal = "B01F70AF-10BF-4B1F-848C-65FF57F616FE";
    assert_eq!(number(normal).as_deref(), Ok(normal));
    let small = format!(" {} ", normal.to_lowercase());
    assert_eq!(number(&small).as_deref(), Ok(normal));
    for wrong in [
        "",
        "B01F70AF10BF4B1F848C65FF57F616FE",
        "{B01F70AF-10BF-4B1F-848C-65FF57F616FE}",
        "G01F70AF-10BF-4B1F-848C-65FF57F616FE",
        "B01F70AF-10BF-4B1F-848C-65FF57F616F",
    ] {
        assert_eq!(number(wrong), Err(FciError::Number), "{wrong}");
    }
    for text in hostile() {
        let _number = number(&text);
    }
}
