use markup::decimal::{from_json, parse, with_places, without_zeros};
use rust_decimal::Decimal;

#[test]
fn only_plain_digits_are_a_decimal() {
    for text in [
        "0",
        "-0.5",
        "2",
        "1500.00",
        "007",
        "9999999999999.9999999999",
    ] {
        assert!(parse(text).is_some(), "{text}");
    }
    for text in [
        "", "-", ".", "1.", ".5", "+1", "--1", "2_0", "1_8.9_0", "1e5", "1E5", " 1", "1 ", "1,5",
        "1.2.3", "\u{0661}", "NaN", "0x1",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
    let json = |text: &str| from_json(&serde_json::from_str(text).expect("JSON"));
    assert_eq!(json("1e3"), Some(Decimal::from(1000)));
    assert_eq!(json("\"1e3\""), None);
    assert_eq!(
        json("18.90").map(|value| value.to_string()).as_deref(),
        Some("18.90")
    );
}

#[test]
fn digits_are_those_the_library_writes() {
    let mut digits: Vec<i128> = (0..=28).map(|n| 10_i128.pow(n)).collect();
    digits.extend((1..=28).map(|n| 10_i128.pow(n) - 1));
    digits.extend([
        0,
        5,
        1_234_500,
        1_890,
        u64::MAX.into(),
        79_228_162_514_264_337_593_543_950_335,
    ]);
    for digits in digits.iter().flat_map(|digits| [*digits, -digits]) {
        for scale in 0..=28 {
            let value = Decimal::from_i128_with_scale(digits, scale);
            for places in 0..=28 {
                let mut shortest = value.normalize();
                if shortest.scale() < places {
                    shortest.rescale(places);
                }
                assert_eq!(without_zeros(value, places), shortest.to_string());
                if places >= scale {
                    let mut longer = value;
                    longer.rescale(places);
                    assert_eq!(with_places(value, places), longer.to_string());
                }
            }
        }
    }
    let written = |text: &str, places| {
        let value = parse(text).expect("a decimal");
        [with_places(value, places), without_zeros(value, places)]
    };
    assert_eq!(written("18.9", 2), ["18.90", "18.90"]);
    assert_eq!(written("-0.05", 4), ["-0.0500", "-0.0500"]);
    assert_eq!(written("1200.00", 2), ["1200.00", "1200.00"]);
    assert_eq!(without_zeros(Decimal::new(1200, 2), 0), "12");
}
