//! The place of a member in a request, in the one form that all errors have:
//! `itens[0].quantidade`.

use super::{Code, Refusal};
use std::fmt::Write as _;

/// What an error is told at that is of no member: the body itself.
const WHOLE: &str = "corpo";

/// What an error is told at that is of a parameter whose name cannot be a place.
const QUERY: &str = "consulta";

/// Longest name in a place.
const NAME: usize = 60;
/// Longest place.
const PLACE: usize = 200;
/// Characters shown of a name that cannot be in a place.
const SHOWN: usize = 80;

/// A place made of names only. Where a caller's own name has anything else in it
/// (a dot, a blank, an accent), the place is the group that it is in, and the name is
/// kept beside it.
#[derive(Debug, Default)]
pub struct Place {
    text: String,
    odd: Option<String>,
}

impl Place {
    /// The place of a member of this group.
    #[must_use]
    pub fn member(mut self, name: &str) -> Place {
        if self.odd.is_some() {
            return self;
        }
        if !is_name(name) || self.text.len() + name.len() > PLACE {
            self.odd = Some(name.chars().take(SHOWN).collect());
            return self;
        }
        if !self.text.is_empty() {
            self.text.push('.');
        }
        self.text.push_str(name);
        self
    }

    /// The place of an item of this list, counted from 0.
    #[must_use]
    pub fn item(mut self, index: usize) -> Place {
        if self.odd.is_none() && write!(self.text, "[{index}]").is_err() {
            self.odd = Some(index.to_string());
        }
        self
    }

    /// The place as text: of the body itself, `corpo`.
    pub fn shown(&self) -> &str {
        match self.text.as_str() {
            "" => WHOLE,
            text => text,
        }
    }

    /// The refusal of a member that an operation does not know.
    pub fn unknown(&self) -> Refusal {
        let correction = "Confira a grafia ou retire o campo.";
        let code = Code::CampoDesconhecido;
        let Some(name) = &self.odd else {
            let message = "A operação não conhece este campo.";
            return Refusal::field(code, self.shown(), message, correction);
        };
        let message = format!("A operação não conhece o campo \"{name}\".");
        let mut refusal = Refusal::field(code, self.shown(), &message, correction);
        for field in &mut refusal.fields {
            field.valor = Some(name.clone());
        }
        refusal
    }
}

/// The group that a place names, for a search in a schema: empty for the body itself.
pub fn group(place: &str) -> &str {
    if place == WHOLE { "" } else { place }
}

/// Can a name be in a place? Ours are such names.
pub fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '@'));
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@');
    begins && name.len() <= NAME && name.chars().all(letters)
}

/// The place of a parameter of the query: its name, or `consulta` where that cannot be a
/// place, and then the sentence with the name.
pub fn parameter(name: &str, sentence: &str) -> (String, String) {
    if is_name(name) {
        return (name.to_owned(), sentence.to_owned());
    }
    let shown: String = name.chars().take(SHOWN).collect();
    (
        QUERY.to_owned(),
        format!("{} (\"{shown}\").", sentence.trim_end_matches('.')),
    )
}
