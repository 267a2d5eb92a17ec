//! CNAE 2.3: economic activities (IBGE and CONCLA).
//!
//! Two tables tell what an activity usually is for the Simples Nacional and for
//! the ISSQN. Both are indicative: no law maps CNAE to annexes or to items.

use crate::search::{Found, Search, SearchText};
use crate::table::Table;
use crate::taxes::simples::Annex;

pub(crate) static TABLE: Table<Cnae> = Table::new(include_str!("../../tables/cnae.tsv"), |c| {
    Some(Cnae {
        codigo: c.text()?,
        description: c.text()?,
    })
});

pub(crate) static LEVELS: Table<Level> =
    Table::new(include_str!("../../tables/cnae_niveis.tsv"), |c| {
        Some(Level {
            codigo: c.text()?,
            section: c.text()?,
            description: c.text()?,
        })
    });

pub(crate) static ANNEXES: Table<(&str, Vec<Annex>)> =
    Table::new(include_str!("../../tables/cnae_anexos.tsv"), |c| {
        let codigo = c.text()?;
        let annexes: Option<Vec<Annex>> = c.words()?.into_iter().map(Annex::of).collect();
        Some((codigo, annexes?))
    });

pub(crate) static ITEMS: Table<(&str, Vec<&str>)> =
    Table::new(include_str!("../../tables/cnae_lc116.tsv"), |c| {
        Some((c.text()?, c.words()?))
    });

static SEARCH: Search<Cnae> = Search::new(all, |cnae| SearchText {
    codigo: cnae.codigo.to_owned(),
    text: cnae.description.to_owned(),
    heading: false,
});

/// A subclass: what companies register.
#[derive(Debug, PartialEq, Eq)]
pub struct Cnae {
    /// Seven digits.
    pub codigo: &'static str,
    /// In capitals, as IBGE publishes it.
    pub description: &'static str,
}

/// A section, division, group or class.
#[derive(Debug, PartialEq, Eq)]
pub struct Level {
    /// A letter, or two, three or five digits.
    pub codigo: &'static str,
    pub description: &'static str,
    /// Letter of the section a division is in; empty otherwise.
    section: &'static str,
}

impl Cnae {
    /// `6201-5/01`.
    pub fn formatted(&self) -> String {
        let part = |range| self.codigo.get(range).unwrap_or_default();
        format!("{}-{}/{}", part(0..4), part(4..5), part(5..7))
    }

    /// Section, division, group and class, in this order.
    pub fn levels(&self) -> Vec<&'static Level> {
        let division = self.codigo.get(..2).and_then(level);
        let section = division.and_then(|division| level(division.section));
        let below = [3, 5].map(|length| level(self.codigo.get(..length)?));
        let levels = [section, division].into_iter().chain(below);
        levels.flatten().collect()
    }

    /// Annexes of the Simples Nacional the activity is usually in; III and V
    /// together where the factor R decides (LC 123/2006, art. 18, § 5º-J and
    /// 5º-M). None: unknown, or forbidden in the Simples.
    pub fn annexes(&self) -> &'static [Annex] {
        ANNEXES
            .find(|line| line.0.cmp(self.codigo))
            .map_or(&[][..], |line| line.1.as_slice())
    }

    /// Items of LC 116/2003 that some municipalities map it to, `1.01`.
    pub fn items(&self) -> &'static [&'static str] {
        ITEMS
            .find(|line| line.0.cmp(self.codigo))
            .map_or(&[][..], |line| line.1.as_slice())
    }
}

/// The subclass of seven digits.
pub fn get(codigo: &str) -> Option<&'static Cnae> {
    TABLE.find(|line| line.codigo.cmp(codigo))
}

/// The section, division, group or class of a code.
pub fn level(codigo: &str) -> Option<&'static Level> {
    LEVELS.find(|line| line.codigo.cmp(codigo))
}

/// Subclasses whose code or description has the words of the query.
pub fn search(query: &str, limit: usize) -> Found<'static, Cnae> {
    SEARCH.find(query, limit)
}

/// All subclasses, by code.
pub fn all() -> &'static [Cnae] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::check;

    #[test]
    fn the_tables_are_whole() {
        assert_eq!(check(&TABLE, |line| line.codigo), 1332);
        assert_eq!(check(&LEVELS, |line| line.codigo), 1062);
        assert_eq!(check(&ANNEXES, |line| line.0), 1178);
        assert_eq!(check(&ITEMS, |line| line.0), 566);
        assert!(ANNEXES.lines().iter().all(|line| get(line.0).is_some()));
        assert!(ITEMS.lines().iter().all(|line| get(line.0).is_some()));
        for cnae in all() {
            let lengths: Vec<usize> = cnae.levels().iter().map(|l| l.codigo.len()).collect();
            assert_eq!(lengths, [1, 2, 3, 5], "{cnae:?}");
        }
    }

    #[test]
    fn items_are_of_the_national_list() {
        let known: Vec<String> = crate::services::all()
            .values()
            .map(crate::services::Service::item)
            .collect();
        for item in ITEMS.lines().iter().flat_map(|line| &line.1) {
            assert!(known.iter().any(|known| known == item), "{item}");
        }
    }

    #[test]
    fn a_code_leads_to_annexes_and_items() {
        let software = get("6201501").expect("6201501");
        assert_eq!(software.formatted(), "6201-5/01");
        assert_eq!(software.annexes(), [Annex::Iii, Annex::V]);
        let levels: Vec<&str> = software.levels().iter().map(|l| l.codigo).collect();
        assert_eq!(levels, ["J", "62", "620", "62015"]);
        let first = get("0111301").expect("0111301");
        assert_eq!(first.description, "CULTIVO DE ARROZ");
        assert!(first.items().is_empty());
        assert_eq!(get("0161003").map(Cnae::items), Some(&["7.16"][..]));
        assert_eq!(get("62015"), None);
    }

    #[test]
    fn words_and_codes_are_found() {
        let found = search("cultivo arroz", 5);
        assert_eq!(found.rows.first().map(|cnae| cnae.codigo), Some("0111301"));
        let found = search("0111-3/0", 2);
        assert_eq!((found.rows.len(), found.total), (2, 3));
    }
}
