//! Rules that are told before a number is taken, beside the layout's own
//! (MOC CT-e 4.00, rules of reception; numbers of rejections are not named
//! where they were not at hand).

mod documents;
mod parties;
mod service;

use super::work::Work;

/// Tells everything at once, with paths in the request.
pub(super) fn check(work: &mut Work<'_>) {
    service::check(work);
    parties::check(work);
    documents::check(work);
}
