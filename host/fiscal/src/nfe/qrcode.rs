//! QR code of the NFC-e and the group that carries it (`infNFeSupl`).
//!
//! Sources: Manual de Especificações Técnicas do DANFE NFC-e e QR Code 6.0
//! (version 2), NT 2025.001 (version 3). The group is outside of the signed
//! part: it is put between `infNFe` and `Signature` without writing `infNFe`
//! again.

/// Version of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versao {
    /// With the taxpayer's security code (CSC).
    V2,
    /// Without CSC: the signature of the document vouches for it.
    V3,
}

/// Security code of the taxpayer, given by the state.
#[derive(Clone, Copy)]
pub struct Csc<'a> {
    /// Number, with or without leading zeros.
    pub id: &'a str,
    pub codigo: &'a str,
}

impl std::fmt::Debug for Csc<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Csc(…)")
    }
}

/// `infNFeSupl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suplemento {
    /// `qrCode`: address and parameters.
    pub qr_code: String,
    /// `urlChave`: where people type the key.
    pub url_chave: String,
}

impl Suplemento {
    /// The group as canonical XML, as it stands inside of `NFe`.
    pub fn xml(&self) -> String {
        format!(
            "<infNFeSupl><qrCode>{}</qrCode><urlChave>{}</urlChave></infNFeSupl>",
            escapado(&self.qr_code),
            escapado(&self.url_chave)
        )
    }
}

/// Canonical XML text (C14N §2.3).
fn escapado(texto: &str) -> String {
    texto
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
