//! What the printed forms of CT-e and MDF-e share: the head of their pages,
//! blocks over pages, and the table of documents.

mod head;
mod pages;
mod table;

pub(crate) use head::{Face, MARGIN, Numbers, WIDTH};
pub(crate) use pages::{FIELD, Pages};
pub(crate) use table::{Entry, MAX_DOCUMENTS, by_key, table};

/// `tpNav`, of the water modal of both documents.
pub(crate) fn navigation(code: &str) -> &'static str {
    match code {
        "0" => "INTERIOR",
        "1" => "CABOTAGEM",
        _ => "",
    }
}
