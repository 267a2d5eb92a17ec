//! JSON read as it was written: an object is an object and a list is a list.
//!
//! serde's own readers also take a list for an object, member by member in the
//! order of the Rust struct. A customer who sends `"transporte": []` would be
//! read as if nothing had been sent.
//!
//! A null stands for an absent member wherever the member is known; one that
//! is not known stays, so that the reader around this one reports it.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value};

/// A value to read from.
pub struct Strict(pub Value);

impl Strict {
    fn wrong_type<T>(&self, visitor: &dyn serde::de::Expected) -> Result<T, Error> {
        let found = match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(_) => Unexpected::Other("number"),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Err(Error::invalid_type(found, visitor))
    }
}

impl IntoDeserializer<'_, Error> for Strict {
    type Deserializer = Strict;

    fn into_deserializer(self) -> Strict {
        self
    }
}

/// Reads the members `keep` says yes to.
fn members<'de, V: Visitor<'de>>(
    members: Map<String, Value>,
    keep: impl Fn(&str, &Value) -> bool,
    visitor: V,
) -> Result<V::Value, Error> {
    let kept = members
        .into_iter()
        .filter(|(name, member)| keep(name, member))
        .map(|(name, member)| (name, Strict(member)));
    let mut access = MapDeserializer::new(kept);
    let read = visitor.visit_map(&mut access)?;
    access.end()?;
    Ok(read)
}

/// What only one kind of value is read as.
macro_rules! only {
    ($kind:ident: $($method:ident)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                match self.0 {
                    Value::$kind(_) => self.deserialize_any(visitor),
                    _ => self.wrong_type(&visitor),
                }
            }
        )*
    };
}

/// Numbers keep their digits: the JSON library makes them what is asked for.
macro_rules! numbers {
    ($($method:ident)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                match self.0 {
                    Value::Number(number) => number.$method(visitor),
                    _ => self.wrong_type(&visitor),
                }
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Strict {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => {
                let mut access = SeqDeserializer::new(items.into_iter().map(Strict));
                let read = visitor.visit_seq(&mut access)?;
                access.end()?;
                Ok(read)
            }
            Value::Object(object) => members(object, |_, member| !member.is_null(), visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(object) => members(
                object,
                |name, member| !member.is_null() || !fields.contains(&name),
                visitor,
            ),
            _ => self.wrong_type(&visitor),
        }
    }

    /// A word: no body has one with members of its own.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(text.into_deserializer()),
            _ => self.wrong_type(&"a string"),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    only! { Bool: deserialize_bool }
    only! { String: deserialize_char deserialize_str deserialize_string deserialize_identifier }
    only! { Array: deserialize_seq }
    only! { Object: deserialize_map }
    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }
    forward_to_deserialize_any! { bytes byte_buf unit unit_struct ignored_any }
}
