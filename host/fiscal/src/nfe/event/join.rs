//! A signed document and the authority's answer in one file, byte for byte.
//!
//! The parts keep their bytes, or signatures break. One thing is added where
//! it must be: a prefix that the part uses but that was declared outside of it
//! (in the SOAP envelope) is declared on its root. The default namespace needs
//! nothing, the new root declares the same.

use thiserror::Error;

use super::family::Family;
use markup::xml::{Document, Element, XmlError};

/// Why two documents cannot be joined.
#[derive(Debug, Error)]
pub enum JoinError {
    #[error("{what} is not readable XML: {source}")]
    Xml {
        what: &'static str,
        source: XmlError,
    },
    #[error("there is no {0} in what was given")]
    Missing(&'static str),
    #[error("{0} is not in the namespace of its documents")]
    Namespace(&'static str),
}

/// `nfeProc`, `cteProc`, `mdfeProc`: the document and its protocol. Either may
/// be inside of something else (`enviNFe`, a SOAP answer); a protocol cut out
/// without its namespace inherits the document's.
///
/// # Errors
/// Either is not found, not XML or of another namespace.
pub fn document_proc(
    family: Family,
    document_xml: &str,
    prot_xml: &str,
) -> Result<String, JoinError> {
    let document = part(family, document_xml, family.document())?;
    let prot = part(family, prot_xml, family.protocol())?;
    let version = family.document_version();
    Ok(together(
        family,
        (family.joined(), version),
        &[&document, &prot],
    ))
}

/// `procEventoNFe`, `procEventoCTe`, `procEventoMDFe`: the event and its answer.
///
/// # Errors
/// As [`document_proc`].
pub fn proc_evento(
    family: Family,
    evento_xml: &str,
    ret_evento_xml: &str,
) -> Result<String, JoinError> {
    let evento = part(family, evento_xml, family.event())?;
    let ret = part(family, ret_evento_xml, family.answer())?;
    let version = family.event_version();
    Ok(together(
        family,
        (family.joined_event(), version),
        &[&evento, &ret],
    ))
}

/// `ProcInutNFe`: the voiding request and its answer.
///
/// # Errors
/// As [`document_proc`].
pub fn proc_voiding(voiding_xml: &str, ret_voiding_xml: &str) -> Result<String, JoinError> {
    let voiding = part(Family::Nfe, voiding_xml, "inutNFe")?;
    let ret = part(Family::Nfe, ret_voiding_xml, "retInutNFe")?;
    Ok(together(
        Family::Nfe,
        ("ProcInutNFe", "4.00"),
        &[&voiding, &ret],
    ))
}

/// `envEvento`: a batch of up to 20 signed events. `id_lote` has 1 to 15
/// digits.
///
/// # Errors
/// One is not an event.
pub fn envi_evento(id_lote: u64, eventos: &[&str]) -> Result<String, JoinError> {
    let parts = eventos
        .iter()
        .map(|evento| part(Family::Nfe, evento, "evento"))
        .collect::<Result<Vec<_>, _>>()?;
    let batch = format!("<idLote>{}</idLote>", id_lote % 1_000_000_000_000_000);
    let mut everything: Vec<&str> = vec![&batch];
    everything.extend(parts.iter().map(String::as_str));
    Ok(together(Family::Nfe, ("envEvento", "1.00"), &everything))
}

fn together(family: Family, (root, version): (&str, &str), parts: &[&str]) -> String {
    let namespace = family.namespace();
    let mut output = format!("<{root} xmlns=\"{namespace}\" versao=\"{version}\">");
    for part in parts {
        output.push_str(part);
    }
    output.push_str("</");
    output.push_str(root);
    output.push('>');
    output
}

/// The first element of that name, as it stands in the text.
fn part(family: Family, text: &str, name: &'static str) -> Result<String, JoinError> {
    let xml = |source| JoinError::Xml { what: name, source };
    let doc = Document::parse(text).map_err(xml)?;
    let element = doc
        .elements()
        .find(|element| element.name() == name)
        .ok_or(JoinError::Missing(name))?;
    let loose = element.namespace().is_empty() && element == doc.root();
    if element.namespace() != family.namespace() && !loose {
        return Err(JoinError::Namespace(name));
    }
    let bytes = text.get(element.span()).unwrap_or_default();
    Ok(with_prefixes(&doc, element, bytes))
}

/// Declares on the root of a part what is declared only around it.
fn with_prefixes(doc: &Document<'_>, element: Element<'_>, bytes: &str) -> String {
    let outside: Vec<(&str, &str)> = doc
        .namespaces_in_scope(element.id())
        .into_iter()
        .filter(|(prefix, uri)| {
            !prefix.is_empty()
                && !root_bytes(element, bytes).contains(&format!("xmlns:{prefix}="))
                && uses(element, prefix, uri)
        })
        .collect();
    if outside.is_empty() {
        return bytes.to_owned();
    }
    let name = if element.prefix().is_empty() {
        element.name().len()
    } else {
        element.prefix().len() + 1 + element.name().len()
    };
    let (before, after) = bytes.split_at_checked(1 + name).unwrap_or((bytes, ""));
    let mut output = before.to_owned();
    for (prefix, uri) in outside {
        output.push_str(&format!(" xmlns:{prefix}=\""));
        markup::xml::escape_attribute(&mut output, uri);
        output.push('"');
    }
    output.push_str(after);
    output
}

/// The start tag.
fn root_bytes<'t>(element: Element<'_>, bytes: &'t str) -> &'t str {
    let end = element
        .content_span()
        .map_or(bytes.len(), |content| content.start - element.span().start);
    bytes.get(..end).unwrap_or(bytes)
}

/// Whether the prefix stands on an element or attribute inside. A declaration
/// further in may hide it; declaring it once too often does no harm.
fn uses(element: Element<'_>, prefix: &str, uri: &str) -> bool {
    element
        .descendants_or_self()
        .any(|inside| inside.prefix() == prefix || inside.attributes().any(|(of, _, _)| of == uri))
}
