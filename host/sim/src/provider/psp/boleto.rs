//! Bar code and typable line of a boleto (FEBRABAN, "Layout Padrão de
//! Arrecadação/Cobrança": 44 positions, 47 digits).

use time::{Date, Month};

/// A bank no one has, and the currency real.
const BANK: &str = "999";
const REAL: &str = "9";

/// Bar code and typable line. `cents` is from 0 to 9999999999, `free` the bank's
/// own number, of which 25 digits are kept.
///
/// # Panics
/// In a debug build, when `cents` is negative.
pub fn lines(due: Date, cents: i64, free: u64) -> (String, String) {
    let factor = factor(due);
    let amount = format!("{cents:010}");
    let free = format!("{free:025}");
    let digit = modulo_11(&format!("{BANK}{REAL}{factor}{amount}{free}"));
    let bars = format!("{BANK}{REAL}{digit}{factor}{amount}{free}");
    let parts = [
        format!("{BANK}{REAL}{}", &free[..5]),
        free[5..15].to_owned(),
        free[15..].to_owned(),
    ];
    let checked = parts.map(|part| format!("{part}{}", modulo_10(&part)));
    let line = format!("{}{digit}{factor}{amount}", checked.concat());
    (bars, line)
}

/// Days since 1997-10-07, in four digits: after 9999 (2025-02-21) the count
/// went on with 1000.
pub fn factor(due: Date) -> String {
    let begin = Date::from_calendar_date(1997, Month::October, 7).unwrap_or(Date::MIN);
    let days = (due - begin).whole_days();
    format!("{:04}", (days - 1_000).rem_euclid(9_000) + 1_000)
}

/// Check digit of a part of the line: weights 2 and 1 from the right, digits
/// of each product added.
fn modulo_10(digits: &str) -> u32 {
    let weighted = digits.bytes().rev().zip([2, 1].into_iter().cycle());
    let sum: u32 = weighted
        .map(|(byte, weight)| u32::from(byte - b'0') * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    (10 - sum % 10) % 10
}

/// Check digit of the bar code: weights 2 to 9 from the right; 0, 10 and 11
/// become 1.
fn modulo_11(digits: &str) -> u32 {
    let weighted = digits.bytes().rev().zip((2..=9).cycle());
    let sum: u32 = weighted
        .map(|(byte, weight)| u32::from(byte - b'0') * weight)
        .sum();
    match 11 - sum % 11 {
        0 | 10 | 11 => 1,
        digit => digit,
    }
}
