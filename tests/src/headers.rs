//! Whether answers have the headers the document says.

use crate::shapes;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::sync::OnceLock;

/// What the tests ask of every answer of an operation: the headers its
/// document promises, and none of those it knows that it does not name.
///
/// # Panics
/// The answer has others.
pub fn assert_documented(method: &str, path: &str, status: u16, headers: &HeaderMap) {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| api::openapi::document(""));
    let Some(row) = shapes::operation(method, path) else {
        return;
    };
    let item = &document["paths"][api::openapi::template(row)];
    let answers = &item[method.to_lowercase()]["responses"];
    let named = referred(document, &answers[status.to_string()])["headers"].as_object();
    let Some(named) = named else {
        panic!("{} {status} is not in the document", row.operation);
    };
    let known = document["components"]["headers"].as_object();
    for (name, header) in known.into_iter().flatten() {
        let (there, promised) = (headers.contains_key(name), header["required"] == true);
        let fits = match named.contains_key(name) {
            true => there || !promised,
            false => !there,
        };
        assert!(
            fits,
            "{} {status}: {name} is {}",
            row.operation,
            if there {
                "there and not in the document"
            } else {
                "promised and not there"
            }
        );
    }
}

/// A part of the document, or what it refers to.
fn referred<'d>(document: &'d Value, part: &'d Value) -> &'d Value {
    let pointer = part["$ref"]
        .as_str()
        .and_then(|text| text.strip_prefix('#'));
    pointer.and_then(|at| document.pointer(at)).unwrap_or(part)
}
