//! Why an XML cannot be printed.

use markup::xml::XmlError;

/// The XML is not one note that can be printed. Holds no content of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DanfseError {
    /// The text is not acceptable XML.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// No `infNFSe` and no `InfNfse` with a number inside.
    #[error("there is no NFS-e in this XML")]
    NoNota,
    /// A list of notes, or a substituted note with its substitute: the caller
    /// has to say which one, guessing would print the wrong note.
    #[error("there are {0} notes in this XML, one is printed at a time")]
    SeveralNotas(usize),
    /// A text of the note is longer than any layout allows.
    #[error("a text of the note has {0} characters, too many to print")]
    LongText(usize),
}
