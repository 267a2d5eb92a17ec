//! Customers that nobody is: names and numbers made of a number.

use crate::seeded::Seeded;

const FIRST: [&str; 24] = [
    "Padaria",
    "Comércio",
    "Oficina",
    "Clínica",
    "Escola",
    "Livraria",
    "Farmácia",
    "Mercado",
    "Construtora",
    "Gráfica",
    "Hotel",
    "Restaurante",
    "Transportes",
    "Serviços",
    "Consultoria",
    "Estúdio",
    "Academia",
    "Laboratório",
    "Papelaria",
    "Floricultura",
    "Marcenaria",
    "Confecções",
    "Sorveteria",
    "Agropecuária",
];
const SECOND: [&str; 32] = [
    "São José",
    "Aurora",
    "Boa Vista",
    "Santa Luzia",
    "Esperança",
    "do Vale",
    "Primavera",
    "Central",
    "Horizonte",
    "Ipê Amarelo",
    "Três Irmãos",
    "Nossa Senhora",
    "Atlântico",
    "Paineira",
    "Sertão",
    "Alvorada",
    "Conceição",
    "Pão Nobre",
    "Estação",
    "Jequitibá",
    "Bom Jesus",
    "Oliveira",
    "Araújo",
    "Gonçalves",
    "Magalhães",
    "Conquista",
    "União",
    "Progresso",
    "Canaã",
    "Beira Rio",
    "Guimarães",
    "Serra Azul",
];
const THIRD: [&str; 8] = [
    "Ltda",
    "ME",
    "EPP",
    "e Filhos Ltda",
    "e Cia Ltda",
    "do Brasil Ltda",
    "S.A.",
    "Eireli",
];

/// The other party of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// CNPJ.
    pub documento: String,
    pub name: String,
}

/// The person of a number; the same number is the same person.
pub fn person(number: u64) -> Person {
    let mut seeded = Seeded::of(0x7065_6f70, number);
    let words = [
        seeded.one(&FIRST).copied(),
        seeded.one(&SECOND).copied(),
        seeded.one(&THIRD).copied(),
    ];
    let [first, second, third] = words.map(Option::unwrap_or_default);
    Person {
        documento: cnpj(40_000_000 + number % 50_000_000, 1),
        name: format!("{first} {second} {} {third}", number % 100_000),
    }
}

/// The CNPJ of eight digits and a branch, with its check digits.
pub fn cnpj(root: u64, branch: u32) -> String {
    let mut digits = format!("{:08}{:04}", root % 100_000_000, branch % 10_000);
    for _ in 0..2 {
        let sum: u32 = weighted(digits.bytes());
        let digit = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
        digits.push(char::from_digit(digit, 10).unwrap_or('0'));
    }
    digits
}

/// The last digit of an access key, of the digits before it.
pub fn key_digit(digits: &str) -> char {
    let sum = weighted(digits.bytes());
    let digit = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
    char::from_digit(digit, 10).unwrap_or('0')
}

/// Digits times 2 to 9 from the right, added up.
fn weighted(digits: impl DoubleEndedIterator<Item = u8>) -> u32 {
    let weighted = digits.rev().zip((2..=9).cycle());
    weighted
        .map(|(digit, weight)| u32::from(digit.wrapping_sub(b'0')) * weight)
        .sum()
}

/// Lower case without the accents of Portuguese: as the store keeps what pieces of
/// names are looked for in.
pub fn folded(text: &str) -> String {
    let lower = text.chars().flat_map(char::to_lowercase);
    let plain = lower.map(|letter| match letter {
        'á' | 'à' | 'â' | 'ã' => 'a',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' | 'ü' => 'u',
        'ç' => 'c',
        other => other,
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_those_of_known_numbers() {
        assert_eq!(cnpj(11_222_333, 1), "11222333000181");
        assert_eq!(cnpj(12_345_678, 1), "12345678000195");
        // The example key of the manual of the NF-e (MOC 7.0, 2.2.6.3).
        assert_eq!(
            key_digit("5206043300991100250655012000000780026730161"),
            '5'
        );
    }

    #[test]
    fn a_number_is_one_person() {
        assert_eq!(person(17), person(17));
        assert_ne!(person(17).documento, person(18).documento);
        assert_eq!(folded("Pão Nobre ÀÉÇ"), "pao nobre aec");
    }
}
