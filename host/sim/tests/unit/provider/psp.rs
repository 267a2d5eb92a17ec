//! Boletos and PIX codes of the payment service provider.

use sim::psp::boleto::{factor, lines};
use sim::psp::brcode::{crc16, dynamic};
use time::{Date, Month};

fn day(year: i32, month: Month, day: u8) -> Date {
    Date::from_calendar_date(year, month, day).expect("a day")
}

#[test]
fn the_factor_begins_again_in_2025() {
    assert_eq!(factor(day(2000, Month::July, 3)), "1000");
    assert_eq!(factor(day(2010, Month::November, 17)), "4789");
    assert_eq!(factor(day(2025, Month::February, 21)), "9999");
    assert_eq!(factor(day(2025, Month::February, 22)), "1000");
}

#[test]
fn the_line_is_the_bar_code_with_digits() {
    let (bars, line) = lines(day(2026, Month::October, 8), 30_000, 1_523);
    assert_eq!((bars.len(), line.len()), (44, 47));
    assert_eq!(&bars[9..19], "0000030000");
    assert_eq!(&line[33..], &bars[5..19], "factor and amount");
    assert_eq!(line[32..33], bars[4..5], "the digit of the whole");
    // Luhn: with the right digit each part adds up to a multiple of ten.
    for part in [&line[..10], &line[10..21], &line[21..32]] {
        let sum: u32 = part
            .bytes()
            .rev()
            .zip([1, 2].into_iter().cycle())
            .map(|(byte, weight)| u32::from(byte - b'0') * weight)
            .map(|product| product / 10 + product % 10)
            .sum();
        assert_eq!(sum % 10, 0, "{part}");
    }
}

#[test]
fn the_checksum_is_the_one_of_the_manual() {
    // Example of a static code in the manual of the Banco Central.
    let code = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304";
    assert_eq!(crc16(code.as_bytes()), 0x1d3d);
    // The check value of the algorithm.
    assert_eq!(crc16(b"123456789"), 0x29b1);
}

#[test]
fn fields_say_their_length() {
    let code = dynamic("psp.test/qr/v2/abc", 30_005, "HUB", "SAO PAULO");
    assert!(
        code.starts_with("00020101021226400014br.gov.bcb.pix2518psp.test/qr/v2/abc5204"),
        "{code}"
    );
    assert!(
        code.contains("5406300.055802BR5903HUB6009SAO PAULO62070503***6304"),
        "{code}"
    );
}
