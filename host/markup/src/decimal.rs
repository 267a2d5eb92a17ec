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

/// A decimal in plain digits with exactly so many places, at least as many as it has.
/// What the type has no room for is left out, as by [`Decimal::rescale`].
pub fn with_places(value: Decimal, places: u32) -> String {
    let scaled = || {
        let more = 10_u64.checked_pow(places.checked_sub(value.scale())?)?;
        let digits = u64::try_from(value.mantissa().unsigned_abs()).ok()?;
        digits.checked_mul(more)
    };
    let written = scaled().and_then(|digits| written(value.is_sign_negative(), digits, places));
    written.unwrap_or_else(|| {
        let mut value = value;
        value.rescale(places);
        value.to_string()
    })
}

/// A decimal in plain digits, without zeros at the end beyond so many places, and with
/// zeros up to them.
pub fn without_zeros(value: Decimal, places: u32) -> String {
    let shortest = || {
        let mut digits = u64::try_from(value.mantissa().unsigned_abs()).ok()?;
        let mut scale = value.scale();
        while scale > places && digits.is_multiple_of(10) {
            digits /= 10;
            scale -= 1;
        }
        let more = 10_u64.checked_pow(places.saturating_sub(scale))?;
        let digits = digits.checked_mul(more)?;
        let negative = value.is_sign_negative() && !value.is_zero();
        written(negative, digits, scale.max(places))
    };
    shortest().unwrap_or_else(|| {
        let mut value = value.normalize();
        if value.scale() < places {
            value.rescale(places);
        }
        value.to_string()
    })
}

/// Digits of which so many stand behind the point, by hand: a note has hundreds of numbers, and
/// the general way divides 96 bits for each digit and formats twice.
fn written(negative: bool, mut digits: u64, places: u32) -> Option<String> {
    // The 20 digits of the largest number, or a zero and all places; point and sign.
    const LONGEST: usize = 22;
    const MOST_PLACES: u32 = 19;
    if places > MOST_PLACES {
        return None;
    }
    let mut text = [0; LONGEST];
    let mut start = LONGEST;
    let mut slots = text.iter_mut().rev();
    let mut put = |byte| {
        if let Some(slot) = slots.next() {
            *slot = byte;
            start -= 1;
        }
    };
    let mut behind = places;
    loop {
        put(b'0' + (digits % 10) as u8);
        digits /= 10;
        if behind > 0 {
            behind -= 1;
            if behind == 0 {
                put(b'.');
            }
        }
        // One digit at least stands before the point.
        else if digits == 0 {
            break;
        }
    }
    if negative {
        put(b'-');
    }
    Some(std::str::from_utf8(text.get(start..)?).ok()?.to_owned())
}
