//! Small rules about single values.

use super::super::address::host;

/// Municipalities whose official code fails its own check digit (IBGE).
const WITHOUT_CHECK_DIGIT: [u32; 9] = [
    2_201_919, 2_201_988, 2_202_251, 2_611_533, 3_117_836, 3_152_131, 4_305_871, 5_203_939,
    5_203_962,
];

/// First two digits of the IBGE code, by state.
const UFS: [(&str, u32); 27] = [
    ("AC", 12),
    ("AL", 27),
    ("AM", 13),
    ("AP", 16),
    ("BA", 29),
    ("CE", 23),
    ("DF", 53),
    ("ES", 32),
    ("GO", 52),
    ("MA", 21),
    ("MG", 31),
    ("MS", 50),
    ("MT", 51),
    ("PA", 15),
    ("PB", 25),
    ("PE", 26),
    ("PI", 22),
    ("PR", 41),
    ("RJ", 33),
    ("RN", 24),
    ("RO", 11),
    ("RR", 14),
    ("RS", 43),
    ("SC", 42),
    ("SE", 28),
    ("SP", 35),
    ("TO", 17),
];

/// Placeholders of `consulta`.
pub(super) const PLACEHOLDERS: [&str; 11] = [
    "origem",
    "cnpj",
    "cnpj_formatado",
    "numero",
    "codigo_verificacao",
    "codigo_verificacao_alfanumerico",
    "chave",
    "inscricao_municipal",
    "id",
    "municipio",
    "data_emissao",
];

/// Seven digits with the right last one.
pub(super) fn ibge(code: &str) -> Option<u32> {
    if code.len() != 7 || !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u32 = code.parse().ok()?;
    if WITHOUT_CHECK_DIGIT.contains(&number) {
        return Some(number);
    }
    let sum: u32 = code
        .bytes()
        .take(6)
        .zip([1, 2].into_iter().cycle())
        .map(|(byte, weight)| u32::from(byte - b'0') * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    (number % 10 == (10 - sum % 10) % 10).then_some(number)
}

/// Is the sigla a state, and the state the one of the code?
pub(super) fn uf_of(ibge: u32, uf: &str) -> bool {
    UFS.iter()
        .any(|(abbreviation, prefix)| *abbreviation == uf && ibge / 100_000 == *prefix)
}

/// Two-digit IBGE code of a state.
pub(super) fn uf_code(uf: &str) -> Option<u8> {
    let (_, codigo) = UFS.iter().find(|(abbreviation, _)| *abbreviation == uf)?;
    u8::try_from(*codigo).ok()
}

/// A template of `consulta`: an address, or one that begins at the service's.
pub(super) fn template(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, tail)) = rest.split_once('{') {
        let Some((name, tail)) = tail.split_once('}') else {
            return false;
        };
        if !PLACEHOLDERS.contains(&name) {
            return false;
        }
        rest = tail;
    }
    if let Some(path) = text.strip_prefix("{origem}") {
        return path.starts_with('/') && host(&format!("https://a{path}")).is_some();
    }
    host(&text.replace(['{', '}'], "")).is_some()
}
