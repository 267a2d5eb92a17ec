//! JSON from outside, looked at before it is parsed.
//!
//! The JSON library takes a member of a reserved name for a number or a
//! document of its own, however the name is spelled, and parses the document
//! with a nesting that is counted anew: a text of some kilobytes could nest
//! until the stack ends.

use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::collections::HashSet;

/// How the names begin which the JSON library keeps for itself.
const RESERVED: &str = "$serde_json::private::";
/// Nesting the JSON library itself allows.
const MOST_DEPTH: usize = 127;

/// Why a text is not to be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It nests deeper than allowed.
    Deep,
    /// A member has a name of the JSON library's own.
    Reserved,
}

/// Reads JSON of a stranger; None when it is none, or not to be parsed.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    look(text, MOST_DEPTH).ok()?;
    serde_json::from_slice(text).ok()
}

/// Looks at a text without recursion: the first member name that is repeated
/// within its object, for which one counts would depend on the reader. Of a
/// text that is no JSON it says nothing.
///
/// # Errors
/// It nests more than `depth` levels, or has a reserved name.
pub fn look(text: &[u8], depth: usize) -> Result<Option<String>, Fault> {
    // One set of names per open object; None for an open array.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    let mut repeated = None;
    let mut expects_name = false;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' | b'[' => {
                expects_name = *byte == b'{';
                open.push(expects_name.then(HashSet::new));
                if open.len() > depth {
                    return Err(Fault::Deep);
                }
            }
            b'}' | b']' => {
                open.pop();
                expects_name = false;
            }
            b',' => expects_name = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let end = string_end(text, at);
                if expects_name && let Some(Some(names)) = open.last_mut() {
                    let name = decoded(&text[at..end]);
                    if name.starts_with(RESERVED) {
                        return Err(Fault::Reserved);
                    }
                    if repeated.is_none() && names.contains(&name) {
                        repeated = Some(name.into_owned());
                    } else {
                        names.insert(name);
                    }
                }
                expects_name = false;
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(repeated)
}

/// Position after the closing quote of the string that begins at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The name of a quoted text; empty when the text is not a JSON string.
fn decoded(quoted: &[u8]) -> Cow<'_, str> {
    if quoted.contains(&b'\\') {
        return serde_json::from_slice::<String>(quoted)
            .unwrap_or_default()
            .into();
    }
    let bare = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    std::str::from_utf8(bare).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::{Fault, look, read};
    use serde_json::{Value, json};

    #[test]
    fn repeated_members_are_found_wherever_they_are() {
        for (text, name) in [
            (r#"{"a":1,"a":2}"#, "a"),
            (r#"{"a":{"b":1,"c":[{"d":1,"d":2}]}}"#, "d"),
            (r#"{"a":1,"\u0061":2}"#, "a"),
            (r#"[{"x":"{\"y\":1}","x":0}]"#, "x"),
        ] {
            assert_eq!(
                look(text.as_bytes(), 9),
                Ok(Some(name.to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn names_may_come_back_in_other_objects_and_as_values() {
        for text in [
            r#"{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":2}]}"#,
            r#"{"a":"\"a\":1,","b":"\\"}"#,
            r#"[1,2,"a","a"]"#,
            r#""a""#,
            r#"{"a":"$serde_json::private::Number"}"#,
        ] {
            assert_eq!(look(text.as_bytes(), 9), Ok(None), "{text}");
        }
    }

    #[test]
    fn reserved_names_are_refused_however_they_are_spelled() {
        for name in [
            "$serde_json::private::RawValue",
            "$serde_json::private::Number",
            r"\u0024serde_json::private::RawValue",
            r"$serde\u005fjson::private::Number",
        ] {
            for text in [
                format!(r#"{{"{name}":"1"}}"#),
                format!(r#"[1,{{"a":{{"b":2,"{name}":"1"}}}}]"#),
            ] {
                assert_eq!(look(text.as_bytes(), 9), Err(Fault::Reserved), "{text}");
                assert_eq!(read::<Value>(text.as_bytes()), None, "{text}");
            }
        }
    }

    #[test]
    fn nesting_has_an_end_also_in_documents_within() {
        assert_eq!(look(b"[[[]]]", 3), Ok(None));
        assert_eq!(look(b"[[[[]]]]", 3), Err(Fault::Deep));
        assert_eq!(look(&[b'['; 1_000_000], 128), Err(Fault::Deep));
        let mut text = "1".to_owned();
        for _ in 0..60 {
            let quoted = text.replace('\\', r"\u005c").replace('"', r"\u0022");
            let within = format!(r#"{{"\u0024serde_json::private::RawValue":"{quoted}"}}"#);
            text = format!("{}{within}{}", "[".repeat(120), "]".repeat(120));
        }
        assert_eq!(read::<Value>(text.as_bytes()), None);
    }

    #[test]
    fn what_is_no_json_is_read_to_its_end() {
        for text in [
            &b"{\"a"[..],
            b"\"",
            b"\"\\",
            b"}]",
            b"{\"\xff\":1,",
            b"{,\"a\":\"b\\",
            b"",
        ] {
            assert_eq!(look(text, 9), Ok(None), "{text:?}");
            assert_eq!(read::<Value>(text), None, "{text:?}");
        }
        assert_eq!(read(b" {\"a\":[1.5]} "), Some(json!({ "a": [1.5] })));
    }
}
