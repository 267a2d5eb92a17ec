//! Access key of a note (50 positions) and its check digit.

/// Parts of a key.
pub(super) struct Key<'a> {
    /// IBGE code of the issuing municipality.
    pub municipality: &'a str,
    /// CNPJ or CPF of the issuer.
    pub document: &'a str,
    pub number: u64,
    /// Two digits of the year and the month of issue.
    pub aamm: &'a str,
    /// Nine random digits.
    pub random: u64,
}

impl Key<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_fifty_positions() {
        let key = Key {
            municipality: "3550308",
            document: "11222333000181",
            number: 7,
            aamm: "2611",
            random: 42,
        }
        .text();
        assert_eq!(key.len(), 50);
        assert!(
            key.starts_with("35503082211222333000181000000000000726110000000"),
            "{key}"
        );
        let cpf = Key {
            municipality: "3550308",
            document: "11144477735",
            number: 7,
            aamm: "2611",
            random: 42,
        }
        .text();
        assert!(cpf.starts_with("35503082100011144477735"), "{cpf}");
    }
}
