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
pub fn codigo_da_sigla(sigla: &str) -> Option<u32> {
    UFS.iter()
        .find(|(uf, _)| *uf == sigla)
        .map(|(_, codigo)| *codigo)
}

pub fn codigo_de_uf(codigo: u32) -> bool {
    UFS.iter().any(|(_, uf)| *uf == codigo)
}

/// Written as the layout demands: `[0-9]{6}[0-9A-Z]{12}[0-9]{26}` (the CNPJ
/// may have letters since July 2026). The check digit is the host's matter.
pub fn chave(texto: &str) -> bool {
    texto.len() == CHAVE
        && texto.bytes().enumerate().all(|(at, byte)| {
            byte.is_ascii_digit() || ((6..18).contains(&at) && byte.is_ascii_uppercase())
        })
}

/// The first key in a text that says which one is in the way:
/// `[chNFe: 4326...]`, with or without the space.
pub fn chave_citada(texto: &str) -> Option<String> {
    let depois = &texto[texto.find("chNFe")?..];
    let depois = depois
        .get("chNFe".len()..)?
        .trim_start_matches([':', ' ', '=']);
    depois
        .get(..CHAVE)
        .filter(|citada| chave(citada))
        .map(str::to_owned)
}

/// Series and number inside a key, without leading zeros.
pub fn serie_e_numero(chave: &str) -> Option<(String, String)> {
    let sem_zeros = |parte: &str| parte.parse::<u32>().ok().map(|numero| numero.to_string());
    Some((
        sem_zeros(chave.get(22..25)?)?,
        sem_zeros(chave.get(25..34)?)?,
    ))
}

/// Only digits, this many.
pub fn digitos(texto: &str, quantos: RangeInclusive<usize>) -> bool {
    quantos.contains(&texto.len()) && texto.bytes().all(|byte| byte.is_ascii_digit())
}

/// Twelve letters or digits and two check digits.
pub fn cnpj(texto: &str) -> bool {
    texto.len() == 14
        && texto
            .bytes()
            .enumerate()
            .all(|(at, byte)| byte.is_ascii_digit() || (at < 12 && byte.is_ascii_uppercase()))
}

pub fn cpf(texto: &str) -> bool {
    digitos(texto, 11..=11)
}

pub fn ie(texto: &str) -> bool {
    texto == "ISENTO" || digitos(texto, 2..=14)
}

/// A protocol or a receipt: 15 digits, or 17 (types TProt and TRec of
/// tiposBasico_v4.00.xsd).
pub fn protocolo(texto: &str) -> bool {
    digitos(texto, 15..=15) || digitos(texto, 17..=17)
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
        assert_eq!(serie_e_numero(CHAVE_55), Some(("1".into(), "57".into())));
    }

    #[test]
    fn cited_keys() {
        for texto in [
            format!("Duplicidade [chNFe: {CHAVE_55}][nRec:1]"),
            format!("Duplicidade [chNFe:{CHAVE_55}]"),
            format!("chNFe {CHAVE_55}"),
        ] {
            assert_eq!(chave_citada(&texto).as_deref(), Some(CHAVE_55), "{texto}");
        }
        for texto in [
            "",
            "chNFe",
            "chNFe:",
            "chNFe: 123",
            "[chNFe: çççççççççççççççççççççççççççççççççççççççççççç]",
        ] {
            assert_eq!(chave_citada(texto), None, "{texto}");
        }
    }

    #[test]
    fn states() {
        assert_eq!(codigo_da_sigla("SP"), Some(35));
        assert_eq!(codigo_da_sigla("EX"), None);
        assert!(codigo_de_uf(53) && !codigo_de_uf(91));
    }
}
