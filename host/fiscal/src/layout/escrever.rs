//! Canonical XML straight from a tree.

use std::ops::Range;

/// Canonical XML, and where the part to sign is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escrito {
    pub xml: String,
    /// Namespace declared at the root, which the signed element inherits.
    pub namespace: String,
    /// What is signed, if the layout signs something in this document.
    pub assinado: Option<Assinado>,
}

/// The element a signature refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assinado {
    /// Its `Id`: the signature refers to `#` and this.
    pub id: String,
    /// From `<` of its start tag to `>` of its end tag.
    pub span: Range<usize>,
    /// Where the `Signature` goes: before the end tag of the element around it.
    pub lugar: usize,
}
