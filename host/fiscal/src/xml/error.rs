//! Why a text is not an acceptable XML document.

/// The text is malformed, or uses something that is refused.
///
/// The message holds names at most, never content: it may go to a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("XML, byte {offset}: {message}")]
pub struct XmlError {
    /// Byte position in the text that was given, from 0.
    pub offset: usize,
    /// One English sentence for the log.
    pub message: String,
}

impl XmlError {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> XmlError {
        XmlError {
            offset,
            message: message.into(),
        }
    }
}
