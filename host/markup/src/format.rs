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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_points_and_a_comma() {
        for (given, shown) in [
            ("0", "0,00"),
            ("1.5", "1,50"),
            ("999.99", "999,99"),
            ("1000", "1.000,00"),
            ("1234567.891", "1.234.567,891"),
            ("-1234.5", "-1.234,50"),
            ("-0.00", "0,00"),
            ("0.00005", "0,0001"),
            (
                "79228162514264337593543950335",
                "79.228.162.514.264.337.593.543.950.335,00",
            ),
        ] {
            let value: Decimal = given.parse().expect("decimal");
            assert_eq!(decimal(value), shown);
        }
        assert_eq!(money(None), "-");
        assert_eq!(money(Some(Decimal::new(123_456, 2))), "R$ 1.234,56");
        assert_eq!(percentage(Some(Decimal::new(5, 0))), "5,00%");
    }

    #[test]
    fn documents_get_their_mask() {
        for (given, shown) in [
            ("12ABC34501DE35", "12.ABC.345/01DE-35"),
            ("12abc34501de35", "12.ABC.345/01DE-35"),
            ("11222333000181", "11.222.333/0001-81"),
            ("11.222.333/0001-81", "11.222.333/0001-81"),
            ("52998224725", "529.982.247-25"),
            ("X-99 ACME", "X-99 ACME"),
            ("ção", "ção"),
        ] {
            assert_eq!(document(given), shown);
        }
        assert_eq!(cep("01310100"), "01.310-100");
        assert_eq!(cep("SW1A 1AA"), "SW1A 1AA");
        assert_eq!(telephone("11987654321"), "(11) 98765-4321");
        assert_eq!(telephone("1132654321"), "(11) 3265-4321");
        assert_eq!(telephone("+1 555"), "+1 555");
        assert_eq!(service_code("010101"), "01.01.01");
        assert_eq!(service_code("0107"), "01.07");
        assert_eq!(service_code("1.07"), "1.07");
        assert_eq!(nbs("115021000"), "1.1502.10.00");
    }

    #[test]
    fn dates_are_turned_round_and_junk_stays() {
        for (given, shown) in [
            ("2026-01-31", "31/01/2026"),
            ("2026-01-31-03:00", "31/01/2026"),
            ("2026-01-31T10:20:30-03:00", "31/01/2026 10:20:30"),
            ("2013-12-17T21:39:57.630-02:00", "17/12/2013 21:39:57"),
            ("2026-01-31 10:20:30", "31/01/2026 10:20:30"),
            ("2026-03", "03/2026"),
            ("1", "1"),
            ("", ""),
            ("31 de março", "31 de março"),
            ("2026-1-é", "2026-1-é"),
            ("2026-01-31T10é20:30", "31/01/2026"),
        ] {
            assert_eq!(date(given), shown);
        }
        assert_eq!(day("2013-12-01T00:00:00-02:00"), "01/12/2013");
        assert_eq!(day("amanhã cedo"), "amanhã cedo");
    }

    #[test]
    fn states_come_from_the_code() {
        assert_eq!(ibge_uf("3304557"), "RJ");
        assert_eq!(ibge_uf("330455"), "");
        assert_eq!(ibge_uf("9999999"), "");
        assert_eq!(ibge_uf("é304557"), "");
    }

    #[test]
    fn empty_parts_become_dashes() {
        assert_eq!(join(&["Niterói", "", " "]), "Niterói / - / -");
    }
}
