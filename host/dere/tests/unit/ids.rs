//! Ids of events, and periods.

use super::sample::{BASE, id_of, kind};
use dere::id::{counter, prefix, with_counter};
use dere::period::Period;
use time::macros::datetime;

#[test]
fn an_id_says_event_company_and_moment() {
    let id = id_of(kind("D-1001"));
    assert_eq!(id, "DeRE10011000000112223332026110314050900001");
    assert_eq!(id.len(), 42);
    assert_eq!(counter(&id), Some(1));
    // A CNPJ with letters (2026-07) and another day.
    let moment = datetime!(2027-01-02 00:00:00 -3);
    let prefix = prefix(kind("D-1199"), "12ABC345", moment);
    assert_eq!(
        with_counter(&prefix, 99_999),
        "DeRE1199100000012ABC3452027010200000099999"
    );
    assert_ne!(prefix, super::sample::id_of(kind("D-1199")));
    assert_eq!(counter("DeRE"), None);
    assert_eq!(BASE.len(), 8);
}

#[test]
fn a_period_is_a_month() {
    let period = Period::parse("2026-10").expect("a month");
    assert_eq!(period.as_str(), "2026-10");
    assert_eq!(period.first_day(), "2026-10-01");
    for text in [
        "2026-13",
        "2026-00",
        "2026-1",
        "1999-10",
        "2026-10-01",
        "2026/10",
        "202610",
        "2026-+1",
        "",
    ] {
        assert_eq!(Period::parse(text), None, "{text}");
    }
}
