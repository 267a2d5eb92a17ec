//! What all identifiers have in common: they are texts outside.

/// `FromStr`, `TryFrom<String>`, serde as a string and its JSON schema, for a
/// type with `parse(&str)` and `Display`.
macro_rules! text_id {
    ($type:ident, pattern = $pattern:expr, doc = $doc:expr) => {
        impl std::str::FromStr for $type {
            type Err = $crate::ids::IdError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $type::parse(text)
            }
        }

        impl TryFrom<String> for $type {
            type Error = $crate::ids::IdError;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                $type::parse(&text)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                $type::parse(&text).map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "description": $doc, "pattern": $pattern })
            }
        }
    };
}
pub(super) use text_id;
