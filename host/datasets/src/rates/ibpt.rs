//! Rates of the imported table of the IBPT.

pub use crate::formats::ibpt::{CodeKind, Rates};

use crate::formats::ibpt::key;
use store::tables::editions::{self, DatasetKind, EditionRow};
use store::{Conn, DbResult, stored};

/// The row for goods that the table does not list.
const UNLISTED: &str = "00000000";

/// Rates of a code in a state.
#[derive(Clone, Debug)]
pub struct Found {
    pub edition: EditionRow,
    pub rates: Rates,
    pub kind: CodeKind,
    /// The exception of the TIPI whose row this is; empty: the row of the code.
    pub ex: String,
    /// The table does not list the code: the row for all others.
    pub unlisted: bool,
}

/// What was found for a code.
#[derive(Clone, Debug)]
pub enum Answer {
    Found(Box<Found>),
    /// The table of the state has no such code.
    NoCode,
    /// No table of this state is loaded.
    NoTable,
}

/// Looks up a code: the row of its exception, the row of the code, and for goods
/// (NCM) the row of all others.
///
/// # Errors
/// The database fails, or a stored row cannot be read.
pub async fn get(conn: &mut Conn, state: &str, code: &str, ex: &str) -> DbResult<Answer> {
    let Some(edition) = editions::active(conn, DatasetKind::Ibpt, state).await? else {
        return Ok(Answer::NoTable);
    };
    let Some(kind) = CodeKind::of_code(code) else {
        return Ok(Answer::NoCode);
    };
    let mut asked = vec![(code, ex, false), (code, "", false)];
    if ex.is_empty() {
        asked.truncate(1);
    }
    if kind == CodeKind::Ncm {
        asked.push((UNLISTED, "", true));
    }
    for (code, ex, unlisted) in asked {
        let key = key(kind, code, ex);
        let content = editions::get_row(conn, edition.id, &key).await?;
        let Some(content) = content else { continue };
        return Ok(Answer::Found(Box::new(Found {
            rates: stored(&content, "row of an edition", &key)?,
            edition,
            kind,
            ex: ex.to_owned(),
            unlisted,
        })));
    }
    Ok(Answer::NoCode)
}
