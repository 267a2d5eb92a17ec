//! Dates as the authorities write them.

use sim::clock::{aamm, date_time, date_time_in, parse_date, parse_date_time};

#[test]
fn writes_brasilia_time() {
    let ms = parse_date_time("2026-11-20T02:00:00Z").expect("date");
    assert_eq!(date_time(ms), "2026-11-19T23:00:00-03:00");
    assert_eq!(date_time_in(ms, "AC"), "2026-11-19T21:00:00-05:00");
    assert_eq!(aamm(ms), "2611");
    assert_eq!(parse_date("2026-02-30"), None);
}
