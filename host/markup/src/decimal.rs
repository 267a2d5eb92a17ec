//! Decimals as customers write them. The parser of the library takes more:
//! digits parted by `_`, a plus sign, exponents, a point without digits.

use rust_decimal::Decimal;
use std::str::FromStr;

/// A decimal in plain digits: an optional minus, digits, optionally a point
/// and digits.
pub fn parse(text: &str) -> Option<Decimal> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let light = match unsigned.split_once('.') {
        Some((integers, places)) => digits(integers) && digits(places),
        None => digits(unsigned),
    };
    light.then(|| Decimal::from_str(text).ok()).flatten()
}

/// A decimal of JSON: a number, exponents included, or the plain text of one.
pub fn from_json(value: &serde_json::Value) -> Option<Decimal> {
    match value {
        serde_json::Value::String(text) => parse(text),
        serde_json::Value::Number(number) => {
            let text = number.to_string();
            parse(&text).or_else(|| Decimal::from_scientific(&text).ok())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "", "-", ".", "1.", ".5", "+1", "--1", "2_0", "1_8.9_0", "1e5", "1E5", " 1", "1 ",
            "1,5", "1.2.3", "\u{0661}", "NaN", "0x1",
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
}
