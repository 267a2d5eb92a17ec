//! Addresses of the NFC-e: in the QR code and for consultation by key.

use crate::tabela::Tabela;

static TABELA: Tabela<Enderecos> = Tabela::new(include_str!("../tables/nfce_urls.tsv"), |c| {
    Some(Enderecos {
        uf: c.texto()?,
        tp_amb: c.numero()?,
        diverge_qrcode: c.marca()?,
        diverge_consulta: c.marca()?,
        qrcode: c.texto()?,
        consulta: c.texto()?,
        outro_qrcode: c.opcional()?,
        outra_consulta: c.opcional()?,
    })
});

/// What a state wants printed, in one environment. Second-hand: see the marks.
#[derive(Debug, PartialEq, Eq)]
pub struct Enderecos {
    pub uf: &'static str,
    /// 1 produção, 2 homologação.
    pub tp_amb: u8,
    /// Two sources name different places: rejection 395 is possible.
    pub diverge_qrcode: bool,
    /// Two sources name different places: rejection 878 is possible.
    pub diverge_consulta: bool,
    /// Up to the `?` of the QR code.
    pub qrcode: &'static str,
    /// `urlChave`; many states print it without `http`.
    pub consulta: &'static str,
    /// What the second source says, where it says anything.
    pub outro_qrcode: Option<&'static str>,
    pub outra_consulta: Option<&'static str>,
}

/// Addresses of a state (sigla) in an environment (1 produção, 2 homologação).
pub fn get(uf: &str, tp_amb: u8) -> Option<&'static Enderecos> {
    TABELA.busca(|linha| (linha.uf, linha.tp_amb).cmp(&(uf, tp_amb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_both_environments() {
        let linhas = crate::tabela::confere(&TABELA, |linha| (linha.uf, linha.tp_amb));
        assert_eq!(linhas, 54);
        for uf in &crate::ufs::UFS {
            for tp_amb in [1, 2] {
                let linha = get(uf.sigla, tp_amb).expect(uf.sigla);
                assert!(linha.qrcode.starts_with("http") && !linha.consulta.is_empty());
            }
        }
    }
}
