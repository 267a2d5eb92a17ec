//! From the bytes of an answer to a document that can be read: what systems
//! break in the same way each time is mended as the layout says, JSON becomes
//! elements.

use sdk::xml::{MAX_BYTES, decode, escape_text};
use serde_json::Value;

/// Root of a document made of JSON.
const JSON: &str = "json";
/// Root of a document made of a text without markup.
pub const TEXT: &str = "texto";
/// Root of a number that stands alone.
pub const NUMBER: &str = "numero";
/// Deepest JSON.
const MAX_DEPTH: usize = 32;

/// What the layout mends.
#[derive(Clone, Debug, Default)]
pub struct Repairs {
    /// The document is cut at the first text and ends with the second.
    pub cuts: Vec<(String, String)>,
    /// Texts that stand for others.
    pub replaced: Vec<(String, String)>,
    /// A `&` that begins no entity is one itself.
    pub ampersands: bool,
    /// A text without markup is a message.
    pub plain_text: bool,
}

/// The body is markup, so elements of it are the authority's own text.
pub fn is_xml(body: &[u8]) -> bool {
    decode(body)
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('<')
}

/// The document; None: too large.
pub fn text(repairs: &Repairs, body: &[u8]) -> Option<String> {
    if body.len() > MAX_BYTES {
        return None;
    }
    let text = decode(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        let mut out = String::with_capacity(text.len() * 2);
        element(JSON, &value, 0, &mut out);
        return Some(out);
    }
    if repairs.plain_text && !text.is_empty() && !text.contains('<') {
        return Some(format!("<{TEXT}>{}</{TEXT}>", escape_text(text)));
    }
    let mut text = text.to_owned();
    for (at, end) in &repairs.cuts {
        if let Some((before, _)) = text.split_once(at.as_str()) {
            text = format!("{before}{end}");
        }
    }
    for (wrong, right) in &repairs.replaced {
        text = text.replace(wrong.as_str(), right);
    }
    if repairs.ampersands {
        text = with_entities(&text);
    }
    Some(text)
}

/// A value of JSON as an element; a list is an element for each item.
fn element(name: &str, value: &Value, depth: usize, out: &mut String) {
    if depth > MAX_DEPTH {
        return;
    }
    if let Value::Array(items) = value {
        if depth == 0 {
            out.push_str(&format!("<{name}>"));
        }
        let name_of_item = if depth == 0 { "item" } else { name };
        for item in items {
            element(name_of_item, item, depth + 1, out);
        }
        if depth == 0 {
            out.push_str(&format!("</{name}>"));
        }
        return;
    }
    out.push_str(&format!("<{name}>"));
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                element(&element_name(key), member, depth + 1, out);
            }
        }
        Value::String(text) => out.push_str(&escape_text(&without_controls(text))),
        Value::Null => {}
        other => out.push_str(&other.to_string()),
    }
    out.push_str(&format!("</{name}>"));
}

/// Characters that XML cannot hold go.
fn without_controls(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
        .collect()
}

/// A name that may stand in a tag.
fn element_name(key: &str) -> String {
    let mut name: String = key
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name
}

fn with_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after.find(';').filter(|end| *end <= 8);
        let entity = end.and_then(|end| after.get(..end)).unwrap_or_default();
        let known = matches!(entity, "amp" | "lt" | "gt" | "quot" | "apos")
            || entity.strip_prefix('#').is_some_and(|code| {
                !code.is_empty() && code.bytes().all(|b| b.is_ascii_alphanumeric())
            });
        out.push_str(if known { "&" } else { "&amp;" });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::xml;

    fn read(repairs: &Repairs, body: &str) -> Option<String> {
        let text = text(repairs, body.as_bytes())?;
        xml::parse(text.as_bytes()).ok()?;
        Some(text)
    }

    #[test]
    fn json_becomes_elements() {
        let none = Repairs::default();
        assert_eq!(
            read(
                &none,
                r#"{"a":{"b":"1 < 2","c d":[1,2],"9":null},"e":true}"#
            )
            .as_deref(),
            Some("<json><a><_9></_9><b>1 &lt; 2</b><c_d>1</c_d><c_d>2</c_d></a><e>true</e></json>")
        );
        assert_eq!(
            read(&none, "[{\"a\":1}]").as_deref(),
            Some("<json><item><a>1</a></item></json>")
        );
        assert_eq!(read(&none, "{\"a\":"), None);
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert!(text(&none, deep.as_bytes()).is_some());
    }

    #[test]
    fn broken_documents_are_mended_as_said() {
        let repairs = Repairs {
            cuts: vec![("<h>".into(), "</r>".into())],
            replaced: vec![("</li>".into(), "</s>".into())],
            ampersands: true,
            plain_text: true,
        };
        for (body, expected) in [
            ("<r><n>1</n><h><p>x</r>", Some("<r><n>1</n></r>")),
            ("<r><s>x</li></r>", Some("<r><s>x</s></r>")),
            (
                "<r>a?x=1&y=2&amp;z &#233; &ccedil;</r>",
                Some("<r>a?x=1&amp;y=2&amp;z &#233; &amp;ccedil;</r>"),
            ),
            ("Falha & erro", Some("<texto>Falha &amp; erro</texto>")),
            ("", None),
            ("<r>", None),
        ] {
            assert_eq!(read(&repairs, body).as_deref(), expected, "{body}");
        }
    }
}
