//! State registration (inscrição estadual): check digits of the 27 states, by
//! the public rules each state gives to the Sintegra ("roteiro de crítica").
//!
//! A number that passes has the shape its state gives out; that somebody holds
//! it only the state's register knows (cStat 230, 233). Beginnings that a state
//! fixed are checked where they are old and stable; elsewhere they are not,
//! since a good number refused is worse than a bad one that the authority
//! refuses (209, 210).

mod states;

#[cfg(test)]
mod tests;

/// What a state registration is, once read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ie {
    /// Digits (São Paulo's rural producers: `P` and digits, which the layout of
    /// the NF-e has no room for: `TIe` takes digits only), no punctuation. As
    /// given: zeros in front are neither added nor taken.
    Numero(String),
    /// The word `ISENTO`.
    Isento,
}

/// Longest number any state has, with room for `P` and for zeros in front.
const MAIOR: usize = 14;

/// Is this a registration of that state? `uf` is the sigla; punctuation is
/// skipped, and zeros in front may be missing or too many (MOC 7.0, Anexo I,
/// note on C17-20). `ISENTO` is not a number: see [`le`].
pub fn valida(uf: &str, ie: &str) -> bool {
    matches!(le(uf, ie), Some(Ie::Numero(_)))
}

/// Reads a registration, or the word `ISENTO` (also `ISENTA`). None when it is
/// neither; the number comes without punctuation, as the layout wants it.
pub fn le(uf: &str, ie: &str) -> Option<Ie> {
    let texto = normaliza(ie);
    if matches!(texto.as_str(), "ISENTO" | "ISENTA") {
        return Some(Ie::Isento);
    }
    let (rural, digitos) = match texto.strip_prefix('P') {
        Some(resto) => (true, resto),
        None => (false, texto.as_str()),
    };
    let digitos: Vec<u32> = digitos
        .chars()
        .map(|c| c.to_digit(10))
        .collect::<Option<_>>()?;
    let zeros = digitos.iter().all(|digito| *digito == 0);
    let certo = !zeros
        && if rural {
            uf == "SP" && states::sp_rural(&digitos)
        } else {
            confere(uf, &digitos)
        };
    certo.then_some(Ie::Numero(texto))
}

/// The rule of the state, for a number of a length the state gives out; any
/// other is brought to one of them by zeros in front.
fn confere(uf: &str, digitos: &[u32]) -> bool {
    let tamanhos = states::tamanhos(uf);
    if tamanhos.contains(&digitos.len()) {
        return states::confere(uf, digitos);
    }
    let zeros = digitos.iter().take_while(|digito| **digito == 0).count();
    let resto = digitos.get(zeros..).unwrap_or_default();
    tamanhos.iter().any(|tamanho| {
        let faltam = tamanho.checked_sub(resto.len());
        faltam.is_some_and(|faltam| {
            let cheio: Vec<u32> = std::iter::repeat_n(0, faltam)
                .chain(resto.iter().copied())
                .collect();
            states::confere(uf, &cheio)
        })
    })
}

/// Without blanks and punctuation, in capitals; not checked. Anything else is
/// kept, so that it is not a number by losing what is wrong with it; cut at one
/// character more than any number has.
pub fn normaliza(ie: &str) -> String {
    ie.chars()
        .filter(|letra| !matches!(letra, ' ' | '\t' | '.' | '-' | '/'))
        .take(MAIOR + 1)
        .map(|letra| letra.to_ascii_uppercase())
        .collect()
}
