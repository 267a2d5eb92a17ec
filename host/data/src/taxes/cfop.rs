//! CFOP: what kind of operation an item is.

use crate::search::{Found, Search, SearchText};
use crate::table::Table;

pub(crate) static TABLE: Table<Cfop> = Table::new(include_str!("../../tables/cfop.tsv"), |c| {
    Some(Cfop {
        codigo: c.number()?,
        marcas: c.text()?,
        title: c.text()?,
    })
});

static SEARCH: Search<Cfop> = Search::new(all, |row| SearchText {
    codigo: row.codigo.to_string(),
    text: row.title.to_owned(),
    heading: false,
});

/// A code of four digits: the first says direction and scope.
#[derive(Debug, PartialEq, Eq)]
pub struct Cfop {
    pub codigo: u16,
    pub title: &'static str,
    marcas: &'static str,
}

/// Where the other party is (first digit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// 1 and 5: `idDest` 1.
    Internal,
    /// 2 and 6: `idDest` 2.
    Interstate,
    /// 3 and 7: `idDest` 3.
    Exterior,
}

impl Cfop {
    /// Goods come in (1, 2, 3): `tpNF` 0.
    pub fn is_entrada(&self) -> bool {
        self.codigo < 4000
    }

    pub fn reach(&self) -> Reach {
        match self.codigo / 1000 {
            1 | 5 => Reach::Internal,
            2 | 6 => Reach::Interstate,
            _ => Reach::Exterior,
        }
    }

    /// Goods given back ("Devolução de …"): `finNFe` 4.
    pub fn is_return(&self) -> bool {
        self.has('D')
    }

    /// Fuels and lubricants: the item needs the group `comb` (rejection 660).
    pub fn is_fuel(&self) -> bool {
        self.has('C')
    }

    /// Goods that stay the company's own, and credits of ICMS ("Transferência
    /// de …").
    pub fn is_transfer(&self) -> bool {
        self.has('T')
    }

    /// Goods sent without being sold, or given back after that ("Remessa de …",
    /// "Retorno de …").
    pub fn is_remittance(&self) -> bool {
        self.has('M') || self.has('R')
    }

    /// A service or a purchase that is undone ("Anulação de …").
    pub fn is_annulment(&self) -> bool {
        self.has('A')
    }

    /// Goods that leave the country, or go to who exports them.
    pub fn is_export(&self) -> bool {
        self.has('X')
    }

    /// Services: transport, communication, ISSQN.
    pub fn is_service(&self) -> bool {
        self.has('V')
    }

    /// The marks were read from the official titles, not from a table of the
    /// authorities.
    fn has(&self, mark: char) -> bool {
        self.marcas.contains(mark)
    }
}

/// The row of a code.
pub fn get(codigo: u16) -> Option<&'static Cfop> {
    TABLE.find(|line| line.codigo.cmp(&codigo))
}

/// The row of a code written as four digits.
pub fn by_text(codigo: &str) -> Option<&'static Cfop> {
    let digits = codigo.len() == 4 && codigo.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| get(codigo.parse().ok()?)).flatten()
}

/// Rows whose code or title has the words of the query.
pub fn search(query: &str, limit: usize) -> Found<'static, Cfop> {
    SEARCH.find(query, limit)
}

/// All rows, by code.
pub fn all() -> &'static [Cfop] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 619);
        for cfop in all() {
            assert!(matches!(cfop.codigo / 1000, 1..=3 | 5..=7), "{cfop:?}");
        }
    }

    #[test]
    fn a_code_tells_what_it_is() {
        let sale = get(5102).expect("5102");
        assert!(!sale.is_entrada() && sale.reach() == Reach::Internal);
        assert!(!sale.is_return() && !sale.is_service());
        assert!(by_text("5202").is_some_and(Cfop::is_return));
        assert!(by_text("1202").is_some_and(|cfop| cfop.is_entrada() && cfop.is_return()));
        assert!(by_text("5656").is_some_and(Cfop::is_fuel));
        assert!(by_text("5933").is_some_and(Cfop::is_service));
        assert!(by_text("5152").is_some_and(Cfop::is_transfer));
        assert!(by_text("5910").is_some_and(Cfop::is_remittance));
        assert!(by_text("6902").is_some_and(Cfop::is_remittance));
        assert!(by_text("5206").is_some_and(Cfop::is_annulment));
        assert!(by_text("6501").is_some_and(Cfop::is_export));
        assert_eq!(by_text("+102"), None);
        assert_eq!(get(9999), None);
    }
}
