//! The same as [`super::prepare`] for text that is canonical already: nothing
//! is parsed and nothing is canonicalized, the bytes are digested where they are.

use std::ops::Range;

use super::algorithms::Algorithm;
use super::prepare::{Prepared, plain, signed_info_text};
use super::{DSIG_NAMESPACE, SignXmlError};
use crate::xml::escape_attribute;

/// What is known about a canonical text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalParts<'p> {
    /// `Id` of the signed element.
    pub id: &'p str,
    /// The signed element, from `<` to `>` of its end tag. It has no namespace
    /// declaration of its own.
    pub span: Range<usize>,
    /// The default namespace it inherits, the only one in scope; `""` for none.
    pub namespace: &'p str,
    /// Where the `Signature` goes, after or before the signed element.
    pub insertion: usize,
}

/// Works out the signature of one element of a canonical text, with inclusive
/// C14N and the enveloped-signature transform.
///
/// The caller answers for the text being canonical (C14N 1.0): for a text that
/// is not, use [`super::prepare`].
///
/// # Errors
/// An id that cannot stand in a `URI`; positions that are not in the text or
/// not where an element begins.
pub fn prepare_canonical(
    xml: String,
    parts: &CanonicalParts<'_>,
    algorithm: Algorithm,
) -> Result<Prepared, SignXmlError> {
    plain(parts.id)?;
    let element = xml.get(parts.span.clone()).unwrap_or("");
    let name_end = element
        .find([' ', '>', '/'])
        .filter(|_| element.starts_with('<') && element.ends_with('>'));
    let (Some(name_end), true) = (name_end, xml.is_char_boundary(parts.insertion)) else {
        return Err(SignXmlError::unsupported(
            "positions that are not those of an element",
        ));
    };
    // Canonical form of the element by itself declares the namespace it inherits. The rest is
    // digested where it is.
    let (open, rest) = element.split_at(name_end);
    let mut declaration = String::new();
    if !parts.namespace.is_empty() {
        declaration.push_str(" xmlns=\"");
        escape_attribute(&mut declaration, parts.namespace);
        declaration.push('"');
    }
    let canonical = [open, &declaration, rest].map(str::as_bytes);
    let digest = algorithm.digest_of_parts(&canonical);
    let uri = format!("#{}", parts.id);
    let c14n = crate::xml::C14n::Inclusive;
    let in_place = signed_info_text("<SignedInfo>", false, &uri, &digest, algorithm, c14n);
    let start = format!("<SignedInfo xmlns=\"{DSIG_NAMESPACE}\">");
    let to_sign = signed_info_text(&start, true, &uri, &digest, algorithm, c14n);
    Ok(Prepared::at(xml, parts.insertion, in_place, to_sign))
}
