//! The table of fields of an NF-e or NFC-e: for each element of the layout the
//! API's name, in official order (§5.1 of the API).
//!
//! Three things are done by it:
//! - reading: [`crate::nfe::reading`] makes the API's members of a document;
//! - the places of errors: [`place_in_request`] tells which member of a request
//!   became an element;
//! - writing of plain fields: `compose::assembly` writes a field that has
//!   [`Plain`] from the request's member of the same name
//!   ([`crate::nfe::order::Members`]); everything else it calculates, completes
//!   or checks by code.
//!
//! Layout 4.00 of all packages from PL_009 to PL_010f; of 3.10 what has the
//! same names.

mod icms;
mod item;
mod nota;
mod parties;
mod reform;
mod taxes;
mod total;

pub use crate::fields::{Field, Form, Kind, Plain};
pub use nota::INF_NFE;
pub(crate) use nota::{INF_NFE_SUPL, PROTOCOL};
pub use reform::G_IBS_CBS;

use crate::fields::place_by;

/// The word of an enumeration of the request, for its exact code.
macro_rules! word_of {
    ($enumeration:ident) => {
        |code| {
            $crate::nfe::order::$enumeration::parse(code)
                .filter(|value| value.codigo() == code)
                .map(|value| std::borrow::Cow::Borrowed(value.word()))
        }
    };
}
use word_of;

/// Members of [`INF_NFE`] that tell of the note what a request does not take,
/// beside those of the request: identification, emitter, totals.
pub fn of_the_note_alone() -> Vec<&'static str> {
    fn visit(fields: &'static [Field], found: &mut Vec<&'static str>) {
        for field in fields {
            let name = field.name.split('.').next().unwrap_or_default();
            match field.kind {
                Kind::Dissolve(inside) if !field.note_only => visit(inside, found),
                _ if field.note_only && !found.contains(&name) => found.push(name),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    visit(INF_NFE, &mut found);
    visit(INF_NFE_SUPL, &mut found);
    found
}

/// The place in the request of an official path such as
/// `infNFe/det[2]/prod/NCM`: that of its longest beginning that the request has
/// a member for. None where it has none for any. `recipient` is the request's
/// name for `dest`.
pub fn place_in_request(official: &str, recipient: &str) -> Option<String> {
    let inside = official.strip_prefix("infNFe/").unwrap_or(official);
    place_by(INF_NFE, inside, recipient)
}
