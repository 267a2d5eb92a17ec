//! Values as people in Brazil read them.

use rust_decimal::{Decimal, RoundingStrategy};

/// What stands for a field without content (NT 008, item 2.4.5, note 12).
pub const DASH: &str = "-";

/// "R$ 1.234,56". Cents are never lost: an amount with more places shows them.
pub fn money(value: Option<Decimal>) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| format!("R$ {}", decimal(value)))
}

/// "5,00%".
pub fn percentage(value: Option<Decimal>) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| format!("{}%", decimal(value)))
}

/// "1.234,56": at least two places, four at most.
pub fn decimal(value: Decimal) -> String {
    let value = value.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero);
    let text = value.normalize().abs().to_string();
    let (integer, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::with_capacity(text.len() + 8);
    if value.is_sign_negative() && !value.is_zero() {
        out.push('-');
    }
    for (at, digit) in integer.chars().enumerate() {
        if at > 0 && (integer.len() - at).is_multiple_of(3) {
            out.push('.');
        }
        out.push(digit);
    }
    out.push(',');
    out.push_str(fraction);
    for _ in fraction.len()..2 {
        out.push('0');
    }
    out
}

/// CNPJ (also alphanumeric) and CPF with their masks, by length; anything else
/// as it is. Check digits are the tax authority's business: what it authorized
/// is printed.
pub fn document(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|c| !matches!(c, '.' | '-' | '/' | ' '))
        .collect();
    if clean.len() == 14 && clean.bytes().all(|b| b.is_ascii_alphanumeric()) {
        mask(&clean.to_ascii_uppercase(), "##.###.###/####-##")
    } else if clean.len() == 11 && only_digits(&clean) {
        mask(&clean, "###.###.###-##")
    } else {
        text.to_owned()
    }
}

/// "nn.nnn-nnn" (NT 008, item 2.4.5); a foreign postal code stays as it is.
pub fn cep(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !matches!(c, '.' | '-')).collect();
    if clean.len() == 8 && only_digits(&clean) {
        mask(&clean, "##.###-###")
    } else {
        text.to_owned()
    }
}

/// "(nn) nnnnn-nnnn".
pub fn telephone(text: &str) -> String {
    let clean: String = text.chars().filter(char::is_ascii_digit).collect();
    match clean.len() {
        11 => mask(&clean, "(##) #####-####"),
        10 => mask(&clean, "(##) ####-####"),
        _ => text.to_owned(),
    }
}

/// "nn.nn.nn", the national code of the service, or "nn.nn", an item of the list
/// of LC 116/2003; others as they are.
pub fn service_code(text: &str) -> String {
    match text.len() {
        6 if only_digits(text) => mask(text, "##.##.##"),
        4 if only_digits(text) => mask(text, "##.##"),
        _ => text.to_owned(),
    }
}

/// "n.nnnn.nn.nn": code of the NBS; others as they are.
pub fn nbs(text: &str) -> String {
    if text.len() == 9 && only_digits(text) {
        mask(text, "#.####.##.##")
    } else {
        text.to_owned()
    }
}

/// "31/01/2026" or "31/01/2026 10:20:30" out of ISO 8601; a month alone gives
/// "01/2026" and anything else comes back as it is. The offset is not applied:
/// the note shows the clock of whoever issued it.
pub fn date(text: &str) -> String {
    let text = text.trim();
    let (date, clock) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let mut parts = date.splitn(3, '-');
    let (Some(year), Some(month)) = (parts.next(), parts.next()) else {
        return text.to_owned();
    };
    // "2026-01-31-03:00": a date may carry an offset, too.
    let day = parts.next().map(|day| day.get(..2).unwrap_or(day));
    let fits = |part: &str, length| part.len() == length && only_digits(part);
    if !fits(year, 4) || !fits(month, 2) || !day.is_none_or(|day| fits(day, 2)) {
        return text.to_owned();
    }
    let mut out = day.map_or_else(
        || format!("{month}/{year}"),
        |day| format!("{day}/{month}/{year}"),
    );
    let clock = clock.get(..8).unwrap_or("");
    let is_clock = clock.bytes().enumerate().all(|(at, byte)| match at {
        2 | 5 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    if !clock.is_empty() && is_clock {
        out.push(' ');
        out.push_str(clock);
    }
    out
}

/// Only the day.
pub fn day(text: &str) -> String {
    let out = date(text);
    match out.split_once(' ') {
        Some((day, _)) if day.contains('/') => day.to_owned(),
        _ => out,
    }
}

/// The text, or a dash.
pub fn or_dash(text: &str) -> &str {
    let text = text.trim();
    if text.is_empty() { DASH } else { text }
}

/// "a / b / c", a dash for each part without content.
pub fn join(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().map(|part| or_dash(part)).collect();
    parts.join(" / ")
}

/// Letters of the state by the first two digits of an IBGE code; empty when
/// they are of none.
pub fn ibge_uf(code: &str) -> &'static str {
    match code.get(..2).unwrap_or("") {
        _ if code.len() != 7 => "",
        "11" => "RO",
        "12" => "AC",
        "13" => "AM",
        "14" => "RR",
        "15" => "PA",
        "16" => "AP",
        "17" => "TO",
        "21" => "MA",
        "22" => "PI",
        "23" => "CE",
        "24" => "RN",
        "25" => "PB",
        "26" => "PE",
        "27" => "AL",
        "28" => "SE",
        "29" => "BA",
        "31" => "MG",
        "32" => "ES",
        "33" => "RJ",
        "35" => "SP",
        "41" => "PR",
        "42" => "SC",
        "43" => "RS",
        "50" => "MS",
        "51" => "MT",
        "52" => "GO",
        "53" => "DF",
        _ => "",
    }
}

fn only_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// Puts the characters of the text in place of each `#`.
fn mask(text: &str, mould: &str) -> String {
    let mut chars = text.chars();
    mould
        .chars()
        .map_while(|c| if c == '#' { chars.next() } else { Some(c) })
        .collect()
}
