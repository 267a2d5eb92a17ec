//! State registration (inscrição estadual): check digits of the 27 states, by
//! the public rules each state gives to the Sintegra ("roteiro de crítica").
//!
//! A number that passes has the shape its state gives out; that somebody holds
//! it only the state's register knows (cStat 230, 233). Beginnings that a state
//! fixed are checked where they are old and stable; elsewhere they are not,
//! since a good number refused is worse than a bad one that the authority
//! refuses (209, 210).

mod states;

/// What a state registration is, once read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ie {
    /// Digits (São Paulo's rural producers: `P` and digits, which the layout of
    /// the NF-e has no room for: `TIe` takes digits only), no punctuation. As
    /// given: zeros in front are neither added nor taken.
    Number(String),
    /// The word `ISENTO`.
    Exempt,
}

/// Longest number any state has, with room for `P` and for zeros in front.
const LONGEST: usize = 14;

/// Is this a registration of that state? `uf` is the sigla; punctuation is
/// skipped, and zeros in front may be missing or too many (MOC 7.0, Anexo I,
/// note on C17-20). `ISENTO` is not a number: see [`le`].
pub fn valid(uf: &str, ie: &str) -> bool {
    matches!(le(uf, ie), Some(Ie::Number(_)))
}

/// Reads a registration, or the word `ISENTO` (also `ISENTA`). None when it is
/// neither; the number comes without punctuation, as the layout wants it.
pub fn le(uf: &str, ie: &str) -> Option<Ie> {
    let text = normalize(ie);
    if matches!(text.as_str(), "ISENTO" | "ISENTA") {
        return Some(Ie::Exempt);
    }
    let (rural, digits) = match text.strip_prefix('P') {
        Some(rest) => (true, rest),
        None => (false, text.as_str()),
    };
    let digits: Vec<u32> = digits
        .chars()
        .map(|c| c.to_digit(10))
        .collect::<Option<_>>()?;
    let zeros = digits.iter().all(|digit| *digit == 0);
    let right = !zeros
        && if rural {
            uf == "SP" && states::sp_rural(&digits)
        } else {
            check(uf, &digits)
        };
    right.then_some(Ie::Number(text))
}

/// The rule of the state, for a number of a length the state gives out; any
/// other is brought to one of them by zeros in front.
fn check(uf: &str, digits: &[u32]) -> bool {
    let lengths = states::lengths(uf);
    if lengths.contains(&digits.len()) {
        return states::check(uf, digits);
    }
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let rest = digits.get(zeros..).unwrap_or_default();
    lengths.iter().any(|length| {
        let lacking = length.checked_sub(rest.len());
        lacking.is_some_and(|lacking| {
            let full: Vec<u32> = std::iter::repeat_n(0, lacking)
                .chain(rest.iter().copied())
                .collect();
            states::check(uf, &full)
        })
    })
}

/// Without blanks and punctuation, in capitals; not checked. Anything else is
/// kept, so that it is not a number by losing what is wrong with it; cut at one
/// character more than any number has.
pub fn normalize(ie: &str) -> String {
    ie.chars()
        .filter(|letter| !matches!(letter, ' ' | '\t' | '.' | '-' | '/'))
        .take(LONGEST + 1)
        .map(|letter| letter.to_ascii_uppercase())
        .collect()
}
