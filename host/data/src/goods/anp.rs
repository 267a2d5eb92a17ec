//! Fuels: product codes of the ANP (`cProdANP`).

use crate::search::{Found, Search, SearchText};
use crate::table::Table;

pub(crate) static TABLE: Table<Product> = Table::new(include_str!("../../tables/anp.tsv"), |c| {
    Some(Product {
        codigo: c.number()?,
        description: c.text()?,
    })
});

static SEARCH: Search<Product> = Search::new(all, |row| SearchText {
    codigo: format!("{:09}", row.codigo),
    text: row.description.to_owned(),
    heading: false,
});

/// A product of the ANP. The table is a public subset of 2023: a code that is
/// not here may exist.
#[derive(Debug, PartialEq, Eq)]
pub struct Product {
    /// Nine digits.
    pub codigo: u32,
    /// What `descANP` must repeat (rejection 347).
    pub description: &'static str,
}

/// The row of a code of nine digits.
pub fn get(codigo: &str) -> Option<&'static Product> {
    let codigo: u32 = codigo.parse().ok()?;
    TABLE.find(|line| line.codigo.cmp(&codigo))
}

/// Products whose code or description has the words of the query.
pub fn search(query: &str, limit: usize) -> Found<'static, Product> {
    SEARCH.find(query, limit)
}

/// All products, by code.
pub fn all() -> &'static [Product] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 114);
        assert_eq!(
            get("210101001").map(|row| row.description),
            Some("GAS COMBUSTIVEL")
        );
        assert_eq!(get("x"), None);
    }
}
