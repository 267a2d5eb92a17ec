//! Cuts an element out of an answer so that it can stand alone.

use sdk::xml::{self, Document, Element, Inherited};

/// The element as it came. With a signature in it all namespace declarations
/// of its ancestors come along: cities sign the note inside their answer.
pub fn isolate(document: &Document, element: &Element) -> String {
    let kept = match element.descendant("Signature") {
        Some(_) => Inherited::All,
        None => Inherited::Used,
    };
    xml::standalone(document, element, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_keeps_its_context() {
        let text = r#"<r xmlns="urn:1" xmlns:xsi="urn:xsi"><C><Signature/></C><D/></r>"#;
        let document = xml::parse(text.as_bytes()).expect("reads");
        let isolated = |name: &str| {
            let element = document.root().descendant(name).expect("element");
            isolate(&document, element)
        };
        assert_eq!(
            isolated("C"),
            r#"<C xmlns="urn:1" xmlns:xsi="urn:xsi"><Signature/></C>"#
        );
        assert_eq!(isolated("D"), r#"<D xmlns="urn:1"/>"#);
    }
}
