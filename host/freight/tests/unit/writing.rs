//! Numbers as elements have them.

use freight::writing::fixed;

#[test]
fn numbers_get_the_decimals_of_their_line() {
    for (number, least, most, expected) in [
        ("10", 2, 2, "10.00"),
        ("10.5", 2, 2, "10.50"),
        ("10.500", 2, 2, "10.50"),
        ("1250.5", 4, 4, "1250.5000"),
        ("0.125", 6, 6, "0.125000"),
        ("7.125", 2, 3, "7.125"),
        // More decimals than the line has stay, for the layout to tell of.
        ("1.239", 2, 2, "1.239"),
    ] {
        let number = number.parse().expect("a number");
        assert_eq!(fixed(number, least, most), expected);
    }
}
