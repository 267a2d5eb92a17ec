//! QR code of the NFC-e and the group that carries it (`infNFeSupl`).
//!
//! Sources: Manual de Especificações Técnicas do DANFE NFC-e e QR Code 6.0
//! (version 2), NT 2025.001 (version 3). The group is outside of the signed
//! part.

use crate::frame::Ambiente;
use markup::field::Campo;
use markup::ids::chave::Chave;
use markup::tree::Elemento;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;

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
    /// The group, to be put beside `infNFe` in `NFe`.
    pub fn elemento(&self) -> Elemento {
        Elemento::grupo("infNFeSupl")
            .com("qrCode", self.qr_code.as_str())
            .com("urlChave", self.url_chave.as_str())
    }
}

/// The group of a note that is sent at once (`tpEmis` 1), the only kind that is
/// issued here. Version 3 needs no CSC; version 2 does.
///
/// # Errors
/// A state without addresses in the table, version 2 without CSC.
pub fn online(
    versao: Versao,
    uf: &str,
    ambiente: Ambiente,
    chave: &Chave,
    csc: Option<Csc<'_>>,
) -> Result<Suplemento, Campo> {
    let tp_amb = ambiente.codigo();
    let parametros = match versao {
        Versao::V3 => format!("{chave}|3|{tp_amb}"),
        Versao::V2 => {
            let csc = csc.ok_or_else(sem_csc)?;
            com_resumo(&format!("{chave}|2|{tp_amb}|{}", csc.numero()), csc)
        }
    };
    suplemento(uf, ambiente, &parametros)
}

impl Csc<'_> {
    /// Without leading zeros, as version 2 wants it.
    fn numero(&self) -> &str {
        match self.id.trim().trim_start_matches('0') {
            "" => "0",
            numero => numero,
        }
    }
}

/// `cHashQRCode`: SHA-1 of the parameters followed by the CSC.
fn com_resumo(parametros: &str, csc: Csc<'_>) -> String {
    let resumo = Sha1::digest(format!("{parametros}{}", csc.codigo.trim()).as_bytes());
    format!("{parametros}|{}", hexadecimal(&resumo).to_ascii_uppercase())
}

fn suplemento(uf: &str, ambiente: Ambiente, parametros: &str) -> Result<Suplemento, Campo> {
    let tp_amb = if ambiente == Ambiente::Producao { 1 } else { 2 };
    let enderecos = data::nfce::get(uf, tp_amb).ok_or_else(|| Campo {
        campo: "perfil_fiscal.endereco.uf".to_owned(),
        codigo: "qr_code_sem_endereco".to_owned(),
        mensagem: format!("O hub não conhece o endereço de consulta da NFC-e de {uf}."),
        correcao: "Fale com o suporte.".to_owned(),
        valor: None,
    })?;
    Ok(Suplemento {
        qr_code: format!("{}?p={parametros}", enderecos.qrcode),
        url_chave: enderecos.consulta.to_owned(),
    })
}

fn sem_csc() -> Campo {
    Campo {
        campo: "perfil_fiscal.nfce.csc".to_owned(),
        codigo: "csc_ausente".to_owned(),
        mensagem: "O QR code da NFC-e nesta versão precisa do CSC.".to_owned(),
        correcao: "Informe nfce.csc_id e nfce.csc no perfil fiscal.".to_owned(),
        valor: None,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut texto, byte| {
        // Writing to a String does not fail.
        write!(texto, "{byte:02x}").ok();
        texto
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAVE: &str = "35261111222333000181650010000015231817263540";

    fn chave() -> Chave {
        let base = CHAVE.get(..43).expect("43 positions");
        let dv = markup::ids::chave::digito(base.as_bytes());
        Chave::parse(&format!("{base}{dv}")).expect("key")
    }

    #[test]
    fn version_3_is_key_version_and_environment() {
        let grupo = online(Versao::V3, "SP", Ambiente::Producao, &chave(), None).expect("SP");
        let fim = format!("?p={}|3|1", chave());
        assert!(grupo.qr_code.ends_with(&fim), "{}", grupo.qr_code);
        assert!(
            grupo
                .elemento()
                .valor(&["qrCode"])
                .is_some_and(|texto| texto.starts_with("http"))
        );
    }

    #[test]
    fn version_2_hashes_with_the_code_and_drops_zeros_of_its_number() {
        let csc = Csc {
            id: "000001",
            codigo: "SEGREDO",
        };
        let grupo =
            online(Versao::V2, "SP", Ambiente::Homologacao, &chave(), Some(csc)).expect("SP");
        let inicio = format!("{}|2|2|1", chave());
        let resumo = hexadecimal(&Sha1::digest(format!("{inicio}SEGREDO").as_bytes()));
        let fim = format!("?p={inicio}|{}", resumo.to_uppercase());
        assert!(grupo.qr_code.ends_with(&fim), "{}", grupo.qr_code);
        let sem = online(Versao::V2, "SP", Ambiente::Producao, &chave(), None);
        assert_eq!(
            sem.map_err(|campo| campo.codigo),
            Err("csc_ausente".to_owned())
        );
        assert!(!format!("{csc:?}").contains("SEGREDO"));
    }
}
