//! Why an MDF-e cannot be printed.

use markup::xml::XmlError;

/// The XML is not one MDF-e that can be printed. Holds no content of it; the
/// texts are for the customer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DamdfeError {
    /// The text is not acceptable XML.
    #[error("{}", .0.for_client())]
    Xml(#[from] XmlError),
    /// No `infMDFe` inside.
    #[error("O XML não tem um MDF-e.")]
    NoMdfe,
    /// More than one `infMDFe`: guessing would print the wrong document.
    #[error("O XML tem {0} MDF-e; imprime-se um por vez.")]
    SeveralMdfe(usize),
    /// The document is of another model: the model it has.
    #[error("O documento é do modelo {0}, que não se imprime aqui.")]
    Model(String),
    /// More documents, or longer texts, than are laid out.
    #[error("O MDF-e tem conteúdo demais para ser impresso.")]
    Long,
    /// The logo is neither JPEG nor PNG, is broken or too large.
    #[error(
        "O logotipo não pôde ser lido: use JPEG ou PNG simples, de até 2 MiB e 4 milhões de pixels."
    )]
    Logo,
}
