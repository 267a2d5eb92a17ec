//! Amounts and rates as they travel: exact decimals, never floats.

use markup::decimal;
use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt, ops::Deref};

/// A decimal read from a JSON number or a decimal string and written as a
/// string. The digits are kept as the caller wrote them: nothing passes
/// through a binary float.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldValue(pub Decimal);

impl Deref for FieldValue {
    type Target = Decimal;

    fn deref(&self) -> &Decimal {
        &self.0
    }
}

impl From<Decimal> for FieldValue {
    fn from(value: Decimal) -> Self {
        FieldValue(value)
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for FieldValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let text = match &value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Number(number) => number.to_string(),
            _ => return Err(D::Error::custom("esperado número ou texto decimal")),
        };
        // A decimal of more digits than the layouts hold (17) is a mistake.
        if text.len() > 24 {
            return Err(D::Error::custom("número com dígitos demais"));
        }
        decimal::from_json(&value)
            .map(FieldValue)
            .ok_or_else(|| D::Error::custom(format!("\"{text}\" não é um número decimal")))
    }
}

impl JsonSchema for FieldValue {
    fn schema_name() -> Cow<'static, str> {
        "Valor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Número decimal, como número JSON ou texto (\"1500.00\").",
            "anyOf": [
                { "type": "number" },
                { "type": "string", "pattern": "^-?[0-9]{1,18}(\\.[0-9]{1,4})?$" }
            ]
        })
    }
}
