//! Values of the XML as a DANFE shows them.

use markup::format;

/// "1.234,50" out of "1234.5000": at least `casas` places, and every further
/// one that is not zero. Anything that is not a plain decimal stays as it is.
pub(super) fn numero(texto: &str, casas: usize) -> String {
    let texto = texto.trim();
    let (sinal, corpo) = match texto.strip_prefix('-') {
        Some(corpo) => ("-", corpo),
        None => ("", texto),
    };
    let (inteiro, fracao) = corpo.split_once('.').unwrap_or((corpo, ""));
    let digitos = |parte: &str| parte.bytes().all(|b| b.is_ascii_digit());
    if inteiro.is_empty() || !digitos(inteiro) || !digitos(fracao) {
        return texto.to_owned();
    }
    let inteiro = inteiro.trim_start_matches('0');
    let inteiro = if inteiro.is_empty() { "0" } else { inteiro };
    let fracao = fracao.trim_end_matches('0');
    let mut out = String::with_capacity(texto.len() + 8);
    out.push_str(sinal);
    for (at, digito) in inteiro.chars().enumerate() {
        if at > 0 && (inteiro.len() - at).is_multiple_of(3) {
            out.push('.');
        }
        out.push(digito);
    }
    if casas > 0 || !fracao.is_empty() {
        out.push(',');
        out.push_str(fracao);
        for _ in fracao.len()..casas {
            out.push('0');
        }
    }
    out
}

/// An amount; nothing for a field that is absent.
pub(super) fn valor(texto: &str) -> String {
    if texto.is_empty() {
        String::new()
    } else {
        numero(texto, 2)
    }
}

/// "18,00%"; nothing for a field that is absent.
pub(super) fn aliquota(texto: &str) -> String {
    if texto.is_empty() {
        String::new()
    } else {
        format!("{}%", numero(texto, 2))
    }
}

/// Neither absent nor zero.
pub(super) fn positivo(texto: &str) -> bool {
    texto.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// "000.001.523".
pub(super) fn numero_da_nota(texto: &str) -> String {
    if texto.len() > 9 || texto.is_empty() || !texto.bytes().all(|b| b.is_ascii_digit()) {
        return texto.to_owned();
    }
    let nove = format!("{texto:0>9}");
    agrupar(&nove, 3, ".")
}

/// "001".
pub(super) fn serie(texto: &str) -> String {
    format!("{texto:0>3}")
}

/// A text of ASCII in groups.
pub(super) fn agrupar(texto: &str, de: usize, entre: &str) -> String {
    let mut out = String::with_capacity(texto.len() + texto.len() / de * entre.len());
    for (at, c) in texto.chars().enumerate() {
        if at > 0 && at.is_multiple_of(de) {
            out.push_str(entre);
        }
        out.push(c);
    }
    out
}

/// Date and time of an ISO 8601 text, each as people write it; the clock is
/// that of whoever issued the note.
pub(super) fn data_e_hora(texto: &str) -> (String, String) {
    let junto = format::data(texto);
    match junto.split_once(' ') {
        Some((dia, hora)) if dia.contains('/') => (dia.to_owned(), hora.to_owned()),
        _ => (junto, String::new()),
    }
}

/// The parts that are not empty.
pub(super) fn unir<'p>(partes: impl IntoIterator<Item = &'p str>, entre: &str) -> String {
    let partes: Vec<&str> = partes
        .into_iter()
        .map(str::trim)
        .filter(|parte| !parte.is_empty())
        .collect();
    partes.join(entre)
}

/// `tPag` (table of means of payment of 2026-03-04, second-hand).
pub(super) fn forma_de_pagamento(codigo: &str) -> &'static str {
    match codigo {
        "01" => "Dinheiro",
        "02" => "Cheque",
        "03" => "Cartão de Crédito",
        "04" => "Cartão de Débito",
        "05" => "Cartão da Loja / Crediário",
        "10" => "Vale Alimentação",
        "11" => "Vale Refeição",
        "12" => "Vale Presente",
        "13" => "Vale Combustível",
        "14" => "Duplicata Mercantil",
        "15" => "Boleto Bancário",
        "16" => "Depósito Bancário",
        "17" => "PIX Dinâmico",
        "18" => "Transferência / Carteira Digital",
        "19" => "Fidelidade / Cashback",
        "20" => "PIX Estático",
        "21" => "Crédito em Loja",
        "22" => "Pagamento Eletrônico não Informado",
        "23" => "PIX Automático",
        "24" => "TEF - Book Transfer",
        "90" => "Sem Pagamento",
        "91" => "Pagamento Posterior",
        _ => "Outros",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit_that_counts() {
        for (texto, casas, esperado) in [
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
            assert_eq!(numero(texto, casas), esperado, "{texto}");
        }
    }

    #[test]
    fn notes_and_dates_are_shown_as_people_write_them() {
        assert_eq!(numero_da_nota("1523"), "000.001.523");
        assert_eq!(numero_da_nota("999999999"), "999.999.999");
        assert_eq!(numero_da_nota("12x"), "12x");
        assert_eq!(serie("1"), "001");
        assert_eq!(
            data_e_hora("2026-10-05T10:15:03-03:00"),
            ("05/10/2026".to_owned(), "10:15:03".to_owned())
        );
        assert_eq!(
            data_e_hora("2026-10-05"),
            ("05/10/2026".to_owned(), String::new())
        );
        assert_eq!(agrupar("12345678", 4, " "), "1234 5678");
        assert!(positivo("0.01") && !positivo("0.00") && !positivo(""));
    }
}
