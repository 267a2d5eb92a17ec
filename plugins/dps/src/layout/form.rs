//! What a text of the layout may be (tiposSimples_v1.01 of 2026-07-27).

use crate::ids::{date_time, digits, is_valid_chave, is_valid_serie};
use sdk::nfse::table::Form;

/// Whether a text has this form.
pub fn accepts(form: Form, text: &str) -> bool {
    let length = text.chars().count();
    match form {
        Form::Any => true,
        Form::Text(least, most) => (least..=most).contains(&length) && !text.trim().is_empty(),
        Form::Digits(least, most) => digits(text) && (least..=most).contains(&length),
        Form::Alphanumeric(most) => {
            (1..=most).contains(&length) && text.bytes().all(|b| b.is_ascii_alphanumeric())
        }
        Form::Uppercase(exactly) => {
            length == exactly && text.bytes().all(|b| b.is_ascii_uppercase())
        }
        Form::OneOf(choices) => choices.iter().any(|(code, _)| *code == text),
        Form::Decimal(whole) => decimal(text, whole),
        Form::Date => date(text),
        Form::DateTime => {
            date_time(text).as_deref() == Some(text) && text.get(..10).is_some_and(date)
        }
        Form::Cnpj => {
            length == 14
                && text
                    .bytes()
                    .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        }
        Form::Key(positions) => key(text, positions),
        Form::Series => is_valid_serie(text),
        // `[1-9][0-9]*`, up to 15.
        Form::Number => digits(text) && length <= 15 && !text.starts_with('0'),
    }
}

/// The form in words, for a customer.
pub fn description(form: Form) -> String {
    match form {
        Form::Any => "texto".into(),
        Form::Text(least, most) => format!("texto de {least} a {most} caracteres"),
        Form::Digits(least, most) if least == most => format!("{least} dígitos"),
        Form::Digits(least, most) => format!("de {least} a {most} dígitos"),
        Form::Alphanumeric(most) => format!("até {most} letras ou dígitos"),
        Form::Uppercase(exactly) => format!("{exactly} letras maiúsculas"),
        Form::OneOf(choices) => {
            let codes: Vec<&str> = choices.iter().map(|(code, _)| *code).collect();
            format!("um de: {}", codes.join(", "))
        }
        Form::Decimal(whole) => format!("número com até {whole} dígitos inteiros e 2 decimais"),
        Form::Date => "data AAAA-MM-DD".into(),
        Form::DateTime => "data e hora AAAA-MM-DDThh:mm:ss-03:00".into(),
        Form::Cnpj => "CNPJ de 14 posições, sem pontuação".into(),
        Form::Key(positions) => format!("chave de acesso de {positions} posições"),
        Form::Series => "série de até 5 dígitos".into(),
        Form::Number => "número de 1 a 15 dígitos, sem zeros à esquerda".into(),
    }
}

/// `0|0\.[0-9]{2}|[1-9][0-9]*(\.[0-9]{2})?`
fn decimal(text: &str, whole: usize) -> bool {
    let (integer, decimals) = match text.split_once('.') {
        Some((integer, decimals)) => (integer, Some(decimals)),
        None => (text, None),
    };
    let integer_ok =
        digits(integer) && integer.len() <= whole && (integer == "0" || !integer.starts_with('0'));
    integer_ok && decimals.is_none_or(|decimals| digits(decimals) && decimals.len() == 2)
}

/// TSChaveNFSe and TSChaveNFe: letters only where the CNPJ is.
fn key(text: &str, positions: usize) -> bool {
    if positions == 50 {
        return is_valid_chave(text);
    }
    text.len() == positions
        && text
            .bytes()
            .enumerate()
            .all(|(at, b)| b.is_ascii_digit() || (b.is_ascii_uppercase() && (6..20).contains(&at)))
}

/// A day of the calendar from 2000 to 2099 (TSData).
fn date(text: &str) -> bool {
    let part = |from: usize, to: usize| {
        text.get(from..to)
            .filter(|part| digits(part))
            .and_then(|part| part.parse::<u32>().ok())
    };
    let (Some(year), Some(month), Some(day)) = (part(0, 4), part(5, 7), part(8, 10)) else {
        return false;
    };
    let separated = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let leap = year % 4 == 0; // true for every year of the range
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    separated && (2000..2100).contains(&year) && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (form, yes, no) in [
            (Form::Text(1, 3), &["a", "ção"][..], &["", "  ", "abcd"][..]),
            (
                Form::Digits(2, 3),
                &["00", "123"],
                &["1", "1234", "1a", "٣٣"],
            ),
            (Form::Alphanumeric(3), &["aZ9"], &["", "a-", "abcd"]),
            (Form::Uppercase(2), &["US"], &["us", "USA", "ÇÇ"]),
            (Form::OneOf(&[("1", ""), ("9", "nine")]), &["1"], &["2", ""]),
            (
                Form::Decimal(2),
                &["0", "0.00", "99.99", "10"],
                &["00.10", "1.1", "100", "-1.00", "1,00", ""],
            ),
            (
                Form::Date,
                &["2028-02-29", "2026-12-31"],
                &[
                    "2026-02-29",
                    "2026-13-01",
                    "1999-01-01",
                    "26-01-01",
                    "2026/01/01",
                ],
            ),
            (
                Form::DateTime,
                &["2026-10-05T10:15:00-03:00"],
                &["2026-10-05T10:15:00Z", "2026-02-30T10:15:00-03:00"],
            ),
            (Form::Cnpj, &["12ABC34501DE35"], &["12abc34501de35", "123"]),
            (
                Form::Key(50),
                &["41069022200000000000191000000000004226105000000010"],
                &["4106"],
            ),
            (Form::Series, &["1", "89999"], &["90000", "A", ""]),
            (
                Form::Number,
                &["1", "999999999999999"],
                &["0", "01", "1000000000000000"],
            ),
        ] {
            for text in yes {
                assert!(accepts(form, text), "{form:?} {text}");
            }
            for text in no {
                assert!(!accepts(form, text), "{form:?} {text}");
            }
        }
    }
}
