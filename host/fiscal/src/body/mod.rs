//! What the types of request bodies are made with, of any document: groups whose
//! members may all be absent, enumerations that take the word or the official
//! digit, numbers.

pub mod members;
mod number;

pub use members::{List, Member, Members};
pub use number::{Number, text_or_number};

/// Is a member as if it had not come? Such members are not written.
pub fn absent<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A name without the `r#` that one has in the code which is a word of Rust. Found at
/// compile time: a note asks for some thousand members.
#[doc(hidden)]
pub const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// A group of the request. Every member may be absent: what is missing is
/// told by the rules, all at once, not by the first failure of a parser.
#[macro_export]
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
                #[serde(skip_serializing_if = "fiscal::body::absent")]
                pub $field: $type
            ),*
        }

        impl $crate::body::members::Members for $name {
            fn member(&self, name: &str) -> Option<$crate::body::members::Member<'_>> {
                use $crate::body::members::{Place as _, deep};
                let (first, rest) = match name.split_once('.') {
                    Some((first, rest)) => (first, Some(rest)),
                    None => (name, None),
                };
                let member = match first {
                    $( _ if first == const { $crate::body::plain_name(stringify!($field)) } => self.$field.taken(), )*
                    _ => None,
                };
                match rest {
                    Some(rest) => deep(member, rest),
                    None => member,
                }
            }

            fn all(
                &self,
                shown: &mut dyn FnMut(&'static str, $crate::body::members::Member<'_>) -> bool,
            ) -> bool {
                use $crate::body::members::Place as _;
                $(
                    if let Some(member) = self.$field.taken()
                        && !shown(const { $crate::body::plain_name(stringify!($field)) }, member)
                    {
                        return false;
                    }
                )*
                true
            }
        }

        impl $crate::body::members::Held for $name {
            fn held(&self) -> $crate::body::members::Member<'_> {
                $crate::body::members::Member::Group(self)
            }
        }
    };
}

/// An enumeration that reads its Portuguese word (or another word for the
/// same) and the official code, as text or number; written as the word. Its
/// name among the schemas is `Nfe` and its own, or the one that is given.
#[macro_export]
macro_rules! codes {
    ($(#[$meta:meta])* $name:ident $(named $schema:literal)? {
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

        impl $crate::body::members::Held for $name {
            fn held(&self) -> $crate::body::members::Member<'_> {
                $crate::body::members::Member::Code(self.codigo())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = $crate::body::text_or_number(deserializer)?;
                $name::parse(&text).ok_or_else(|| serde::de::Error::custom(
                    format!("esperado um de: {}", [$( concat!($word, $(", ", $other,)* " (", $code, ")") ),+].join(", "))
                ))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $crate::body::first_of(&[$($schema,)? concat!("Nfe", stringify!($name))]).into()
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

/// The first of some names.
#[doc(hidden)]
pub fn first_of(names: &[&'static str]) -> &'static str {
    names.first().copied().unwrap_or_default()
}

pub use crate::{codes, group};
