//! Fields of a content by name, for what is driven by a table.

use crate::Decimal;

/// The value of a field.
pub enum Field<'a> {
    /// Not there, or of a kind no table reads.
    Absent,
    Text(&'a str),
    /// A word of an enumeration.
    Word(&'static str),
    Decimal(Decimal),
    Whole(u64),
    Flag(bool),
    Texts(&'a [String]),
    Object(&'a dyn Fields),
    List(Vec<&'a dyn Fields>),
}

/// A content, or an object inside it. The types made of the schemas have it.
pub trait Fields {
    /// The field with this name; [`Field::Absent`] when there is none.
    fn field(&self, name: &str) -> Field<'_>;
}

/// The field at a path with dots between its names.
pub fn find<'a>(content: &'a dyn Fields, path: &str) -> Field<'a> {
    match path.split_once('.') {
        None => content.field(path),
        Some((first, rest)) => match content.field(first) {
            Field::Object(object) => find(object, rest),
            _ => Field::Absent,
        },
    }
}

/// What stands at a path of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    Text,
    Decimal,
    Whole,
    Flag,
    /// A word of an enumeration.
    Word,
    Object,
    List,
}

// `DPS_PATHS`, made of `wit/schemas` by `build/paths.rs`.
include!(concat!(env!("OUT_DIR"), "/paths.rs"));

/// What stands at a path of `nfse.dps/1`; None: no content has it.
pub fn dps_path(path: &str) -> Option<PathKind> {
    let at = DPS_PATHS.binary_search_by(|(known, _)| (*known).cmp(path));
    at.ok()
        .and_then(|at| DPS_PATHS.get(at))
        .map(|(_, kind)| *kind)
}
