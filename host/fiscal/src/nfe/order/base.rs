//! What the request's types are made with: groups whose members may all be
//! absent, enumerations that take the word or the official digit, numbers.

use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt, ops::Deref};

/// Is a member as if it had not come? Such members are not written.
pub(super) fn absent<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A group of the request. Every member may be absent: what is missing is
/// told by the rules, all at once, not by the first failure of a parser.
macro_rules! group {
    ($(#[$meta:meta])* $name:ident {
        $( $(#[$field_meta:meta])* $field:ident: $type:ty ),* $(,)?
    }) => {
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default)]
        $(#[$meta])*
        pub struct $name {
            $(
                $(#[$field_meta])*
                #[serde(skip_serializing_if = "crate::nfe::order::base::absent")]
                pub $field: $type
            ),*
        }

        impl crate::nfe::order::members::Members for $name {
            fn member(&self, name: &str) -> Option<crate::nfe::order::members::Member<'_>> {
                use crate::nfe::order::members::{Place as _, deep};
                let (first, rest) = match name.split_once('.') {
                    Some((first, rest)) => (first, Some(rest)),
                    None => (name, None),
                };
                let member = match first {
                    // A name that is a word of Rust has `r#` before it there.
                    $( _ if first == stringify!($field).trim_start_matches("r#") => self.$field.taken(), )*
                    _ => None,
                };
                match rest {
                    Some(rest) => deep(member, rest),
                    None => member,
                }
            }
        }

        impl crate::nfe::order::members::Held for $name {
            fn held(&self) -> crate::nfe::order::members::Member<'_> {
                crate::nfe::order::members::Member::Group(self)
            }
        }
    };
}

/// An enumeration that reads its Portuguese word (or another word for the
/// same) and the official code, as text or number; written as the word.
macro_rules! codes {
    ($(#[$meta:meta])* $name:ident {
        $( $(#[$case_meta:meta])* $case:ident = $code:literal $word:literal $(| $other:literal)* ),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $( $(#[$case_meta])* $case ),+
        }

        impl $name {
            /// Official code.
            pub fn codigo(self) -> &'static str {
                match self { $( $name::$case => $code ),+ }
            }

            /// Word of the API.
            pub fn word(self) -> &'static str {
                match self { $( $name::$case => $word ),+ }
            }

            /// Reads the word or the code; a code may lack its leading zero.
            pub fn parse(text: &str) -> Option<$name> {
                match text {
                    $( $word $(| $other)* | $code => Some($name::$case), )+
                    _ => {
                        let without_zero = |codigo: &str| codigo.trim_start_matches('0').to_owned();
                        let digits = !text.is_empty()
                            && text.len() <= 3
                            && text.bytes().all(|byte| byte.is_ascii_digit());
                        [$( ($code, $name::$case) ),+]
                            .into_iter()
                            .find(|(codigo, _)| digits && without_zero(codigo) == without_zero(text))
                            .map(|(_, case)| case)
                    }
                }
            }
        }

        impl crate::nfe::order::members::Held for $name {
            fn held(&self) -> crate::nfe::order::members::Member<'_> {
                crate::nfe::order::members::Member::Code(self.codigo())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = crate::nfe::order::base::text_or_number(deserializer)?;
                $name::parse(&text).ok_or_else(|| serde::de::Error::custom(
                    format!("esperado um de: {}", [$( concat!($word, $(", ", $other,)* " (", $code, ")") ),+].join(", "))
                ))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                concat!("Nfe", stringify!($name)).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "enum": [$( $word, $($other,)* $code ),+]
                })
            }
        }
    };
}

pub(super) use {codes, group};

/// A JSON text, or a number as its digits.
///
/// # Errors
/// Anything else.
pub(super) fn text_or_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<String, D::Error> {
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
