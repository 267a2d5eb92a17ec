//! Pre-flight: what the authority would refuse, told before a number, a
//! credit or a request is spent, all of it at once, by paths of the request.
//!
//! Each message names the rejection it saves from. The numbers and texts are
//! those of the MOC 7.0 and later NTs as the list of answers in `data` has
//! them (second-hand); rules that differ by state are warnings.

mod billing;
mod codes;
mod general;
mod items;
mod layout;
mod nfce;
mod payment;
mod totals;
mod transport;

use crate::context::Context;
use markup::field::Field;
use markup::tree::Node;
use std::collections::HashSet;
use time::OffsetDateTime;

pub use layout::in_request;
pub(crate) use layout::layout;

/// Highest number of problems in an answer: a note of 990 wrong items is told
/// by its first ones.
const MAX_PROBLEMS: usize = 200;

/// Runs every rule over request and tree.
pub(crate) fn check(ctx: &mut Context<'_>, root: &Node, now: OffsetDateTime) {
    general::dates(ctx, root, now);
    general::emitter(ctx);
    general::receiver(ctx);
    general::operation(ctx);
    codes::codes(ctx);
    items::items(ctx, root);
    totals::totals(ctx, root);
    transport::transport(ctx);
    billing::due_dates(ctx);
    payment::cards(ctx);
    if ctx.nfce() {
        nfce::nfce(ctx, root);
    }
}

/// The list as the customer gets it: each problem once, the emitter's profile
/// first (nothing else helps without it), then what is missing, then the rest
/// in the order of the body.
pub(crate) fn in_order(mut fields: Vec<Field>) -> Vec<Field> {
    let mut seen = HashSet::new();
    fields.retain(|field| seen.insert((field.campo.clone(), field.codigo.clone())));
    fields.sort_by_key(|field| match field.codigo.as_str() {
        "perfil_fiscal_incompleto" => 0,
        "obrigatorio" => 1,
        _ => 2,
    });
    fields.truncate(MAX_PROBLEMS);
    fields
}
