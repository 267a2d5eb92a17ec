//! Bar code numbers of GS1 (GTIN).

/// 8, 12, 13 or 14 digits, the last by weights 3 and 1 from the right (GS1
/// General Specifications §7.9).
pub fn gtin_valido(texto: &str) -> bool {
    if !matches!(texto.len(), 8 | 12 | 13 | 14) || !texto.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let soma: u32 = texto
        .bytes()
        .rev()
        .zip([1, 3].into_iter().cycle())
        .map(|(digito, peso)| u32::from(digito - b'0') * peso)
        .sum();
    soma.is_multiple_of(10)
}
