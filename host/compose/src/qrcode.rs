//! QR code of the NFC-e and the group that carries it (`infNFeSupl`).
//!
//! Sources: Manual de Especificações Técnicas do DANFE NFC-e e QR Code 6.0
//! (version 2), NT 2025.001 (version 3). The group is outside of the signed
//! part.

use crate::frame::Ambiente;
use markup::field::Field;
use markup::ids::chave::Chave;
use markup::tree::Node;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;

/// Version of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
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
pub struct Supplement {
    /// `qrCode`: address and parameters.
    pub qr_code: String,
    /// `urlChave`: where people type the key.
    pub url_chave: String,
}

impl Supplement {
    /// The group, to be put beside `infNFe` in `NFe`.
    pub fn element(&self) -> Node {
        Node::group("infNFeSupl")
            .with("qrCode", self.qr_code.as_str())
            .with("urlChave", self.url_chave.as_str())
    }
}

/// The group of a note that is sent at once (`tpEmis` 1), the only kind that is
/// issued here. Version 3 needs no CSC; version 2 does.
///
/// # Errors
/// A state without addresses in the table, version 2 without CSC.
pub fn online(
    version: Version,
    uf: &str,
    ambiente: Ambiente,
    chave: &Chave,
    csc: Option<Csc<'_>>,
) -> Result<Supplement, Field> {
    let tp_amb = ambiente.codigo();
    let parameters = match version {
        Version::V3 => format!("{chave}|3|{tp_amb}"),
        Version::V2 => {
            let csc = csc.ok_or_else(missing_csc)?;
            with_digest(&format!("{chave}|2|{tp_amb}|{}", csc.number()), csc)
        }
    };
    supplement(uf, ambiente, &parameters)
}

impl Csc<'_> {
    /// Without leading zeros, as version 2 wants it.
    fn number(&self) -> &str {
        match self.id.trim().trim_start_matches('0') {
            "" => "0",
            number => number,
        }
    }
}

/// `cHashQRCode`: SHA-1 of the parameters followed by the CSC.
fn with_digest(parameters: &str, csc: Csc<'_>) -> String {
    let digest = Sha1::digest(format!("{parameters}{}", csc.codigo.trim()).as_bytes());
    format!("{parameters}|{}", hexadecimal(&digest).to_ascii_uppercase())
}

fn supplement(uf: &str, ambiente: Ambiente, parameters: &str) -> Result<Supplement, Field> {
    let tp_amb = if ambiente == Ambiente::Producao { 1 } else { 2 };
    let enderecos = data::nfce::get(uf, tp_amb).ok_or_else(|| Field {
        campo: "perfil_fiscal.endereco.uf".to_owned(),
        codigo: "qr_code_sem_endereco".to_owned(),
        mensagem: format!("O hub não conhece o endereço de consulta da NFC-e de {uf}."),
        correcao: "Fale com o suporte.".to_owned(),
        valor: None,
    })?;
    Ok(Supplement {
        qr_code: format!("{}?p={parameters}", enderecos.qrcode),
        url_chave: enderecos.query.to_owned(),
    })
}

fn missing_csc() -> Field {
    Field {
        campo: "perfil_fiscal.nfce.csc".to_owned(),
        codigo: "csc_ausente".to_owned(),
        mensagem: "O QR code da NFC-e nesta versão precisa do CSC.".to_owned(),
        correcao: "Informe nfce.csc_id e nfce.csc no perfil fiscal.".to_owned(),
        valor: None,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String does not fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}
