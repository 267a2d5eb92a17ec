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
