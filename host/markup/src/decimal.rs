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
