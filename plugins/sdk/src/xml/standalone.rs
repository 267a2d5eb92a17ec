//! Cuts an element out of an answer so that it can stand alone.

use super::reader::{Document, Element};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::{BTreeMap, BTreeSet};

/// Prefix ("" is the default) and URI as it is written.
type Declarations = Vec<(String, String)>;

/// Which namespace declarations of its ancestors an element takes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inherited {
    /// Those it uses: what was signed alone and then put into an envelope
    /// verifies only without the envelope's declarations, which inclusive C14N
    /// would bring in.
    Used,
    /// All: what was signed inside the answer verifies only with them.
    All,
}

/// The element exactly as it came, with namespace declarations of its
/// ancestors added to its start tag.
pub fn standalone(document: &Document, element: &Element, kept: Inherited) -> String {
    let raw = document.raw(element);
    let inherited = inherited(document.text(), element.span().start);
    let (used, own) = prefixes(raw);
    let mut added = String::new();
    for (prefix, uri) in &inherited {
        let needed = kept == Inherited::All || used.contains(prefix);
        if !needed || own.contains(prefix) || (prefix.is_empty() && uri.is_empty()) {
            continue;
        }
        let quote = if uri.contains('"') { '\'' } else { '"' };
        let colon = if prefix.is_empty() { "" } else { ":" };
        added.push_str(&format!(" xmlns{colon}{prefix}={quote}{uri}{quote}"));
    }
    let end_of_name = raw
        .char_indices()
        .skip(1)
        .find(|(_, c)| c.is_whitespace() || matches!(c, '>' | '/'))
        .map_or(raw.len(), |(at, _)| at);
    match raw.split_at_checked(end_of_name) {
        Some((before, after)) => format!("{before}{added}{after}"),
        None => raw.to_owned(),
    }
}

/// Declarations in force where the element at this byte begins.
fn inherited(text: &str, start: usize) -> BTreeMap<String, String> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Declarations> = Vec::new();
    while usize::try_from(reader.buffer_position()).is_ok_and(|at| at < start) {
        match reader.read_event() {
            Ok(Event::Start(tag)) => open.push(declarations(&tag)),
            Ok(Event::End(_)) => {
                open.pop();
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    // The nearest declaration of a prefix comes last and stands.
    open.into_iter().flatten().collect()
}

fn declarations(tag: &BytesStart<'_>) -> Declarations {
    let mut found = Declarations::new();
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
        found.push((prefix.to_owned(), attribute.value.to_string()));
    }
    found
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
                own.get_or_insert_with(|| {
                    declarations(&tag)
                        .into_iter()
                        .map(|(prefix, _)| prefix)
                        .collect()
                });
            }
            Ok(Event::Eof) | Err(_) => return (used, own.unwrap_or_default()),
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml;

    fn alone(text: &str, name: &str) -> String {
        let document = xml::parse(text.as_bytes()).expect("reads");
        let element = document.root().descendant(name).expect("element");
        standalone(&document, element, Inherited::Used)
    }

    #[test]
    fn takes_what_it_uses() {
        let text = r#"<r xmlns="urn:r" xmlns:a="urn:a" xmlns:b="urn:b" xmlns:x="urn:x"><a:C Id="1"><a:D x:y="1"/></a:C></r>"#;
        assert_eq!(
            alone(text, "C"),
            r#"<a:C xmlns:a="urn:a" xmlns:x="urn:x" Id="1"><a:D x:y="1"/></a:C>"#
        );
    }

    #[test]
    fn the_nearest_declaration_wins_and_own_ones_stay() {
        let text = r#"<r xmlns="urn:1"><s xmlns="urn:2"><C xmlns:k="urn:k"/></s><s><C xmlns="urn:3"/></s></r>"#;
        assert_eq!(alone(text, "C"), r#"<C xmlns="urn:2" xmlns:k="urn:k"/>"#);
        let text = r#"<r xmlns="urn:1"><C xmlns="urn:3">x</C></r>"#;
        assert_eq!(alone(text, "C"), r#"<C xmlns="urn:3">x</C>"#);
        let text = r#"<r xmlns="urn:1"><s xmlns="urn:2"/><C>x</C></r>"#;
        assert_eq!(alone(text, "C"), r#"<C xmlns="urn:1">x</C>"#);
    }

    #[test]
    fn the_envelope_stays_out_of_a_signature() {
        let text = r#"<s:e xmlns:s="urn:s" xmlns:xsi="urn:xsi" xmlns="urn:1"><C><Signature xmlns="urn:d"/></C></s:e>"#;
        assert_eq!(
            alone(text, "C"),
            r#"<C xmlns="urn:1"><Signature xmlns="urn:d"/></C>"#
        );
    }

    #[test]
    fn all_declarations_come_along_on_demand() {
        let text = r#"<r xmlns="urn:1" xmlns:xsi="urn:xsi"><C><Signature/></C></r>"#;
        let document = xml::parse(text.as_bytes()).expect("reads");
        let element = document.root().descendant("C").expect("element");
        assert_eq!(
            standalone(&document, element, Inherited::All),
            r#"<C xmlns="urn:1" xmlns:xsi="urn:xsi"><Signature/></C>"#
        );
    }
}
