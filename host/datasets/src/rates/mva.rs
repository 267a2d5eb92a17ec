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
        let mut rows: Vec<Margin> = Vec::new();
        for row in editions::get_some(conn, edition.id, &codes(goods, cest)).await? {
            rows.extend(stored::<Vec<Margin>>(
                &row.content,
                "row of an edition",
                &row.code,
            )?);
        }
        let rows = rows.into_iter().filter(|row| fits(row, goods));
        if let Some(best) =
            rows.max_by_key(|row| (row.ncm.len(), row.origin != ANY, row.from.clone()))
        {
            return Ok(Some(best));
        }
    }
    Ok(None)
}

/// The keys under which rules for goods may stand: each beginning of their NCM, none,
/// and the key of editions that were imported before NCM were part of it.
fn codes(goods: &Goods<'_>, cest: &str) -> [String; 9] {
    let before = format!("{}/{cest}", goods.to);
    [
        None,
        Some(0),
        Some(2),
        Some(3),
        Some(4),
        Some(5),
        Some(6),
        Some(7),
        Some(8),
    ]
    .map(|digits| match digits {
        Some(digits) => key(goods.to, cest, goods.ncm.get(..digits).unwrap_or(goods.ncm)),
        None => before.clone(),
    })
}

fn fits(row: &Margin, goods: &Goods<'_>) -> bool {
    (row.origin == goods.from || row.origin == ANY)
        && goods.ncm.starts_with(&row.ncm)
        && row.from.as_str() <= goods.day
        && (row.until.is_empty() || goods.day <= row.until.as_str())
}
