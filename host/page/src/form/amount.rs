//! Numbers as people write them.

use rust_decimal::Decimal;

/// Most characters of a number.
const CHARS: usize = 40;

/// Why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// `1.500` is one and a half for some and one thousand five hundred for
    /// others.
    TwoMeanings,
    Unreadable,
}

/// A number such as `1.234,56`, `R$ 18,90` or `18.90`.
///
/// # Errors
/// It is none, or could be two.
pub fn amount(text: &str) -> Result<Decimal, NotANumber> {
    let text = text.trim();
    let text = text.strip_prefix("R$").unwrap_or(text);
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if text.is_empty() || text.len() > CHARS || text.starts_with('+') {
        return Err(NotANumber::Unreadable);
    }
    let plain = match text.split_once(',') {
        Some((whole, rest)) if grouped(whole) => {
            format!("{}.{rest}", whole.replace('.', ""))
        }
        Some(_) => return Err(NotANumber::Unreadable),
        None => match text.split_once('.') {
            Some((whole, rest)) if !rest.contains('.') => {
                if rest.len() == 3 && whole.len() <= 3 && whole.trim_start_matches('-') != "0" {
                    return Err(NotANumber::TwoMeanings);
                }
                text.clone()
            }
            Some(_) if grouped(&text) => text.replace('.', ""),
            Some(_) => return Err(NotANumber::Unreadable),
            None => text.clone(),
        },
    };
    // A decimal would also be read of `1e5`, which nobody writes as a price.
    let digits = plain.trim_start_matches('-').bytes();
    if !digits
        .into_iter()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return Err(NotANumber::Unreadable);
    }
    plain.parse().map_err(|_| NotANumber::Unreadable)
}

/// What to say of a text that is [`NotANumber::TwoMeanings`].
pub fn two_meanings(text: &str) -> String {
    let (point, comma) = (text.replace('.', ""), text.replace('.', ","));
    format!("Pode ser {point} ou {comma}: escreva de um dos dois jeitos.")
}

/// Whether points stand only before groups of three.
fn grouped(whole: &str) -> bool {
    let mut groups = whole.trim_start_matches('-').split('.');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    let bounded = rest.peek().is_none() || (1..=3).contains(&first.len());
    bounded && rest.all(|group| group.len() == 3)
}

/// A number of the API as people write it: `18.90` is `18,90`, `2.0000` is `2`.
pub fn written(text: &str) -> String {
    match text.parse::<Decimal>() {
        Ok(number) => number.normalize().to_string().replace('.', ","),
        Err(_) => text.to_owned(),
    }
}

/// As [`written`], for money: two places at least.
pub fn written_money(text: &str) -> String {
    match text.parse::<Decimal>() {
        Ok(number) => {
            let number = number.normalize();
            let shown = if number.scale() < 2 {
                format!("{number:.2}")
            } else {
                number.to_string()
            };
            shown.replace('.', ",")
        }
        Err(_) => text.to_owned(),
    }
}
