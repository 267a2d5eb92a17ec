//! Margins of substitution of the imported table.

pub use crate::formats::mva::Margin;

use crate::formats::mva::{ANY, key};
use store::tables::editions::{self, DatasetKind};
use store::{Conn, DbResult, stored};

/// Goods that go from a state to another, or stay.
#[derive(Clone, Copy, Debug)]
pub struct Goods<'a> {
    pub from: &'a str,
    pub to: &'a str,
    /// Eight digits.
    pub ncm: &'a str,
    /// Seven digits, or empty.
    pub cest: &'a str,
    /// `AAAA-MM-DD`.
    pub day: &'a str,
}

/// The rule for goods: of those in force for the CEST (else without one) the one
/// with the longest beginning of the NCM, and of these the one for the state of
/// origin. None where the table has no rule.
///
/// # Errors
/// The database fails, or a stored row cannot be read.
pub async fn get(conn: &mut Conn, goods: &Goods<'_>) -> DbResult<Option<Margin>> {
    let Some(edition) = editions::active(conn, DatasetKind::Mva, "").await? else {
        return Ok(None);
    };
    let mut asked = vec![goods.cest, ""];
    asked.dedup();
    for cest in asked {
        let key = key(goods.to, cest);
        let Some(content) = editions::get_row(conn, edition.id, &key).await? else {
            continue;
        };
        let rows: Vec<Margin> = stored(&content, "row of an edition", &key)?;
        let rows = rows.into_iter().filter(|row| fits(row, goods));
        if let Some(best) =
            rows.max_by_key(|row| (row.ncm.len(), row.origin != ANY, row.from.clone()))
        {
            return Ok(Some(best));
        }
    }
    Ok(None)
}

fn fits(row: &Margin, goods: &Goods<'_>) -> bool {
    (row.origin == goods.from || row.origin == ANY)
        && goods.ncm.starts_with(&row.ncm)
        && row.from.as_str() <= goods.day
        && (row.until.is_empty() || goods.day <= row.until.as_str())
}
