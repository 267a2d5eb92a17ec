//! A column of words or ids that may also be empty.

use super::Text;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
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
}

impl<T: Text> Text for Maybe<T> {
    fn text(&self) -> &str {
        self.as_str()
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

super::text_column!(Maybe<T>, T);
