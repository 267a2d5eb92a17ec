//! XML 1.0 with namespaces, read strictly and kept whole.
//!
//! Signing needs what ordinary readers throw away: prefixes, namespace
//! declarations, the position of each element in the original text. So a text
//! is parsed once into a [`Document`], [`canonicalize`] writes any part of it
//! in canonical form, and changes are made to the original text at the byte
//! positions the document gives, never by writing the document out again.
//!
//! Refused on purpose: DTDs and every entity they could declare, nesting deeper
//! than [`MAX_DEPTH`], and texts above 8 MiB or a million nodes. What is read
//! here comes from customers and from cities.

mod c14n;
mod document;
mod error;
mod parse;
mod scan;

pub use c14n::{C14n, Comments, canonicalize, canonicalize_with, escape_attribute};
pub use document::{Document, Element, NodeId};
pub use error::XmlError;
pub use parse::{Limits, MAX_DEPTH, parse};

/// Namespace the prefix `xml` always stands for (Namespaces in XML 1.0, §3).
pub const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";
/// Namespace of the declarations themselves; never bound to a prefix.
pub(crate) const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";
