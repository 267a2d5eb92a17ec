//! Columns of text that are no free text: one of a few words, as enums, and
//! ids of rows.
//!
//! A table keeps such a column as text on both engines; a row holds it as an
//! enum that `words!` declares, or as an id ([`ids`]). A stored text that is none
//! of the enum's words is an error of the statement that reads it, never a
//! default.

mod document;
pub mod ids;
mod key;
mod maybe;

pub use document::{Ambiente, Model};
pub use key::KeyKind;
pub use maybe::Maybe;

/// A text that is none of the words of a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no word of {of}")]
pub struct UnknownWord {
    /// The enum that has no such word.
    pub of: &'static str,
    pub word: String,
}

/// What a column of text holds: an enum of [`words!`], or an id of a row.
pub trait Text: Sized {
    /// The text of the column.
    fn text(&self) -> &str;

    /// # Errors
    /// The text is none of the column's words.
    fn read(text: &str) -> Result<Self, UnknownWord>;
}

/// The SQL form, on both engines, of a type that is [`Text`]; its parameter
/// stands behind it.
macro_rules! text_column {
    ($name:ty $(, $of:ident)?) => {
        impl$(<$of: $crate::words::Text>)? rusqlite::types::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok($crate::words::Text::text(self).into())
            }
        }

        impl$(<$of: $crate::words::Text>)? rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<$name> {
                let read = $crate::words::Text::read(value.as_str()?);
                read.map_err(|unknown| rusqlite::types::FromSqlError::Other(Box::new(unknown)))
            }
        }

        impl$(<$of: $crate::words::Text>)? sqlx::Type<sqlx::Postgres> for $name {
            fn type_info() -> sqlx::postgres::PgTypeInfo {
                <str as sqlx::Type<sqlx::Postgres>>::type_info()
            }

            fn compatible(column: &sqlx::postgres::PgTypeInfo) -> bool {
                <str as sqlx::Type<sqlx::Postgres>>::compatible(column)
            }
        }

        impl$(<$of: $crate::words::Text>)? sqlx::Encode<'_, sqlx::Postgres> for $name {
            fn encode_by_ref(
                &self,
                into: &mut sqlx::postgres::PgArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                let text = $crate::words::Text::text(self);
                <&str as sqlx::Encode<sqlx::Postgres>>::encode_by_ref(&text, into)
            }
        }

        impl$(<$of: $crate::words::Text>)? sqlx::Decode<'_, sqlx::Postgres> for $name {
            fn decode(value: sqlx::postgres::PgValueRef<'_>) -> Result<$name, sqlx::error::BoxDynError> {
                let text = <&str as sqlx::Decode<sqlx::Postgres>>::decode(value)?;
                Ok($crate::words::Text::read(text)?)
            }
        }
    };
}

/// Declares an enum whose values are the words of a column.
///
/// The word is its form in SQL, in JSON and in a text (`Display`, `FromStr`).
macro_rules! words {
    ($(#[$about:meta])* $visible:vis enum $name:ident { $($(#[$detail:meta])* $value:ident = $word:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visible enum $name { $($(#[$detail])* $value),+ }

        impl $name {
            /// Every value, in the order of its declaration.
            pub const ALL: &'static [$name] = &[$($name::$value),+];

            /// The word of the column.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$value => $word),+ }
            }
        }

        impl $crate::words::Text for $name {
            fn text(&self) -> &str {
                self.as_str()
            }

            fn read(text: &str) -> Result<$name, $crate::words::UnknownWord> {
                text.parse()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<$name, $crate::words::UnknownWord> {
                match word {
                    $($word => Ok($name::$value),)+
                    _ => Err($crate::words::UnknownWord { of: stringify!($name), word: word.to_owned() }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(from)?;
                word.parse().map_err(|_| serde::de::Error::unknown_variant(&word, &[$($word),+]))
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }

        $crate::words::text_column!($name);
    };
}

pub(crate) use {text_column, words};
