//! Keys, codes and numbers: how they are written.

use std::ops::RangeInclusive;

/// IBGE code of each state.
const UFS: [(&str, u32); 27] = [
    ("RO", 11),
    ("AC", 12),
    ("AM", 13),
    ("RR", 14),
    ("PA", 15),
    ("AP", 16),
    ("TO", 17),
    ("MA", 21),
    ("PI", 22),
    ("CE", 23),
    ("RN", 24),
    ("PB", 25),
    ("PE", 26),
    ("AL", 27),
    ("SE", 28),
    ("BA", 29),
    ("MG", 31),
    ("ES", 32),
    ("RJ", 33),
    ("SP", 35),
    ("PR", 41),
    ("SC", 42),
    ("RS", 43),
    ("MS", 50),
    ("MT", 51),
    ("GO", 52),
    ("DF", 53),
];

/// Positions of an access key.
pub const CHAVE: usize = 44;

/// cUF of a sigla.
pub fn uf_code(abbreviation: &str) -> Option<u32> {
    UFS.iter()
        .find(|(uf, _)| *uf == abbreviation)
        .map(|(_, codigo)| *codigo)
}

pub fn is_uf_code(codigo: u32) -> bool {
    UFS.iter().any(|(_, uf)| *uf == codigo)
}

/// Written as the layout demands: `[0-9]{6}[0-9A-Z]{12}[0-9]{26}` (the CNPJ
/// may have letters since July 2026). The check digit is the host's matter.
pub fn chave(text: &str) -> bool {
    text.len() == CHAVE
        && text.bytes().enumerate().all(|(at, byte)| {
            byte.is_ascii_digit() || ((6..18).contains(&at) && byte.is_ascii_uppercase())
        })
}

/// The first key in a text that says which one is in the way, by the name of
/// its element: `[chNFe: 4326...]`, with or without the space.
pub fn cited_chave(name: &str, text: &str) -> Option<String> {
    let after = text.get(text.find(name)? + name.len()..)?;
    // The official text of 539 for a CT-e opens a second bracket.
    let after = after.trim_start_matches([':', ' ', '=', '[']);
    after
        .get(..CHAVE)
        .filter(|cited| chave(cited))
        .map(str::to_owned)
}

/// Series and number inside a key, without leading zeros.
pub fn serie_and_number(chave: &str) -> Option<(String, String)> {
    let without_zeros = |part: &str| part.parse::<u32>().ok().map(|number| number.to_string());
    Some((
        without_zeros(chave.get(22..25)?)?,
        without_zeros(chave.get(25..34)?)?,
    ))
}

/// Only digits, this many.
pub fn digits(text: &str, count: RangeInclusive<usize>) -> bool {
    count.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Twelve letters or digits and two check digits.
pub fn cnpj(text: &str) -> bool {
    text.len() == 14
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| byte.is_ascii_digit() || (at < 12 && byte.is_ascii_uppercase()))
}

pub fn cpf(text: &str) -> bool {
    digits(text, 11..=11)
}

pub fn ie(text: &str) -> bool {
    text == "ISENTO" || digits(text, 2..=14)
}

/// A protocol or a receipt: 15 digits, or 17 (types TProt and TRec of
/// tiposBasico_v4.00.xsd).
pub fn protocol(text: &str) -> bool {
    digits(text, 15..=15) || digits(text, 17..=17)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAVE_55: &str = "35261090011001000124550010000000571234567890";

    #[test]
    fn keys() {
        assert!(chave(CHAVE_55));
        assert!(chave(&CHAVE_55.replace("90011001", "12ABC345")));
        assert!(!chave(&CHAVE_55[1..]));
        assert!(!chave(&CHAVE_55.replace("35", "3A")));
        assert!(!chave(&CHAVE_55.to_lowercase().replace('9', "é")));
        assert_eq!(serie_and_number(CHAVE_55), Some(("1".into(), "57".into())));
    }

    #[test]
    fn cited_keys() {
        for text in [
            format!("Duplicidade [chNFe: {CHAVE_55}][nRec:1]"),
            format!("Duplicidade [chNFe:{CHAVE_55}]"),
            format!("chNFe {CHAVE_55}"),
            format!("[chNFe: [{CHAVE_55}][nProt:1]"),
        ] {
            assert_eq!(
                cited_chave("chNFe", &text).as_deref(),
                Some(CHAVE_55),
                "{text}"
            );
            assert_eq!(cited_chave("chCTe", &text), None);
        }
        for text in [
            "",
            "chNFe",
            "chNFe:",
            "chNFe: 123",
            "[chNFe: çççççççççççççççççççççççççççççççççççççççççççç]",
        ] {
            assert_eq!(cited_chave("chNFe", text), None, "{text}");
        }
    }

    #[test]
    fn states() {
        assert_eq!(uf_code("SP"), Some(35));
        assert_eq!(uf_code("EX"), None);
        assert!(is_uf_code(53) && !is_uf_code(91));
    }
}
