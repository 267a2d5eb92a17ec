//! The calendar of the rules.

use fiscal::nfe::reading::{CALENDAR, Regras};
use time::macros::date;

#[test]
fn the_calendar_is_in_order_and_names_its_days() {
    for pair in CALENDAR.windows(2) {
        assert!(pair[0].0 < pair[1].0 && pair[0].2 < pair[1].2 && pair[0].3 < pair[1].3);
    }
    for (regras, name, production, test) in CALENDAR {
        assert_eq!(name, format!("nfe-{production}"));
        assert!(test <= production);
        assert_eq!(regras.name(), name);
        assert_eq!(Regras::at(production, false), regras);
    }
    assert_eq!(Regras::at(date!(2010 - 01 - 01), false), Regras::Layout400);
    let at_changeover = |homologacao| Regras::at(date!(2021 - 06 - 01), homologacao);
    assert_eq!(at_changeover(false), Regras::NumericCode);
    assert_eq!(at_changeover(true), Regras::Payment);
}
