//! Cuts an element out of an answer so that it can stand alone.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use sdk::xml::{Document, Element};
use std::collections::{BTreeMap, BTreeSet};

/// Namespace declarations in force: prefix ("" is the default) and URI as it
/// is written.
type Scope = BTreeMap<String, String>;

/// The element exactly as it came, with the namespace declarations of its
/// ancestors added to its start tag. Only those it uses; all of them when it
/// holds a signature, whose canonical form covers them.
pub fn isolate(document: &Document, element: &Element) -> String {
    let raw = document.raw(element);
    let inherited = inherited(document.text(), element.span().start);
    let (used, own) = prefixes(raw);
    let signed = element.descendant("Signature").is_some();
    let mut declarations = String::new();
    for (prefix, uri) in &inherited {
        let needs = signed || used.contains(prefix);
        if !needs || own.contains(prefix) || (prefix.is_empty() && uri.is_empty()) {
            continue;
        }
        let quote = if uri.contains('"') { '\'' } else { '"' };
        let name = if prefix.is_empty() {
            "xmlns".to_owned()
        } else {
            format!("xmlns:{prefix}")
        };
        declarations.push_str(&format!(" {name}={quote}{uri}{quote}"));
    }
    let name_end = raw
        .char_indices()
        .skip(1)
        .find(|(_, c)| c.is_whitespace() || matches!(c, '>' | '/'))
        .map_or(raw.len(), |(at, _)| at);
    match raw.split_at_checked(name_end) {
        Some((before, after)) => format!("{before}{declarations}{after}"),
        None => raw.to_owned(),
    }
}

/// Declarations in force where the element at this byte begins.
fn inherited(text: &str, start: usize) -> Scope {
    let mut reader = Reader::from_str(text);
    let mut open_scopes: Vec<Scope> = Vec::new();
    while usize::try_from(reader.buffer_position()).is_ok_and(|at| at < start) {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let mut scope = open_scopes.last().cloned().unwrap_or_default();
                scope.extend(declarations(&tag));
                open_scopes.push(scope);
            }
            Ok(Event::End(_)) => {
                open_scopes.pop();
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    open_scopes.pop().unwrap_or_default()
}

fn declarations(tag: &BytesStart<'_>) -> Scope {
    let mut scope = Scope::new();
    for attribute in tag.attributes().filter_map(Result::ok) {
        let name = attribute.key.into_inner();
        let prefix = match name.strip_prefix("xmlns") {
            Some("") => "",
            Some(rest) => match rest.strip_prefix(':') {
                Some(prefix) => prefix,
                None => continue,
            },
            None => continue,
        };
        scope.insert(prefix.to_owned(), attribute.value.to_string());
    }
    scope
}

/// Prefixes that a fragment uses anywhere, and those its own start tag
/// declares.
fn prefixes(raw: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut used = BTreeSet::new();
    let mut own = None;
    let mut reader = Reader::from_str(raw);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let name = tag.name().into_inner().to_owned();
                let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
                used.insert(prefix.to_owned());
                for attribute in tag.attributes().filter_map(Result::ok) {
                    if let Some((prefix, _)) = attribute.key.into_inner().split_once(':')
                        && prefix != "xmlns"
                    {
                        used.insert(prefix.to_owned());
                    }
                }
                own.get_or_insert_with(|| declarations(&tag).into_keys().collect());
            }
            Ok(Event::Eof) | Err(_) => return (used, own.unwrap_or_default()),
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::xml;

    fn isolated(text: &str, name: &str) -> String {
        let document = xml::parse(text.as_bytes()).expect("reads");
        let element = document.root().descendant(name).expect("element");
        isolate(&document, element)
    }

    #[test]
    fn takes_what_it_uses() {
        let text = r#"<r xmlns="urn:r" xmlns:a="urn:a" xmlns:b="urn:b" xmlns:x="urn:x"><a:C Id="1"><a:D x:y="1"/></a:C></r>"#;
        assert_eq!(
            isolated(text, "C"),
            r#"<a:C xmlns:a="urn:a" xmlns:x="urn:x" Id="1"><a:D x:y="1"/></a:C>"#
        );
    }

    #[test]
    fn nearest_declaration_wins_and_own_ones_stay() {
        let text = r#"<r xmlns="urn:1"><s xmlns="urn:2"><C xmlns:k="urn:k"/></s><s><C xmlns="urn:3"/></s></r>"#;
        assert_eq!(isolated(text, "C"), r#"<C xmlns="urn:2" xmlns:k="urn:k"/>"#);
        let text = r#"<r xmlns="urn:1"><C xmlns="urn:3">x</C></r>"#;
        assert_eq!(isolated(text, "C"), r#"<C xmlns="urn:3">x</C>"#);
    }

    #[test]
    fn a_signature_keeps_its_context() {
        let text = r#"<r xmlns="urn:1" xmlns:xsi="urn:xsi"><C><Signature/></C></r>"#;
        assert_eq!(
            isolated(text, "C"),
            r#"<C xmlns="urn:1" xmlns:xsi="urn:xsi"><Signature/></C>"#
        );
    }
}
