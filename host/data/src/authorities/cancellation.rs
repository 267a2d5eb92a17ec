//! How long after authorisation a note may be cancelled by event.

use time::Date;

use crate::table::{Tabela, Vigencia};

static TABELA: Tabela<Janela> = Tabela::new(include_str!("../../tables/cancelamento.tsv"), |c| {
    Some(Janela {
        uf: c.texto()?,
        modelo: c.numero()?,
        minutos: c.numero()?,
        tardio: match c.texto()? {
            "0" => Tardio::Nao,
            "-" => Tardio::SemLimiteConhecido,
            minutos => Tardio::Ate(minutos.parse().ok()?),
        },
        vigencia: c.vigencia()?,
        fonte: c.texto()?,
    })
});

/// The window of a state for a model.
#[derive(Debug, PartialEq, Eq)]
pub struct Janela {
    pub uf: &'static str,
    /// 55 or 65.
    pub modelo: u8,
    /// In time: minutes from authorisation.
    pub minutos: u32,
    pub tardio: Tardio,
    pub vigencia: Vigencia,
    /// Where it is from; says so when it is not confirmed.
    pub fonte: &'static str,
}

/// Does the authority take requests after the window (cStat 151, 155)?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tardio {
    Nao,
    /// Minutes from authorisation.
    Ate(u32),
    SemLimiteConhecido,
}

/// The window in force on a day (of authorisation).
pub fn get(uf: &str, modelo: u8, data: Date) -> Option<&'static Janela> {
    TABELA
        .faixa(|linha| (linha.uf, linha.modelo).cmp(&(uf, modelo)))
        .iter()
        .find(|linha| linha.vigencia.contem(data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    const HOJE: Date = date!(2026 - 11 - 20);

    #[test]
    fn every_state_has_a_window() {
        let linhas = crate::table::confere(&TABELA, |linha| {
            (linha.uf, linha.modelo, linha.vigencia.inicio)
        });
        assert_eq!(linhas, 54);
        for uf in &crate::places::ufs::UFS {
            assert!(get(uf.sigla, 55, HOJE).is_some_and(|janela| janela.minutos >= 1440));
            assert!(get(uf.sigla, 65, HOJE).is_some_and(|janela| janela.minutos >= 30));
        }
    }

    #[test]
    fn states_that_differ() {
        assert_eq!(get("AL", 55, HOJE).map(|j| j.minutos), Some(168 * 60));
        assert_eq!(
            get("SP", 55, HOJE).map(|j| j.tardio),
            Some(Tardio::Ate(480 * 60))
        );
        assert_eq!(get("RO", 65, HOJE).map(|j| j.minutos), Some(24 * 60));
        assert!(get("PR", 65, HOJE).is_some_and(|j| j.tardio == Tardio::Nao));
        assert_eq!(get("SP", 57, HOJE), None);
    }
}
