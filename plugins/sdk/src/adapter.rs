//! An adapter as plain functions: what the component exports call, and what
//! native tests call without any sandbox.

use crate::bindings::control::{Context, Event, Operacao, State, Step};
use crate::{Description, Permissions};

/// The four exports of a component. `sdk::export_nfse!` and its siblings
/// define `adapter()`, which returns one.
#[derive(Clone, Copy)]
pub struct Adapter {
    pub describe: fn() -> Description,
    pub permissions: fn() -> Permissions,
    pub start: fn(Operacao, Context) -> Step,
    pub resume: fn(State, Event, Context) -> Step,
}
