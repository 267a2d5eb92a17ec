//! Members that stand twice in a JSON object: which one counts would depend
//! on the reader, and that is no way to write an amount.

use std::collections::HashSet;

/// The first member name that is repeated within its object. `text` is valid
/// JSON: it was parsed before.
pub fn repeated(text: &[u8]) -> Option<String> {
    // One set of names per open object; None for an open array.
    let mut open: Vec<Option<HashSet<String>>> = Vec::new();
    let mut expects_name = false;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' => {
                open.push(Some(HashSet::new()));
                expects_name = true;
            }
            b'[' => {
                open.push(None);
                expects_name = false;
            }
            b'}' | b']' => {
                open.pop();
                expects_name = false;
            }
            b',' => expects_name = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let end = string_end(text, at);
                if expects_name && let Some(Some(names)) = open.last_mut() {
                    let name: String = serde_json::from_slice(&text[at..end]).unwrap_or_default();
                    if !names.insert(name.clone()) {
                        return Some(name);
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
    None
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

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn repeated_members_are_found_wherever_they_are() {
        for (text, name) in [
            (r#"{"a":1,"a":2}"#, "a"),
            (r#"{"a":{"b":1,"c":[{"d":1,"d":2}]}}"#, "d"),
            (r#"{"a":1,"\u0061":2}"#, "a"),
            (r#"[{"x":"{\"y\":1}","x":0}]"#, "x"),
        ] {
            assert_eq!(repeated(text.as_bytes()).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn names_may_come_back_in_other_objects_and_as_values() {
        for text in [
            r#"{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":2}]}"#,
            r#"{"a":"\"a\":1,","b":"\\"}"#,
            r#"[1,2,"a","a"]"#,
            r#""a""#,
        ] {
            assert_eq!(repeated(text.as_bytes()), None, "{text}");
        }
    }
}
