//! ICMS between and within states: rates, poverty fund, base of the DIFAL.

use rust_decimal::Decimal;
use time::Date;

use crate::places::ufs;
use crate::table::Tabela;

static INTERNAS: Tabela<Interna> =
    Tabela::new(include_str!("../../tables/icms_interna.tsv"), |c| {
        Some(Interna {
            uf: c.texto()?,
            desde: c.data()?,
            aliquota: c.decimal()?,
            fonte: c.texto()?,
        })
    });

static FCP: Tabela<Fcp> = Tabela::new(include_str!("../../tables/fcp.tsv"), |c| {
    Some(Fcp {
        uf: c.texto()?,
        geral: c.decimal()?,
        maximo: c.decimal()?,
        nota: c.texto()?,
    })
});

static DIFAL: Tabela<Difal> = Tabela::new(include_str!("../../tables/difal_base.tsv"), |c| {
    Some(Difal {
        uf: c.texto()?,
        nao_contribuinte: Base::de(c.texto()?)?,
        contribuinte: Base::de(c.texto()?)?,
        nota: c.texto()?,
    })
});

/// General internal rate of a state, percent, without the poverty fund.
/// Products have rates of their own that are not here.
#[derive(Debug, PartialEq, Eq)]
pub struct Interna {
    pub uf: &'static str,
    /// None: from before 2023.
    pub desde: Option<Date>,
    pub aliquota: Decimal,
    pub fonte: &'static str,
}

/// Poverty fund of a state, percent.
#[derive(Debug, PartialEq, Eq)]
pub struct Fcp {
    pub uf: &'static str,
    /// On nearly all goods; zero where only listed products pay.
    pub geral: Decimal,
    /// Highest rate admitted.
    pub maximo: Decimal,
    pub nota: &'static str,
}

/// How the base of the DIFAL is made (LC 190/2022).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The operation's value for both states.
    Unica,
    /// The destination's own rate is part of its base.
    Dupla,
}

/// Bases of the DIFAL a state uses.
#[derive(Debug, PartialEq, Eq)]
pub struct Difal {
    pub uf: &'static str,
    pub nao_contribuinte: Base,
    pub contribuinte: Base,
    /// Doubts, in words.
    pub nota: &'static str,
}

impl Base {
    fn de(letra: &str) -> Option<Base> {
        match letra {
            "u" => Some(Base::Unica),
            "d" => Some(Base::Dupla),
            _ => None,
        }
    }
}

/// General internal rate on a day; none when the table does not go that far
/// back.
pub fn interna(uf: &str, data: Date) -> Option<&'static Interna> {
    INTERNAS
        .faixa(|linha| linha.uf.cmp(uf))
        .iter()
        .rfind(|linha| linha.desde.is_none_or(|desde| desde <= data))
}

/// Interstate rate, percent: 4 for imported goods (Res. SF 13/2012), else 7
/// from the South and Southeast without ES to the other regions and ES, 12
/// otherwise (Res. SF 22/1989). None within one state or for no state.
pub fn interestadual(origem: &str, destino: &str, importado: bool) -> Option<Decimal> {
    const SUL_SUDESTE: [&str; 6] = ["MG", "PR", "RJ", "RS", "SC", "SP"];
    let existem = ufs::por_sigla(origem).is_some() && ufs::por_sigla(destino).is_some();
    if !existem || origem == destino {
        return None;
    }
    let desce = SUL_SUDESTE.contains(&origem) && !SUL_SUDESTE.contains(&destino);
    Some(Decimal::from(match (importado, desce) {
        (true, _) => 4,
        (false, true) => 7,
        (false, false) => 12,
    }))
}

/// Are goods of this origin under the 4 % rate between states? Content of
/// import above 40 % (3, 8) and foreign goods with a national like (1, 2).
pub fn origem_importada(origem: &str) -> bool {
    matches!(origem, "1" | "2" | "3" | "8")
}

/// Poverty fund of a state.
pub fn fcp(uf: &str) -> Option<&'static Fcp> {
    FCP.busca(|linha| linha.uf.cmp(uf))
}

/// Bases of the DIFAL of the state of destination.
pub fn difal(uf: &str) -> Option<&'static Difal> {
    DIFAL.busca(|linha| linha.uf.cmp(uf))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn every_state_is_there() {
        crate::table::confere(&INTERNAS, |linha| (linha.uf, linha.desde));
        crate::table::confere(&FCP, |linha| linha.uf);
        crate::table::confere(&DIFAL, |linha| linha.uf);
        for uf in &ufs::UFS {
            assert!(interna(uf.sigla, date!(2026 - 11 - 20)).is_some(), "{uf:?}");
            assert!(fcp(uf.sigla).is_some_and(|fcp| fcp.geral <= fcp.maximo));
            assert!(difal(uf.sigla).is_some());
        }
    }

    #[test]
    fn rates_between_states() {
        let rate =
            |de, para, importado| interestadual(de, para, importado).map(|rate| rate.to_string());
        assert_eq!(rate("SP", "BA", false).as_deref(), Some("7"));
        assert_eq!(rate("SP", "ES", false).as_deref(), Some("7"));
        assert_eq!(rate("ES", "SP", false).as_deref(), Some("12"));
        assert_eq!(rate("SP", "RS", false).as_deref(), Some("12"));
        assert_eq!(rate("BA", "SP", true).as_deref(), Some("4"));
        assert_eq!(rate("SP", "SP", false), None);
        assert_eq!(rate("SP", "EX", false), None);
    }

    #[test]
    fn a_rate_starts_on_its_day() {
        assert!(interna("AL", date!(2026 - 03 - 31)).is_none());
        assert!(interna("AL", date!(2026 - 04 - 01)).is_some());
        assert!(interna("SP", date!(2020 - 01 - 01)).is_some());
    }
}
