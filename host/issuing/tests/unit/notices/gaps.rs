use issuing::notices::gaps::tenth_of_next_month;
use time::macros::date;

#[test]
fn the_last_day_is_in_the_month_after() {
    assert_eq!(
        tenth_of_next_month(date!(2026 - 11 - 30)),
        date!(2026 - 12 - 10)
    );
    assert_eq!(
        tenth_of_next_month(date!(2026 - 12 - 01)),
        date!(2027 - 01 - 10)
    );
}
