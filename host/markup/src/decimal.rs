//! Decimals as customers write them. The parser of the library takes more:
//! digits parted by `_`, a plus sign, exponents, a point without digits.

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use std::str::FromStr;

/// Número decimal, com os dígitos que tem.
// In an answer: a JSON number, never a binary float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub struct Exact(#[schemars(with = "f64")] pub Decimal);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: serde_json::Number = self.0.to_string().parse().map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}

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
