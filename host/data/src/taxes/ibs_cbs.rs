//! Goods that the annexes of LC 214/2025 name, for IBS, CBS and the selective
//! tax (annex XVII). The lists were parsed from the law: an NCM may be in an
//! annex while the item's words narrow it, so a person or a rule decides.

use crate::table::Table;
use crate::taxes::class_trib::{self, ClassTrib};

pub(crate) static PREFIXES: Table<Prefix> =
    Table::new(include_str!("../../tables/lc214_ncm.tsv"), |c| {
        Some(Prefix {
            ncm: c.text()?,
            annex: c.text()?,
            item: c.text()?,
            except: c.mark()?,
        })
    });

pub(crate) static ITEMS: Table<Item> =
    Table::new(include_str!("../../tables/lc214_itens.tsv"), |c| {
        Some(Item {
            annex: c.text()?,
            item: c.text()?,
            description: c.text()?,
        })
    });

pub(crate) static ANNEXES: Table<(&str, Vec<&str>)> =
    Table::new(include_str!("../../tables/lc214_anexos.tsv"), |c| {
        Some((c.text()?, c.words()?))
    });

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    ncm: &'static str,
    annex: &'static str,
    item: &'static str,
    except: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Item {
    annex: &'static str,
    item: &'static str,
    description: &'static str,
}

/// An item of an annex that names an NCM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Roman number of the annex.
    pub annex: &'static str,
    /// Number of the item (`2.10`), or the group of goods in annex XVII; empty
    /// where the code stood without one.
    pub item: &'static str,
    /// At most 200 characters of the law; empty where there is no item.
    pub description: &'static str,
}

impl Listed {
    /// Classifications of the annex: which one applies depends on the operation
    /// (sale to the administration, deferral, …).
    pub fn classes(&self) -> Vec<&'static ClassTrib> {
        classes(self.annex)
    }
}

/// Items that name this NCM of eight digits, or a heading of it, by annex. In an
/// item the longest code decides whether the NCM is in or out.
pub fn by_ncm(ncm: &str) -> Vec<Listed> {
    let lengths = 2..=ncm.len().min(8);
    let prefixes = lengths.filter_map(|length| ncm.get(..length));
    let mut lines: Vec<&Prefix> = prefixes
        .flat_map(|prefix| PREFIXES.range(|line| line.ncm.cmp(prefix)))
        .collect();
    // Stable: the longest code of an item stays the last one.
    lines.sort_by_key(|line| (line.annex, line.item));
    let items = lines.chunk_by(|a, b| (a.annex, a.item) == (b.annex, b.item));
    let longest = items.filter_map(|lines| lines.last());
    longest
        .filter(|line| !line.except)
        .map(|line| Listed {
            annex: line.annex,
            item: line.item,
            description: description(line.annex, line.item),
        })
        .collect()
}

/// Classifications of an annex, by its Roman number.
pub fn classes(annex: &str) -> Vec<&'static ClassTrib> {
    let line = ANNEXES.find(|line| line.0.cmp(annex));
    let classes = line.into_iter().flat_map(|line| &line.1);
    classes
        .filter_map(|codigo| class_trib::get(codigo))
        .collect()
}

fn description(annex: &str, item: &str) -> &'static str {
    ITEMS
        .find(|line| (line.annex, line.item).cmp(&(annex, item)))
        .map_or("", |line| line.description)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::check;

    #[test]
    fn the_tables_are_whole() {
        let key = |line: &Prefix| (line.ncm, line.annex, line.item, line.except);
        assert_eq!(check(&PREFIXES, key), 595);
        assert_eq!(check(&ITEMS, |line| (line.annex, line.item)), 343);
        assert_eq!(check(&ANNEXES, |line| line.0), 14);
        for line in PREFIXES.lines() {
            let named = line.item.is_empty() || !description(line.annex, line.item).is_empty();
            assert!(named, "{line:?}");
        }
        for line in ANNEXES.lines() {
            assert_eq!(classes(line.0).len(), line.1.len(), "{line:?}");
        }
    }

    #[test]
    fn an_ncm_leads_to_its_annex() {
        let found = by_ncm("10063021");
        assert_eq!(found.len(), 1, "{found:?}");
        let found = found.first().expect("rice");
        assert_eq!((found.annex, found.item), ("I", "1"));
        let classes: Vec<&str> = found.classes().iter().map(|class| class.codigo).collect();
        assert_eq!(classes, ["200003"]);
        assert!(by_ncm("22030000").iter().any(|found| found.annex == "XVII"));
        assert!(by_ncm("94012000").is_empty());
        assert!(by_ncm("").is_empty());
    }

    #[test]
    fn what_an_item_leaves_out_is_not_in_it() {
        let in_first = |ncm| by_ncm(ncm).iter().any(|found| found.annex == "I");
        assert!(in_first("02071210"));
        // Foies gras.
        assert!(!in_first("02074300"));
    }

    #[test]
    fn an_annex_has_its_reduction() {
        let reductions: Vec<String> = classes("VII")
            .iter()
            .map(|class| class.p_red_ibs.normalize().to_string())
            .collect();
        assert_eq!(reductions, ["60"]);
        assert!(classes("XVII").is_empty());
    }
}
