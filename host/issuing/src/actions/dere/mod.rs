//! Events of the DeRE and batches of them: kept and judged here. There is no
//! transmission: an accepted batch is one that the layout accepts.

mod batch;
mod event;
mod request;
mod verdict;

pub use batch::{BatchOrder, assemble, judge};
pub use event::{EventOrder, create};
pub use request::subject;

use base::errors::{Code, Failure, Refusal};
use store::ids::EmitterId;
use store::tables::dere::DereEventRow;
use store::words::Ambiente;

/// A row, and whether an earlier call with the same key had made it.
#[derive(Clone, Debug)]
pub struct Made<T> {
    pub row: T,
    pub replayed: bool,
}

/// Errors of one event that are kept and shown.
pub const MAX_ERRORS: usize = 100;

/// What the first event of a batch says of all of them.
fn company(event: &DereEventRow) -> (&str, Ambiente, &EmitterId) {
    (&event.inscricao, event.ambiente, &event.emitter_id)
}

fn wrong(field: &str, message: &str, correction: &str) -> Failure {
    Refusal::field(Code::ParametroInvalido, field, message, correction).into()
}
