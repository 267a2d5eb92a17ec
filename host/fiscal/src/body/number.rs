//! Numbers of a request.

use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt, ops::Deref};

/// A JSON text, or a number as its digits.
///
/// # Errors
/// Anything else.
pub fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) => Ok(text),
        serde_json::Value::Number(number) => Ok(number.to_string()),
        _ => Err(D::Error::custom("esperado texto ou número")),
    }
}

/// An amount, quantity or rate: JSON number or decimal text, kept exactly.
///
/// At most 13 digits before and 10 after the point, the widest of the layout
/// (TDec_1302, TDec_1110v): with that bound no product of two of them leaves
/// the range of [`Decimal`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(Decimal);

const DECIMALS: u32 = 10;

impl Number {
    /// Smallest integer that is too big for a number of a request: 10^13.
    pub const LIMIT: Decimal = Decimal::from_parts(1_316_134_912, 2_328, 0, false, 0);

    /// A number within the bounds.
    pub fn new(value: Decimal) -> Option<Number> {
        let value = if value.scale() > DECIMALS {
            value.normalize()
        } else {
            value
        };
        (value.abs() < Number::LIMIT && value.scale() <= DECIMALS).then_some(Number(value))
    }
}

impl Deref for Number {
    type Target = Decimal;

    fn deref(&self) -> &Decimal {
        &self.0
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        // No amount of any layout is longer: a text this long is a mistake.
        let short = match &value {
            serde_json::Value::String(text) => text.len() <= 32,
            other => other.to_string().len() <= 32,
        };
        match markup::decimal::from_json(&value).filter(|_| short) {
            None => Err(D::Error::custom(
                "esperado número ou texto decimal, com ponto",
            )),
            Some(value) => Number::new(value).ok_or_else(|| {
                D::Error::custom("número com mais de 13 dígitos inteiros ou 10 casas decimais")
            }),
        }
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "NfeNumero".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Número decimal, como número JSON ou texto (\"1500.00\").",
            "anyOf": [
                { "type": "number" },
                { "type": "string", "pattern": "^-?[0-9]{1,13}(\\.[0-9]{1,10})?$" }
            ]
        })
    }
}
