//! A signed document and the authority's answer in one file, byte for byte.
//!
//! The parts keep their bytes, or signatures break. One thing is added where
//! it must be: a prefix that the part uses but that was declared outside of it
//! (in the SOAP envelope) is declared on its root. The default namespace needs
//! nothing, the new root declares the same.

use thiserror::Error;

use super::NAMESPACE;
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
    #[error("{0} is not in the namespace of NF-e")]
    Namespace(&'static str),
}

/// `nfeProc`: the note and its protocol. Either may be inside of something
/// else (`enviNFe`, a SOAP answer); a `protNFe` cut out without its namespace
/// inherits the note's.
///
/// # Errors
/// Either is not found, not XML or of another namespace.
pub fn nfe_proc(nfe_xml: &str, prot_xml: &str) -> Result<String, JoinError> {
    let nfe = part(nfe_xml, "NFe")?;
    let prot = part(prot_xml, "protNFe")?;
    Ok(together("nfeProc", "4.00", &[&nfe, &prot]))
}

/// `procEventoNFe`: the event and its answer.
///
/// # Errors
/// As [`nfe_proc`].
pub fn proc_evento(evento_xml: &str, ret_evento_xml: &str) -> Result<String, JoinError> {
    let evento = part(evento_xml, "evento")?;
    let ret = part(ret_evento_xml, "retEvento")?;
    Ok(together("procEventoNFe", "1.00", &[&evento, &ret]))
}

/// `ProcInutNFe`: the voiding request and its answer.
///
/// # Errors
/// As [`nfe_proc`].
pub fn proc_voiding(voiding_xml: &str, ret_voiding_xml: &str) -> Result<String, JoinError> {
    let voiding = part(voiding_xml, "inutNFe")?;
    let ret = part(ret_voiding_xml, "retInutNFe")?;
    Ok(together("ProcInutNFe", "4.00", &[&voiding, &ret]))
}

/// `envEvento`: a batch of up to 20 signed events. `id_lote` has 1 to 15
/// digits.
///
/// # Errors
/// One is not an event.
pub fn envi_evento(id_lote: u64, eventos: &[&str]) -> Result<String, JoinError> {
    let parts = eventos
        .iter()
        .map(|evento| part(evento, "evento"))
        .collect::<Result<Vec<_>, _>>()?;
    let batch = format!("<idLote>{}</idLote>", id_lote % 1_000_000_000_000_000);
    let mut everything: Vec<&str> = vec![&batch];
    everything.extend(parts.iter().map(String::as_str));
    Ok(together("envEvento", "1.00", &everything))
}

fn together(root: &str, version: &str, parts: &[&str]) -> String {
    let mut output = format!("<{root} xmlns=\"{NAMESPACE}\" versao=\"{version}\">");
    for part in parts {
        output.push_str(part);
    }
    output.push_str("</");
    output.push_str(root);
    output.push('>');
    output
}

/// The first element of that name, as it stands in the text.
fn part(text: &str, name: &'static str) -> Result<String, JoinError> {
    let xml = |source| JoinError::Xml { what: name, source };
    let doc = Document::parse(text).map_err(xml)?;
    let element = doc
        .elements()
        .find(|element| element.name() == name)
        .ok_or(JoinError::Missing(name))?;
    let loose = element.namespace().is_empty() && element == doc.root();
    if element.namespace() != NAMESPACE && !loose {
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
