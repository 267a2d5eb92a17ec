//! Rules that are told before a number is taken, beside the layout's own (MOC
//! MDF-e 3.00b, rules of reception, second-hand; numbers of rejections are
//! named where two public sources have the same).

pub(super) mod borders;
mod documents;
mod insurance;
mod road;
mod trip;

use super::work::Work;

/// Tells everything at once, with paths in the request.
pub(super) fn check(work: &mut Work<'_>) {
    trip::check(work);
    road::check(work);
    documents::check(work);
    insurance::check(work);
}
