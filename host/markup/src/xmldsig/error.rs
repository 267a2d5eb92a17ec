//! Why a document cannot be signed, or its signatures not be read.

use crate::xml::XmlError;

/// Errors of [`super::prepare`] and [`super::read_signatures`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignXmlError {
    /// No element has the id that is to be signed.
    #[error("no element has the id {0:?}")]
    ReferenceNotFound(String),
    /// More than one element has it: what is signed would be a guess.
    #[error("more than one element has the id {0:?}")]
    AmbiguousId(String),
    /// Not a well-formed document.
    #[error(transparent)]
    Malformed(#[from] XmlError),
    /// A signature, or a wish for one, outside of what is supported here.
    #[error("{0}")]
    Unsupported(String),
}

impl SignXmlError {
    pub(super) fn unsupported(text: impl Into<String>) -> SignXmlError {
        SignXmlError::Unsupported(text.into())
    }
}
