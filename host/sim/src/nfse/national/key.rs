//! Access key of a note (50 positions) and its check digit.

/// Parts of a key.
pub struct Key<'a> {
    /// IBGE code of the issuing municipality.
    pub municipality: &'a str,
    /// CNPJ or CPF of the issuer.
    pub document: &'a str,
    /// Number of the note.
    pub number: u64,
    /// Two digits of the year and the month of issue.
    pub aamm: &'a str,
    /// Nine random digits.
    pub random: u64,
}

impl Key<'_> {
    /// The key, check digit included.
    pub fn text(&self) -> String {
        // ambGer 2: national system; inscription 1 CPF, 2 CNPJ.
        let kind = if self.document.len() == 14 { 2 } else { 1 };
        let start = format!(
            "{}2{kind}{:0>14}{:013}{}{:09}",
            self.municipality,
            self.document,
            self.number,
            self.aamm,
            self.random % 1_000_000_000
        );
        let digit = check_digit(&start);
        format!("{start}{digit}")
    }
}

/// Module 11 with weights 2 to 9 from the right; letters count as their ASCII
/// code less 48. 0 and 1 give 0.
fn check_digit(text: &str) -> u32 {
    let sum: u32 = text
        .bytes()
        .rev()
        .zip((2..=9).cycle())
        .map(|(b, weight)| u32::from(b).saturating_sub(48) * weight)
        .sum();
    match sum % 11 {
        0 | 1 => 0,
        r => 11 - r,
    }
}
