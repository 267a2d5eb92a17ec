//! Values of the XML as a DANFE shows them.

use markup::format;

/// "1.234,50" out of "1234.5000": at least `places` places, and every further
/// one that is not zero. Anything that is not a plain decimal stays as it is.
pub fn number(text: &str, places: usize) -> String {
    let text = text.trim();
    let (sign, body) = match text.strip_prefix('-') {
        Some(body) => ("-", body),
        None => ("", text),
    };
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return text.to_owned();
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push('.');
        }
        out.push(digit);
    }
    if places > 0 || !fraction.is_empty() {
        out.push(',');
        out.push_str(fraction);
        for _ in fraction.len()..places {
            out.push('0');
        }
    }
    out
}

/// An amount; nothing for a field that is absent.
pub(crate) fn value(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        number(text, 2)
    }
}

/// "18,00%"; nothing for a field that is absent.
pub(crate) fn rate(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{}%", number(text, 2))
    }
}

/// Whether an amount is neither absent nor zero.
pub fn positive(text: &str) -> bool {
    text.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// The number of a note, "000.001.523"; what is not one to nine digits stays
/// as it is.
pub fn nota_number(text: &str) -> String {
    if text.len() > 9 || text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return text.to_owned();
    }
    let nine = format!("{text:0>9}");
    group(&nine, 3, ".")
}

/// The series of a note, "001".
pub fn serie(text: &str) -> String {
    format!("{text:0>3}")
}

/// A text of ASCII in groups of `from` characters with `between` between them.
///
/// # Panics
/// `from` is 0.
pub fn group(text: &str, from: usize, between: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / from * between.len());
    for (at, c) in text.chars().enumerate() {
        if at > 0 && at.is_multiple_of(from) {
            out.push_str(between);
        }
        out.push(c);
    }
    out
}

/// Date and time of an ISO 8601 text, each as people write it; the clock is
/// that of whoever issued the note.
pub fn date_and_time(text: &str) -> (String, String) {
    let together = format::date(text);
    match together.split_once(' ') {
        Some((day, hour)) if day.contains('/') => (day.to_owned(), hour.to_owned()),
        _ => (together, String::new()),
    }
}

/// The parts that are not empty.
pub(crate) fn join<'p>(parts: impl IntoIterator<Item = &'p str>, between: &str) -> String {
    let parts: Vec<&str> = parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(between)
}

/// `tPag` (table of means of payment of 2026-03-04, second-hand).
pub(super) fn payment_kind(code: &str) -> &'static str {
    match code {
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
