//! CEST: goods that may be under tax substitution, by segment. The table is of
//! mid 2019: a code that is not here may exist, one that is here may be gone.

use crate::search::{Found, Search, SearchText};
use crate::table::Table;

pub(crate) static TABLE: Table<Cest> = Table::new(include_str!("../../tables/cest.tsv"), |c| {
    Some(Cest {
        codigo: c.text()?,
        ncm: c.words()?,
        description: c.text()?,
    })
});

pub(crate) static SEGMENTS: Table<(&str, &str)> =
    Table::new(include_str!("../../tables/cest_segmentos.tsv"), |c| {
        Some((c.text()?, c.text()?))
    });

static SEARCH: Search<Cest> = Search::new(all, |row| SearchText {
    codigo: row.codigo.to_owned(),
    text: row.description.to_owned(),
    heading: false,
});

/// An item of Convênio ICMS 142/2018.
#[derive(Debug, PartialEq, Eq)]
pub struct Cest {
    /// Seven digits.
    pub codigo: &'static str,
    /// Prefixes of NCM the item names; none when it names no code.
    pub ncm: Vec<&'static str>,
    pub description: &'static str,
}

impl Cest {
    /// Two digits: 01 autopeças, 03 bebidas…
    pub fn segment(&self) -> &'static str {
        self.codigo.get(..2).unwrap_or_default()
    }

    pub fn segment_name(&self) -> &'static str {
        let segment = self.segment();
        SEGMENTS
            .find(|line| line.0.cmp(segment))
            .map_or("", |line| line.1)
    }

    /// Does the item name this NCM (or a heading of it)?
    pub fn covers(&self, ncm: &str) -> bool {
        self.ncm.iter().any(|prefix| ncm.starts_with(prefix))
    }
}

/// The row of seven digits.
pub fn get(codigo: &str) -> Option<&'static Cest> {
    TABLE.find(|line| line.codigo.cmp(codigo))
}

/// Items that name an NCM: what a product may be, for a person to choose.
pub fn by_ncm(ncm: &str) -> Vec<&'static Cest> {
    all().iter().filter(|cest| cest.covers(ncm)).collect()
}

/// Items whose code or description has the words of the query.
pub fn search(query: &str, limit: usize) -> Found<'static, Cest> {
    SEARCH.find(query, limit)
}

/// All rows, by code.
pub fn all() -> &'static [Cest] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 983);
        crate::table::check(&SEGMENTS, |line| line.0);
        for cest in all() {
            assert!(
                cest.codigo.len() == 7 && !cest.segment_name().is_empty(),
                "{cest:?}"
            );
        }
    }

    #[test]
    fn an_ncm_leads_to_its_items() {
        assert!(
            by_ncm("38151210")
                .iter()
                .any(|cest| cest.codigo == "0100100")
        );
        assert_eq!(get("0100100").map(Cest::segment_name), Some("Autopeças"));
        assert_eq!(get("9999999"), None);
    }
}
