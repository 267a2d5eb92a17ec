//! Credits and money as a reader of pt-BR sees them.

/// Credits or another whole number, with dots.
pub fn whole(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    if number < 0 { format!("-{text}") } else { text }
}

/// Cents, or credits (1 credit = R$ 0.01), as money: R$ 1.234,56.
pub fn reais(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.unsigned_abs();
    let reais = i64::try_from(cents / 100).unwrap_or(i64::MAX);
    format!("{sign}R$ {},{:02}", whole(reais), cents % 100)
}
