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
    /// The same for the customer, in pt-BR, with the position.
    pub fn for_client(&self) -> String {
        let byte = self.offset;
        let exceeds = ["too long", "too many", "too deeply"];
        if self.message.contains("DTD") {
            format!("O XML não pode ter DTD nem declarações de marcação (byte {byte}).")
        } else if exceeds.iter().any(|part| self.message.contains(part)) {
            format!("O XML passa dos limites de tamanho ou de profundidade (byte {byte}).")
        } else {
            format!("O XML não está bem formado (byte {byte}).")
        }
    }

    pub(super) fn new(offset: usize, message: impl Into<String>) -> XmlError {
        XmlError {
            offset,
            message: message.into(),
        }
    }
}
