//! Why a note cannot be printed.

use crate::xml::XmlError;

/// The XML is not one note that can be printed. Holds no content of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DanfeError {
    /// The text is not acceptable XML.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// No `infNFe` inside.
    #[error("there is no NF-e in this XML")]
    SemNota,
    /// More than one `infNFe`: guessing would print the wrong note.
    #[error("there are {0} notes in this XML, one is printed at a time")]
    VariasNotas(usize),
    /// The note is of another model than the printout: the model it has.
    #[error("this printout is not for model {0}")]
    Modelo(String),
    /// No `infEvento` of a correction letter (110110) inside.
    #[error("there is no correction letter in this XML")]
    SemCarta,
    /// More items, or longer texts, than any layout allows.
    #[error("the note has too much content to print")]
    Extensa,
    /// The logo is neither JPEG nor PNG, is broken or too large.
    #[error("the logo cannot be read: JPEG or plain PNG up to 2 MiB and 4 million pixels")]
    Logo,
}
