//! Check digits and tables of codes that more than one authority looks at.

/// CPF with valid check digits.
pub fn cpf_ok(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    if digits.len() != 11 || text.len() != 11 || digits.windows(2).all(|w| w.first() == w.last()) {
        return false;
    }
    let check = |n: usize| {
        let sum: u32 = digits
            .iter()
            .take(n)
            .zip((2..=11).rev().skip(10 - n))
            .map(|(d, w)| d * w)
            .sum();
        (sum * 10 % 11) % 10
    };
    digits.get(9) == Some(&check(9)) && digits.get(10) == Some(&check(10))
}

/// CNPJ with valid check digits; letters count as their ASCII code less 48
/// (IN RFB 2.229/2024), so digits count as before.
pub fn cnpj_ok(text: &str) -> bool {
    let shape = text.len() == 14
        && text
            .bytes()
            .take(12)
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && text.bytes().skip(12).all(|b| b.is_ascii_digit());
    if !shape || text.bytes().all(|b| b == b'0') {
        return false;
    }
    let values: Vec<u32> = text.bytes().map(|b| u32::from(b) - 48).collect();
    let check = |n: usize| {
        let sum: u32 = values
            .iter()
            .take(n)
            .rev()
            .zip((2..=9).cycle())
            .map(|(v, w)| v * w)
            .sum();
        match sum % 11 {
            0 | 1 => 0,
            r => 11 - r,
        }
    };
    values.get(12) == Some(&check(12)) && values.get(13) == Some(&check(13))
}

/// CPF or CNPJ, by length.
pub fn document_ok(text: &str) -> bool {
    if text.len() == 11 {
        cpf_ok(text)
    } else {
        cnpj_ok(text)
    }
}

/// The same person: equal CPF, or CNPJ of the same company (first 8).
pub fn same_holder(a: &str, b: &str) -> bool {
    a == b || (a.len() == 14 && b.len() == 14 && a.get(..8) == b.get(..8))
}

/// IBGE code and sigla of the states.
pub const UFS: [(&str, &str); 27] = [
    ("11", "RO"),
    ("12", "AC"),
    ("13", "AM"),
    ("14", "RR"),
    ("15", "PA"),
    ("16", "AP"),
    ("17", "TO"),
    ("21", "MA"),
    ("22", "PI"),
    ("23", "CE"),
    ("24", "RN"),
    ("25", "PB"),
    ("26", "PE"),
    ("27", "AL"),
    ("28", "SE"),
    ("29", "BA"),
    ("31", "MG"),
    ("32", "ES"),
    ("33", "RJ"),
    ("35", "SP"),
    ("41", "PR"),
    ("42", "SC"),
    ("43", "RS"),
    ("50", "MS"),
    ("51", "MT"),
    ("52", "GO"),
    ("53", "DF"),
];

/// Sigla of the state of a municipality code.
pub fn uf(ibge: &str) -> Option<&'static str> {
    abbreviation_of(ibge.get(..2)?)
}

/// Sigla of a state's IBGE code.
pub fn abbreviation_of(code: &str) -> Option<&'static str> {
    UFS.iter().find(|(c, _)| *c == code).map(|(_, uf)| *uf)
}

/// IBGE code of a state's sigla.
pub fn code_of(abbreviation: &str) -> Option<&'static str> {
    UFS.iter()
        .find(|(_, uf)| *uf == abbreviation)
        .map(|(c, _)| *c)
}

/// Seven digits with the prefix of a state.
pub fn municipality_ok(ibge: &str) -> bool {
    ibge.len() == 7 && ibge.bytes().all(|b| b.is_ascii_digit()) && uf(ibge).is_some()
}

const NAMES: [(&str, &str); 27] = [
    ("1100205", "Porto Velho"),
    ("1200401", "Rio Branco"),
    ("1302603", "Manaus"),
    ("1400100", "Boa Vista"),
    ("1501402", "Belém"),
    ("1600303", "Macapá"),
    ("1721000", "Palmas"),
    ("2111300", "São Luís"),
    ("2211001", "Teresina"),
    ("2304400", "Fortaleza"),
    ("2408102", "Natal"),
    ("2507507", "João Pessoa"),
    ("2611606", "Recife"),
    ("2704302", "Maceió"),
    ("2800308", "Aracaju"),
    ("2927408", "Salvador"),
    ("3106200", "Belo Horizonte"),
    ("3205309", "Vitória"),
    ("3304557", "Rio de Janeiro"),
    ("3550308", "São Paulo"),
    ("4106902", "Curitiba"),
    ("4205407", "Florianópolis"),
    ("4314902", "Porto Alegre"),
    ("5002704", "Campo Grande"),
    ("5103403", "Cuiabá"),
    ("5208707", "Goiânia"),
    ("5300108", "Brasília"),
];

/// Name of a capital; other municipalities are named by their code.
pub fn municipality_name(ibge: &str) -> String {
    match NAMES.iter().find(|(c, _)| *c == ibge) {
        Some((_, name)) => (*name).to_owned(),
        None => format!("Município {ibge}"),
    }
}
