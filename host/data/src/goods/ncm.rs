//! NCM: the Mercosur nomenclature of goods, with its hierarchy.

use time::Date;

use crate::search::{Found, Search, SearchText};
use crate::table::{Table, Validity, head};

pub(crate) static TABLE: Table<Ncm> = Table::new(include_str!("../../tables/ncm.tsv"), |c| {
    let codigo = c.text()?;
    Some(Ncm {
        head: head(codigo),
        codigo,
        taxable_unit: c.optional()?,
        validity: c.validity()?,
        description: c.text()?,
    })
});

// The words of a chapter are not those of its goods.
static SEARCH: Search<Ncm> = Search::new(all, |row| SearchText {
    codigo: row.codigo.to_owned(),
    text: row.description.to_owned(),
    heading: (3..8).contains(&row.codigo.len()),
});

/// A code of the nomenclature: eight digits, or two to seven for the headings
/// it hangs from.
#[derive(Debug, PartialEq, Eq)]
pub struct Ncm {
    head: u64,
    pub codigo: &'static str,
    /// Unit that foreign trade asks for (uTrib); none for most inner codes.
    pub taxable_unit: Option<&'static str>,
    /// An open start means 2022-04-01, the first day of the table's edition.
    pub validity: Validity,
    /// Of this level only: many are "Outros"; see [`complete_description`].
    pub description: &'static str,
}

impl Ncm {
    pub fn in_force(&self, data: Date) -> bool {
        self.validity.contains(data)
    }

    /// Can goods be classified here (eight digits)?
    pub fn is_item(&self) -> bool {
        self.codigo.len() == 8
    }
}

/// The row of a code of two to eight digits.
pub fn get(codigo: &str) -> Option<&'static Ncm> {
    let head = head(codigo);
    let then = |line: &Ncm| line.codigo.cmp(codigo);
    TABLE.find(|line| line.head.cmp(&head).then_with(|| then(line)))
}

/// May goods carry this code on that day? `00` (services and adjustments, MOC
/// I05) is not a code of the nomenclature: false.
pub fn is_valid(codigo: &str, data: Date) -> bool {
    get(codigo).is_some_and(|ncm| ncm.is_item() && ncm.in_force(data))
}

/// A code and all headings above it, from chapter to item.
pub fn caminho(codigo: &str) -> Vec<&'static Ncm> {
    let digits = codigo.len().min(8);
    (2..=digits)
        .filter_map(|length| get(codigo.get(..length)?))
        .collect()
}

/// Descriptions from heading to item, for people: the item alone is often
/// "Outros".
pub fn complete_description(codigo: &str) -> String {
    let parts: Vec<&str> = caminho(codigo)
        .into_iter()
        .filter(|ncm| ncm.codigo.len() > 2)
        .map(|ncm| ncm.description.trim_end_matches([':', '.']))
        .collect();
    parts.join(" - ")
}

/// Rows whose code or description, with those of their headings, has the words of
/// the query.
pub fn search(query: &str, limit: usize) -> Found<'static, Ncm> {
    SEARCH.find(query, limit)
}

/// All rows, by code.
pub fn all() -> &'static [Ncm] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 15156);
        assert_eq!(all().iter().filter(|ncm| ncm.is_item()).count(), 10515);
        assert!(all().iter().all(|ncm| !ncm.description.is_empty()));
    }

    #[test]
    fn each_code_is_found_as_it_stands() {
        for ncm in all() {
            assert_eq!(get(ncm.codigo), Some(ncm));
            assert_eq!(get(&format!("{}\0", ncm.codigo)), None);
        }
        assert_eq!(get(""), None);
        assert_eq!(get("170199000"), None);
    }

    #[test]
    fn a_code_is_in_force_on_some_days() {
        assert!(is_valid("39139050", date!(2026 - 09 - 30)));
        assert!(!is_valid("39139050", date!(2026 - 10 - 01)));
        assert!(!is_valid("3913", date!(2026 - 10 - 01)));
        assert!(!is_valid("00", date!(2026 - 10 - 01)));
        assert!(!is_valid("ááá", date!(2026 - 10 - 01)));
    }

    #[test]
    fn a_description_names_the_heading() {
        let text = complete_description("17019900");
        assert!(text.contains("Açúcares de cana ou de beterraba"), "{text}");
        assert_eq!(complete_description("é9"), "");
    }
}
