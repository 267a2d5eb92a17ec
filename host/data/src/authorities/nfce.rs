//! Addresses of the NFC-e: in the QR code and for consultation by key.

use crate::table::Tabela;

static TABELA: Tabela<Enderecos> = Tabela::new(include_str!("../../tables/nfce_urls.tsv"), |c| {
    let (uf, tp_amb) = (c.texto()?, c.numero()?);
    let (qrcode, consulta) = (c.texto()?, c.texto()?);
    let (outros_qrcode, outras_consultas) = (c.palavras()?, c.palavras()?);
    Some(Enderecos {
        uf,
        tp_amb,
        diverge_qrcode: !outros_qrcode.is_empty(),
        diverge_consulta: !outras_consultas.is_empty(),
        qrcode,
        consulta,
        outros_qrcode,
        outras_consultas,
    })
});

/// What a state wants printed, in one environment. Second-hand: see the marks.
#[derive(Debug, PartialEq, Eq)]
pub struct Enderecos {
    pub uf: &'static str,
    /// 1 produção, 2 homologação.
    pub tp_amb: u8,
    /// The sources name different places: rejection 395 is possible, and a note
    /// that carries one of the others may be right.
    pub diverge_qrcode: bool,
    /// The sources name different places: rejection 878 is possible.
    pub diverge_consulta: bool,
    /// Up to the `?` of the QR code.
    pub qrcode: &'static str,
    /// `urlChave`; many states print it without `http`.
    pub consulta: &'static str,
    /// What another source says; none where the sources agree.
    pub outros_qrcode: Vec<&'static str>,
    pub outras_consultas: Vec<&'static str>,
}

/// Addresses of a state (sigla) in an environment (1 produção, 2 homologação).
pub fn get(uf: &str, tp_amb: u8) -> Option<&'static Enderecos> {
    TABELA.busca(|linha| (linha.uf, linha.tp_amb).cmp(&(uf, tp_amb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_with_a_date_goes_before_older_lists() {
        let rn = get("RN", 1).expect("RN");
        assert_eq!(rn.qrcode, "https://nfce.sefaz.rn.gov.br/consultarNFCe.aspx");
        assert!(rn.diverge_qrcode);
        let rs = get("RS", 1).expect("RS");
        assert!(!rs.diverge_qrcode);
    }

    #[test]
    fn every_state_has_both_environments() {
        let linhas = crate::table::confere(&TABELA, |linha| (linha.uf, linha.tp_amb));
        assert_eq!(linhas, 54);
        for uf in &crate::places::ufs::UFS {
            for tp_amb in [1, 2] {
                let linha = get(uf.sigla, tp_amb).expect(uf.sigla);
                assert!(linha.qrcode.starts_with("http") && !linha.consulta.is_empty());
            }
        }
    }
}
