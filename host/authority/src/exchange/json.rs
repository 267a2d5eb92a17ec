//! Masks JSON and forms. A document within a member is shown below the body.

use super::names::{self, Rule};
use super::{HIDDEN, Mask, Output, UNREAD, Value, xml};
use serde_json::{Map, Value as Json};

/// Documents within one body that are shown.
const ATTACHMENTS: usize = 8;

/// A document found in a member.
struct Attachment {
    name: String,
    xml: String,
}

/// Writes a JSON body with its values hidden; false when the bytes are no JSON.
pub(super) fn mask(mask: &mut Mask, output: &mut Output, bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Some(value) = flow::json::read::<Json>(bytes) else {
        return false;
    };
    let mut attachments = Vec::new();
    let hidden = masked(mask, &value, &mut Vec::new(), "", &mut attachments);
    let text = serde_json::to_string_pretty(&hidden).unwrap_or_default();
    for line in text.lines() {
        output.line(0, line);
    }
    append(mask, output, attachments);
    true
}

/// The same of a form, a field per line.
pub(super) fn form(mask: &mut Mask, output: &mut Output, bytes: &[u8]) -> bool {
    let Ok(mut url) = reqwest::Url::parse("form:") else {
        return false;
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    url.set_query(Some(text.trim()));
    let mut attachments = Vec::new();
    for (name, value) in url.query_pairs() {
        let shown = member(mask, &name, &value, &[], &mut attachments);
        let name = names::shown(&name, &mask.known);
        output.line(0, &format!("{name}={shown}"));
    }
    append(mask, output, attachments);
    true
}

fn append(mask: &mut Mask, output: &mut Output, attachments: Vec<Attachment>) {
    for (index, attachment) in attachments.iter().enumerate() {
        output.line(0, "");
        output.line(0, &format!("[XML {}: {}]", index + 1, attachment.name));
        if !xml::mask(mask, output, &attachment.xml, 0, 1) {
            output.line(0, UNREAD);
        }
    }
}

fn masked(
    mask: &mut Mask,
    value: &Json,
    path: &mut Vec<String>,
    name: &str,
    attachments: &mut Vec<Attachment>,
) -> Json {
    match value {
        Json::Null => Json::Null,
        Json::String(text) => member(mask, name, text, path, attachments).into(),
        Json::Bool(_) => HIDDEN.into(),
        Json::Number(number) => {
            let text = number.to_string();
            let rule =
                names::member(path, name).filter(|rule| matches!(rule, Rule::Digits | Rule::Code));
            match rule.and_then(|rule| rule.keep(&text, &mask.known)) {
                Some(_) => value.clone(),
                None => {
                    mask.known.learn(&text);
                    HIDDEN.into()
                }
            }
        }
        // What is in a list has the list's name.
        Json::Array(items) => items
            .iter()
            .map(|item| masked(mask, item, path, name, attachments))
            .collect(),
        Json::Object(members) => {
            let below = !name.is_empty();
            if below {
                path.push(name.to_owned());
            }
            let mut shown = Map::new();
            for (name, value) in members {
                let value = if names::signature(name) && !value.is_null() {
                    "[assinatura]".into()
                } else {
                    masked(mask, value, path, name, attachments)
                };
                let name = names::shown(name, &mask.known);
                shown.insert(name.to_owned(), value);
            }
            if below {
                path.pop();
            }
            shown.into()
        }
    }
}

/// A text; a document becomes the name under which it follows.
fn member(
    mask: &mut Mask,
    name: &str,
    text: &str,
    path: &[String],
    attachments: &mut Vec<Attachment>,
) -> String {
    let rule = names::member(path, name);
    match mask.value(rule, text, 0) {
        Value::Text(text) => text,
        Value::Xml(_) if attachments.len() >= ATTACHMENTS => "[XML]".to_owned(),
        Value::Xml(xml) => {
            let name = names::shown(name, &mask.known).to_owned();
            attachments.push(Attachment { name, xml });
            format!("[XML {}]", attachments.len())
        }
    }
}
