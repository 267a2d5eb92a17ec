//! A column of words or ids that may also be empty.

use super::Text;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};
use std::borrow::Cow;

/// A word or an id, or the empty text that stands for none: these columns are
/// never NULL. A filter of a statement takes none for any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Maybe<T>(pub Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Maybe<T> {
        Maybe(None)
    }
}

impl<T> From<T> for Maybe<T> {
    fn from(value: T) -> Maybe<T> {
        Maybe(Some(value))
    }
}

impl<T: for<'t> From<&'t str>> Maybe<T> {
    /// What a text names: none where it is empty.
    pub fn of(text: &str) -> Maybe<T> {
        Maybe((!text.is_empty()).then(|| text.into()))
    }
}

impl<T> Maybe<T> {
    pub fn as_ref(&self) -> Option<&T> {
        self.0.as_ref()
    }

    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl<T: Text> Maybe<T> {
    /// The text of the column.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", Text::text)
    }

    fn read(text: &str) -> Result<Maybe<T>, super::UnknownWord> {
        match text {
            "" => Ok(Maybe(None)),
            word => Ok(Maybe(Some(T::read(word)?))),
        }
    }
}

impl<T: Text> Serialize for Maybe<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de, T: Text> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Maybe<T>, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        Maybe::read(&text).map_err(serde::de::Error::custom)
    }
}

impl<T: Text> ToSql for Maybe<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl<T: Text> FromSql for Maybe<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Maybe<T>> {
        Maybe::read(value.as_str()?).map_err(|unknown| FromSqlError::Other(Box::new(unknown)))
    }
}

impl<T> Type<Postgres> for Maybe<T> {
    fn type_info() -> PgTypeInfo {
        <str as Type<Postgres>>::type_info()
    }

    fn compatible(column: &PgTypeInfo) -> bool {
        <str as Type<Postgres>>::compatible(column)
    }
}

impl<T: Text> Encode<'_, Postgres> for Maybe<T> {
    fn encode_by_ref(&self, into: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <&str as Encode<Postgres>>::encode_by_ref(&self.as_str(), into)
    }
}

impl<T: Text> Decode<'_, Postgres> for Maybe<T> {
    fn decode(value: PgValueRef<'_>) -> Result<Maybe<T>, BoxDynError> {
        Ok(Maybe::read(<&str as Decode<Postgres>>::decode(value)?)?)
    }
}
