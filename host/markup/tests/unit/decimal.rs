use markup::decimal::{from_json, parse};
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
