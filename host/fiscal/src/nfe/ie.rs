//! State registration (inscrição estadual): check digits of the 27 states.

/// What a state registration is, once read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ie {
    /// Digits (São Paulo's rural producers: `P` and digits), no punctuation.
    Numero(String),
    /// The word `ISENTO`.
    Isento,
}

/// Is this a registration of that state? `uf` is the sigla; punctuation is
/// skipped. `ISENTO` is not a number: see [`le`].
pub fn valida(uf: &str, ie: &str) -> bool {
    matches!(le(uf, ie), Some(Ie::Numero(_)))
}

/// Reads a registration, or the word `ISENTO`. None when it is neither.
pub fn le(uf: &str, ie: &str) -> Option<Ie> {
    let _ = (uf, ie);
    None
}

/// Without blanks and punctuation, in capitals; not checked.
pub fn normaliza(ie: &str) -> String {
    ie.chars()
        .filter(char::is_ascii_alphanumeric)
        .take(20)
        .map(|letter| letter.to_ascii_uppercase())
        .collect()
}
