//! TIPI: the rates of IPI by NCM and exception (`Ex`), Decreto 11.158/2022. None is
//! built in: the table has rows once one was installed.

use rust_decimal::Decimal;

use crate::table::Table;

/// Names of the columns.
pub(crate) const COLUMNS: &str = "ncm\tex\taliquota\tdescricao";

/// What stands in the place of a rate where nothing is taxed.
const NOT_TAXED: &str = "NT";

pub(crate) static TABLE: Table<Rate> = Table::keyed(
    "",
    |c| {
        Some(Rate {
            ncm: c.text()?,
            ex: c.text()?,
            percent: match c.text()? {
                NOT_TAXED => None,
                rate => Some(rate.parse().ok()?),
            },
            description: c.text()?,
        })
    },
    2,
);

/// A row of the TIPI.
#[derive(Debug, PartialEq, Eq)]
pub struct Rate {
    /// Eight digits.
    pub ncm: &'static str,
    /// Two digits of an exception; empty: the row of the code itself.
    pub ex: &'static str,
    /// Percent; none: not taxed (`NT`).
    pub percent: Option<Decimal>,
    pub description: &'static str,
}

/// The row of a code of eight digits, or of its exception of two digits.
pub fn get(ncm: &str, ex: &str) -> Option<&'static Rate> {
    TABLE.find(|row| (row.ncm, row.ex).cmp(&(ncm, ex)))
}

/// Exceptions of a code, in order.
pub fn exceptions(ncm: &str) -> impl Iterator<Item = &'static Rate> {
    let rows = TABLE.range(|row| row.ncm.cmp(ncm));
    rows.iter().filter(|row| !row.ex.is_empty())
}
