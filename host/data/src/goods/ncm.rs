//! NCM: the Mercosur nomenclature of goods, with its hierarchy.

use time::Date;

use crate::table::{Tabela, Vigencia};

static TABELA: Tabela<Ncm> = Tabela::new(include_str!("../../tables/ncm.tsv"), |c| {
    Some(Ncm {
        codigo: c.texto()?,
        utrib: c.opcional()?,
        vigencia: c.vigencia()?,
        descricao: c.texto()?,
    })
});

/// A code of the nomenclature: eight digits, or two to seven for the headings
/// it hangs from.
#[derive(Debug, PartialEq, Eq)]
pub struct Ncm {
    pub codigo: &'static str,
    /// Unit that foreign trade asks for (uTrib); none for most inner codes.
    pub utrib: Option<&'static str>,
    /// An open start means 2022-04-01, the first day of the table's edition.
    pub vigencia: Vigencia,
    /// Of this level only: many are "Outros"; see [`descricao_completa`].
    pub descricao: &'static str,
}

impl Ncm {
    pub fn em_vigor(&self, data: Date) -> bool {
        self.vigencia.contem(data)
    }

    /// Can goods be classified here (eight digits)?
    pub fn is_item(&self) -> bool {
        self.codigo.len() == 8
    }
}

/// The row of a code of two to eight digits.
pub fn get(codigo: &str) -> Option<&'static Ncm> {
    TABELA.busca(|linha| linha.codigo.cmp(codigo))
}

/// May goods carry this code on that day? `00` (services and adjustments, MOC
/// I05) is not a code of the nomenclature: false.
pub fn valido(codigo: &str, data: Date) -> bool {
    get(codigo).is_some_and(|ncm| ncm.is_item() && ncm.em_vigor(data))
}

/// A code and all headings above it, from chapter to item.
pub fn caminho(codigo: &str) -> Vec<&'static Ncm> {
    let digitos = codigo.len().min(8);
    (2..=digitos)
        .filter_map(|tamanho| get(codigo.get(..tamanho)?))
        .collect()
}

/// Descriptions from heading to item, for people: the item alone is often
/// "Outros".
pub fn descricao_completa(codigo: &str) -> String {
    let partes: Vec<&str> = caminho(codigo)
        .into_iter()
        .filter(|ncm| ncm.codigo.len() > 2)
        .map(|ncm| ncm.descricao.trim_end_matches([':', '.']))
        .collect();
    partes.join(" - ")
}

/// All rows, by code.
pub fn todos() -> &'static [Ncm] {
    TABELA.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::confere(&TABELA, |linha| linha.codigo), 15156);
        assert_eq!(todos().iter().filter(|ncm| ncm.is_item()).count(), 10515);
        assert!(todos().iter().all(|ncm| !ncm.descricao.is_empty()));
    }

    #[test]
    fn a_code_is_in_force_on_some_days() {
        assert!(valido("39139050", date!(2026 - 09 - 30)));
        assert!(!valido("39139050", date!(2026 - 10 - 01)));
        assert!(!valido("3913", date!(2026 - 10 - 01)));
        assert!(!valido("00", date!(2026 - 10 - 01)));
        assert!(!valido("ááá", date!(2026 - 10 - 01)));
    }

    #[test]
    fn a_description_names_the_heading() {
        let texto = descricao_completa("17019900");
        assert!(
            texto.contains("Açúcares de cana ou de beterraba"),
            "{texto}"
        );
        assert_eq!(descricao_completa("é9"), "");
    }
}
