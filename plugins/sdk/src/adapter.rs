//! An adapter as plain functions: what the component exports call, and what
//! native tests call without any sandbox.

use crate::Description;
use crate::bindings::control::{Context, Event, Operacao, State, Step};

/// The three exports of a component. `sdk::export_nfse!` and its siblings
/// define `adapter()`, which returns one.
#[derive(Clone, Copy)]
pub struct Adapter {
    pub describe: fn() -> Description,
    pub start: fn(Operacao, Context) -> Step,
    pub resume: fn(State, Event, Context) -> Step,
}
