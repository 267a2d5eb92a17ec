//! Events of fiscal documents: what they are called and who makes them.

use crate::table::Table;

pub(crate) static TABLE: Table<Evento> =
    Table::new(include_str!("../../tables/eventos.tsv"), |c| {
        Some(Evento {
            model: c.number()?,
            kind: c.number()?,
            author: c.text()?,
            description: c.text()?,
            rule: c.text()?,
        })
    });

/// A type of event of a model.
#[derive(Debug, PartialEq, Eq)]
pub struct Evento {
    /// 55, 65, 57, 58.
    pub model: u8,
    /// `tpEvento`, six digits.
    pub kind: u32,
    /// Who signs it, in words.
    pub author: &'static str,
    /// `descEvento` as the schema fixes it; CT-e and MDF-e and a few of NF-e
    /// carry no accents.
    pub description: &'static str,
    /// Limits and oddities, in words; may be empty.
    pub rule: &'static str,
}

/// The event of a type for a model.
pub fn get(model: u8, kind: u32) -> Option<&'static Evento> {
    TABLE.find(|line| (line.model, line.kind).cmp(&(model, kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        crate::table::check(&TABLE, |line| (line.model, line.kind));
        assert_eq!(
            get(55, 110_111).map(|row| row.description),
            Some("Cancelamento")
        );
        assert!(get(65, 110_110).is_none(), "an NFC-e has no CC-e");
        let of_nfe = TABLE.lines().iter().filter(|line| line.model == 55);
        assert!(of_nfe.count() > 40);
    }
}
