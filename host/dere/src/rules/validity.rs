//! From when to when a table is valid.
//!
//! Source: `idePeriodo` of `evtInfoContrib` v1_0_1 and `evtPGCC` v1_0_3.

use super::rule;
use super::values::ends_after;
use crate::group::Group;
use markup::field::Fields;

/// `tpOper` that changes an event.
const CHANGE: &str = "2";

pub fn check(event: &Group<'_>, faults: &mut Fields) {
    let Some(period) = event.child("idePeriodo") else {
        return;
    };
    ends_after(&period, "iniValid", "fimValid", faults);
    let Some(new) = period.child("novaValidade") else {
        return;
    };
    ends_after(&new, "iniValid", "fimValid", faults);
    let operation = event.child("ideEvento").map(|head| head.value("tpOper"));
    if operation.as_deref() != Some(CHANGE) {
        faults.add(
            period.at("novaValidade"),
            rule::FORBIDDEN,
            "novaValidade só vai na alteração (tpOper 2) que muda a vigência.",
            "Retire novaValidade.",
        );
    }
}
