//! Nominal rates of IBS and CBS by year (LC 214/2025, arts. 343 to 347).

use rust_decimal::Decimal;

use crate::table::Tabela;

static TABELA: Tabela<Ano> = Tabela::new(include_str!("../../tables/ibs_cbs_aliquotas.tsv"), |c| {
    Some(Ano {
        de: c.numero()?,
        ate: c.numero()?,
        ibs_uf: c.decimal_opcional()?,
        ibs_mun: c.decimal_opcional()?,
        cbs: c.decimal_opcional()?,
        fonte: c.texto()?,
    })
});

/// Rates of some years, percent. A rate nobody has fixed yet is none.
#[derive(Debug, PartialEq, Eq)]
pub struct Ano {
    pub de: i32,
    pub ate: i32,
    pub ibs_uf: Option<Decimal>,
    pub ibs_mun: Option<Decimal>,
    pub cbs: Option<Decimal>,
    pub fonte: &'static str,
}

/// Rates of a year. 2025 takes those of 2026: notes of that year could carry
/// the group already (NT 2025.002, UB18-10).
pub fn do_ano(ano: i32) -> Option<&'static Ano> {
    let ano = ano.max(2026);
    TABELA
        .linhas()
        .iter()
        .find(|linha| (linha.de..=linha.ate).contains(&ano))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_without_a_law_have_no_rate() {
        crate::table::confere(&TABELA, |linha| linha.de);
        let teste = do_ano(2026).expect("2026");
        assert_eq!(teste.cbs, Some(Decimal::new(90, 2)));
        assert_eq!(teste.ibs_mun, Some(Decimal::ZERO));
        assert_eq!(do_ano(2027).and_then(|ano| ano.cbs), None);
        assert_eq!(
            do_ano(2028).and_then(|ano| ano.ibs_uf),
            Some(Decimal::new(5, 2))
        );
        assert_eq!(do_ano(2029), None);
    }
}
