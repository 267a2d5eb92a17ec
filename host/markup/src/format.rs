//! Values as people in Brazil read them.

use rust_decimal::{Decimal, RoundingStrategy};

/// What stands for a field without content (NT 008, item 2.4.5, note 12).
pub const TRACO: &str = "-";

/// "R$ 1.234,56". Cents are never lost: an amount with more places shows them.
pub fn reais(valor: Option<Decimal>) -> String {
    valor.map_or_else(
        || TRACO.to_owned(),
        |valor| format!("R$ {}", decimal(valor)),
    )
}

/// "5,00%".
pub fn percentual(valor: Option<Decimal>) -> String {
    valor.map_or_else(|| TRACO.to_owned(), |valor| format!("{}%", decimal(valor)))
}

/// "1.234,56": at least two places, four at most.
pub fn decimal(valor: Decimal) -> String {
    let valor = valor.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero);
    let text = valor.normalize().abs().to_string();
    let (inteiro, fracao) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::with_capacity(text.len() + 8);
    if valor.is_sign_negative() && !valor.is_zero() {
        out.push('-');
    }
    for (at, digit) in inteiro.chars().enumerate() {
        if at > 0 && (inteiro.len() - at).is_multiple_of(3) {
            out.push('.');
        }
        out.push(digit);
    }
    out.push(',');
    out.push_str(fracao);
    for _ in fracao.len()..2 {
        out.push('0');
    }
    out
}

/// CNPJ (also alphanumeric) and CPF with their masks, by length; anything else
/// as it is. Check digits are the tax authority's business: what it authorized
/// is printed.
pub fn documento(texto: &str) -> String {
    let clean: String = texto
        .chars()
        .filter(|c| !matches!(c, '.' | '-' | '/' | ' '))
        .collect();
    if clean.len() == 14 && clean.bytes().all(|b| b.is_ascii_alphanumeric()) {
        mascara(&clean.to_ascii_uppercase(), "##.###.###/####-##")
    } else if clean.len() == 11 && so_digitos(&clean) {
        mascara(&clean, "###.###.###-##")
    } else {
        texto.to_owned()
    }
}

/// "nn.nnn-nnn" (NT 008, item 2.4.5); a foreign postal code stays as it is.
pub fn cep(texto: &str) -> String {
    let clean: String = texto.chars().filter(|c| !matches!(c, '.' | '-')).collect();
    if clean.len() == 8 && so_digitos(&clean) {
        mascara(&clean, "##.###-###")
    } else {
        texto.to_owned()
    }
}

/// "(nn) nnnnn-nnnn".
pub fn telefone(texto: &str) -> String {
    let clean: String = texto.chars().filter(char::is_ascii_digit).collect();
    match clean.len() {
        11 => mascara(&clean, "(##) #####-####"),
        10 => mascara(&clean, "(##) ####-####"),
        _ => texto.to_owned(),
    }
}

/// "nn.nn.nn", the national code of the service, or "nn.nn", an item of the list
/// of LC 116/2003; others as they are.
pub fn codigo_servico(texto: &str) -> String {
    match texto.len() {
        6 if so_digitos(texto) => mascara(texto, "##.##.##"),
        4 if so_digitos(texto) => mascara(texto, "##.##"),
        _ => texto.to_owned(),
    }
}

/// "n.nnnn.nn.nn": code of the NBS; others as they are.
pub fn nbs(texto: &str) -> String {
    if texto.len() == 9 && so_digitos(texto) {
        mascara(texto, "#.####.##.##")
    } else {
        texto.to_owned()
    }
}

/// "31/01/2026" or "31/01/2026 10:20:30" out of ISO 8601; a month alone gives
/// "01/2026" and anything else comes back as it is. The offset is not applied:
/// the note shows the clock of whoever issued it.
pub fn data(texto: &str) -> String {
    let texto = texto.trim();
    let (date, clock) = texto.split_once(['T', ' ']).unwrap_or((texto, ""));
    let mut parts = date.splitn(3, '-');
    let (Some(year), Some(month)) = (parts.next(), parts.next()) else {
        return texto.to_owned();
    };
    // "2026-01-31-03:00": a date may carry an offset, too.
    let day = parts.next().map(|day| day.get(..2).unwrap_or(day));
    let fits = |part: &str, length| part.len() == length && so_digitos(part);
    if !fits(year, 4) || !fits(month, 2) || !day.is_none_or(|day| fits(day, 2)) {
        return texto.to_owned();
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
pub fn dia(texto: &str) -> String {
    let out = data(texto);
    match out.split_once(' ') {
        Some((day, _)) if day.contains('/') => day.to_owned(),
        _ => out,
    }
}

/// The text, or a dash.
pub fn ou_traco(texto: &str) -> &str {
    let texto = texto.trim();
    if texto.is_empty() { TRACO } else { texto }
}

/// "a / b / c", a dash for each part without content.
pub fn juntar(partes: &[&str]) -> String {
    let partes: Vec<&str> = partes.iter().map(|parte| ou_traco(parte)).collect();
    partes.join(" / ")
}

/// Letters of the state by the first two digits of an IBGE code; empty when
/// they are of none.
pub fn uf_do_ibge(codigo: &str) -> &'static str {
    match codigo.get(..2).unwrap_or("") {
        _ if codigo.len() != 7 => "",
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

fn so_digitos(texto: &str) -> bool {
    texto.bytes().all(|b| b.is_ascii_digit())
}

/// Puts the characters of the text in place of each `#`.
fn mascara(texto: &str, molde: &str) -> String {
    let mut chars = texto.chars();
    molde
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
        assert_eq!(reais(None), "-");
        assert_eq!(reais(Some(Decimal::new(123_456, 2))), "R$ 1.234,56");
        assert_eq!(percentual(Some(Decimal::new(5, 0))), "5,00%");
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
            assert_eq!(documento(given), shown);
        }
        assert_eq!(cep("01310100"), "01.310-100");
        assert_eq!(cep("SW1A 1AA"), "SW1A 1AA");
        assert_eq!(telefone("11987654321"), "(11) 98765-4321");
        assert_eq!(telefone("1132654321"), "(11) 3265-4321");
        assert_eq!(telefone("+1 555"), "+1 555");
        assert_eq!(codigo_servico("010101"), "01.01.01");
        assert_eq!(codigo_servico("0107"), "01.07");
        assert_eq!(codigo_servico("1.07"), "1.07");
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
            assert_eq!(data(given), shown);
        }
        assert_eq!(dia("2013-12-01T00:00:00-02:00"), "01/12/2013");
        assert_eq!(dia("amanhã cedo"), "amanhã cedo");
    }

    #[test]
    fn states_come_from_the_code() {
        assert_eq!(uf_do_ibge("3304557"), "RJ");
        assert_eq!(uf_do_ibge("330455"), "");
        assert_eq!(uf_do_ibge("9999999"), "");
        assert_eq!(uf_do_ibge("é304557"), "");
    }

    #[test]
    fn empty_parts_become_dashes() {
        assert_eq!(juntar(&["Niterói", "", " "]), "Niterói / - / -");
    }
}
