//! Canonical XML 1.0 (inclusive) and Exclusive Canonical XML 1.0, both without
//! comments, over an element and the elements around it.
//!
//! Source: W3C REC-xml-c14n-20010315 and REC-xml-exc-c14n-20020718.

use super::{Element, Node};

/// Which canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum C14n {
    /// Canonical XML 1.0: all namespaces in scope.
    Inclusive,
    /// Exclusive: namespaces used, plus the listed prefixes.
    Exclusive(Vec<String>),
}

/// Canonical bytes of `element`. `around` are its ancestors, outermost first.
/// `without` is left out with everything below it (the enveloped signature).
pub fn canonicalize(
    around: &[&Element],
    element: &Element,
    form: &C14n,
    without: Option<&Element>,
) -> Vec<u8> {
    let mut scope: Vec<(String, String)> = Vec::new();
    for ancestor in around {
        declare(&mut scope, ancestor);
    }
    let mut out = String::new();
    write(element, &scope, &[], form, without, &mut out);
    out.into_bytes()
}

fn declare(scope: &mut Vec<(String, String)>, element: &Element) {
    for (prefix, ns) in &element.declared {
        scope.retain(|(p, _)| p != prefix);
        scope.push((prefix.clone(), ns.clone()));
    }
}

/// Recursion is bounded by `MAX_DEPTH` of the reader.
fn write(
    element: &Element,
    scope: &[(String, String)],
    printed: &[(String, String)],
    form: &C14n,
    without: Option<&Element>,
    out: &mut String,
) {
    let mut scope = scope.to_vec();
    declare(&mut scope, element);
    let mut printed = printed.to_vec();
    let mut fresh: Vec<(String, String)> = Vec::new();
    for (prefix, ns) in &scope {
        let wanted = match form {
            C14n::Inclusive => true,
            C14n::Exclusive(listed) => {
                listed.contains(prefix)
                    || element.prefix == *prefix
                    || (!prefix.is_empty() && element.attrs.iter().any(|a| a.prefix == *prefix))
            }
        };
        let known = printed
            .iter()
            .find(|(p, _)| p == prefix)
            .map(|(_, n)| n.as_str());
        // An empty default namespace is only written to undo another one.
        let same =
            known == Some(ns.as_str()) || (prefix.is_empty() && ns.is_empty() && known.is_none());
        if wanted && !same {
            fresh.push((prefix.clone(), ns.clone()));
        }
    }
    fresh.sort();
    for (prefix, ns) in &fresh {
        printed.retain(|(p, _)| p != prefix);
        printed.push((prefix.clone(), ns.clone()));
    }

    out.push('<');
    push_name(&element.prefix, &element.name, out);
    for (prefix, ns) in &fresh {
        out.push_str(" xmlns");
        if !prefix.is_empty() {
            out.push(':');
            out.push_str(prefix);
        }
        push_value(ns, out);
    }
    let mut attrs: Vec<_> = element.attrs.iter().collect();
    attrs.sort_by(|a, b| (&a.ns, &a.name).cmp(&(&b.ns, &b.name)));
    for attr in attrs {
        out.push(' ');
        push_name(&attr.prefix, &attr.name, out);
        push_value(&attr.value, out);
    }
    out.push('>');
    for child in &element.children {
        match child {
            Node::Text(text) => push_text(text, out),
            Node::Element(e) if without.is_some_and(|w| std::ptr::eq(w, e)) => {}
            Node::Element(e) => write(e, &scope, &printed, form, without, out),
        }
    }
    out.push_str("</");
    push_name(&element.prefix, &element.name, out);
    out.push('>');
}

fn push_name(prefix: &str, name: &str, out: &mut String) {
    if !prefix.is_empty() {
        out.push_str(prefix);
        out.push(':');
    }
    out.push_str(name);
}

fn push_value(value: &str, out: &mut String) {
    out.push_str("=\"");
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#x9;"),
            '\n' => out.push_str("&#xA;"),
            '\r' => out.push_str("&#xD;"),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn push_text(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#xD;"),
            c => out.push(c),
        }
    }
}
