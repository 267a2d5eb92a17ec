use prints::danfe::values::{date_and_time, group, nota_number, number, positive, serie};

#[test]
fn numbers_keep_every_digit_that_counts() {
    for (text, places, expected) in [
        ("0", 2, "0,00"),
        ("1.0000", 2, "1,00"),
        ("1234.5", 2, "1.234,50"),
        ("0.1234567890", 2, "0,123456789"),
        ("000123.10", 2, "123,10"),
        ("9999999999999.99", 2, "9.999.999.999.999,99"),
        ("-5.5", 2, "-5,50"),
        ("2", 0, "2"),
        ("2.000", 0, "2"),
        ("2.5", 0, "2,5"),
        ("1e5", 2, "1e5"),
        ("", 2, ""),
        ("12,5", 2, "12,5"),
        (".5", 2, ".5"),
    ] {
        assert_eq!(number(text, places), expected, "{text}");
    }
}

#[test]
fn notes_and_dates_are_shown_as_people_write_them() {
    assert_eq!(nota_number("1523"), "000.001.523");
    assert_eq!(nota_number("999999999"), "999.999.999");
    assert_eq!(nota_number("12x"), "12x");
    assert_eq!(serie("1"), "001");
    assert_eq!(
        date_and_time("2026-10-05T10:15:03-03:00"),
        ("05/10/2026".to_owned(), "10:15:03".to_owned())
    );
    assert_eq!(
        date_and_time("2026-10-05"),
        ("05/10/2026".to_owned(), String::new())
    );
    assert_eq!(group("12345678", 4, " "), "1234 5678");
    assert!(positive("0.01") && !positive("0.00") && !positive(""));
}
