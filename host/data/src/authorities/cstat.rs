//! What the authorities answer (`cStat`) and what to do about it.

use crate::table::Table;

pub(crate) static TABLE: Table<Answer> = Table::new(include_str!("../../tables/cstat.tsv"), |c| {
    Some(Answer {
        model: c.number()?,
        codigo: c.number()?,
        category: Category::of(c.text()?)?,
        second_hand: c.number::<u8>()? == 2,
        text: c.text()?,
        hint: c.optional()?,
    })
});

pub(crate) static CATEGORIES: Table<(&str, &str)> =
    Table::new(include_str!("../../tables/cstat_categorias.tsv"), |c| {
        Some((c.text()?, c.text()?))
    });

/// A code of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// 55 (also NFC-e) or 57.
    pub model: u8,
    pub codigo: u16,
    pub category: Category,
    /// Numbers of the tax reform (1000 and above) moved between versions of
    /// NT 2025.002: the authority's own text always prevails.
    pub second_hand: bool,
    /// `xMotivo` without the word "Rejeição", as published.
    pub text: &'static str,
    hint: Option<&'static str>,
}

/// What kind of answer a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    Authorized,
    Cancelled,
    Voided,
    Denied,
    EventoOk,
    Epec,
    Batch,
    Service,
    Registration,
    Distribuicao,
    Duplicate,
    Schema,
    Certificado,
    UndueUse,
    InternalError,
    Rejection,
}

impl Category {
    const NAMES: [(&'static str, Category); 16] = [
        ("autorizado", Category::Authorized),
        ("cancelado", Category::Cancelled),
        ("inutilizado", Category::Voided),
        ("denegado", Category::Denied),
        ("evento_ok", Category::EventoOk),
        ("epec", Category::Epec),
        ("lote", Category::Batch),
        ("servico", Category::Service),
        ("cadastro", Category::Registration),
        ("distribuicao", Category::Distribuicao),
        ("duplicidade", Category::Duplicate),
        ("schema", Category::Schema),
        ("certificado", Category::Certificado),
        ("consumo_indevido", Category::UndueUse),
        ("erro_interno", Category::InternalError),
        ("rejeicao", Category::Rejection),
    ];

    fn of(name: &str) -> Option<Category> {
        Category::NAMES
            .iter()
            .find(|(candidate, _)| *candidate == name)
            .map(|(_, category)| *category)
    }

    pub fn name(self) -> &'static str {
        Category::NAMES
            .iter()
            .find(|(_, candidate)| *candidate == self)
            .map_or("rejeicao", |(name, _)| name)
    }

    /// What to do about any code of this kind, in pt-BR.
    pub fn hint(self) -> &'static str {
        CATEGORIES
            .find(|line| line.0.cmp(self.name()))
            .map_or("", |line| line.1)
    }
}

impl Answer {
    /// What to do, in one or two short sentences (pt-BR, ours).
    pub fn hint(&self) -> &'static str {
        self.hint.unwrap_or_else(|| self.category.hint())
    }
}

/// The row of a code; 65 reads the table of 55.
pub fn get(model: u8, codigo: u16) -> Option<&'static Answer> {
    let model = if model == 65 { 55 } else { model };
    TABLE.find(|line| (line.model, line.codigo).cmp(&(model, codigo)))
}

/// What to do about a code; an unknown one is taken as a refusal.
pub fn hint(model: u8, codigo: u16) -> &'static str {
    get(model, codigo).map_or_else(|| Category::Rejection.hint(), Answer::hint)
}

/// All rows, by model and code.
pub fn all() -> &'static [Answer] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert!(crate::table::check(&TABLE, |line| (line.model, line.codigo)) > 850);
        crate::table::check(&CATEGORIES, |line| line.0);
        for (_, category) in Category::NAMES {
            assert!(!category.hint().is_empty(), "{category:?}");
        }
        let own = all().iter().filter(|line| line.hint.is_some()).count();
        assert!(own >= 150, "{own}");
    }

    #[test]
    fn advice_is_short_and_everywhere() {
        for line in all() {
            let hint = line.hint();
            assert!(
                (10..=220).contains(&hint.chars().count()),
                "{}: {hint}",
                line.codigo
            );
            assert!(hint.ends_with('.'), "{}: {hint}", line.codigo);
        }
    }

    #[test]
    fn codes_that_decide_the_life_of_a_note() {
        for (codigo, category) in [
            (100, Category::Authorized),
            (150, Category::Authorized),
            (101, Category::Cancelled),
            (204, Category::Duplicate),
            (539, Category::Duplicate),
            (573, Category::Duplicate),
            (563, Category::Duplicate),
            (656, Category::UndueUse),
            (217, Category::Rejection),
            (999, Category::InternalError),
        ] {
            assert_eq!(
                get(65, codigo).map(|line| line.category),
                Some(category),
                "{codigo}"
            );
        }
        assert!(hint(55, 9).contains("Corrija"));
    }
}
