//! Why a note cannot be printed.

use markup::xml::XmlError;

/// The XML is not one note that can be printed. Holds no content of it; the
/// texts are for the customer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DanfeError {
    /// The text is not acceptable XML.
    #[error("{}", .0.for_client())]
    Xml(#[from] XmlError),
    /// No `infNFe` inside.
    #[error("O XML não tem uma NF-e ou NFC-e.")]
    NoNota,
    /// More than one `infNFe`: guessing would print the wrong note.
    #[error("O XML tem {0} notas; imprime-se uma por vez.")]
    SeveralNotas(usize),
    /// The note is of another model than the printout: the model it has.
    #[error("O documento é do modelo {0}, que não se imprime aqui.")]
    Model(String),
    /// No `infEvento` of a correction letter (110110) inside.
    #[error("O XML não tem uma carta de correção.")]
    NoLetter,
    /// More items, or longer texts, than any layout allows.
    #[error("A nota tem conteúdo demais para ser impressa.")]
    Long,
    /// The logo is neither JPEG nor PNG, is broken or too large.
    #[error(
        "O logotipo não pôde ser lido: use JPEG ou PNG simples, de até 2 MiB e 4 milhões de pixels."
    )]
    Logo,
}
