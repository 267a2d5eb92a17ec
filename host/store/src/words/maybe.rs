//! A column of words that may also be empty.

use super::Word;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};

/// A word, or the empty text that stands for none: these columns are never
/// NULL.
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

impl<T: Word> Maybe<T> {
    /// The text of the column.
    pub fn as_str(self) -> &'static str {
        self.0.map_or("", Word::word)
    }

    fn read(text: &str) -> Result<Maybe<T>, super::UnknownWord> {
        match text {
            "" => Ok(Maybe(None)),
            word => Ok(Maybe(Some(word.parse()?))),
        }
    }
}

impl<T: Word> ToSql for Maybe<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl<T: Word> FromSql for Maybe<T> {
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

impl<T: Word> Encode<'_, Postgres> for Maybe<T> {
    fn encode_by_ref(&self, into: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <&str as Encode<Postgres>>::encode_by_ref(&self.as_str(), into)
    }
}

impl<T: Word> Decode<'_, Postgres> for Maybe<T> {
    fn decode(value: PgValueRef<'_>) -> Result<Maybe<T>, BoxDynError> {
        Ok(Maybe::read(<&str as Decode<Postgres>>::decode(value)?)?)
    }
}
