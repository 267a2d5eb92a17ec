//! CPF: the registration of a natural person.

use std::fmt;

use super::IdError;
use super::mask::{all_equal, ascii, slice, two_check_digits, unmask};
use super::text::text_id;

/// Where the mask `000.000.000-00` has its separators.
const MASK: [(usize, u8); 3] = [(3, b'.'), (6, b'.'), (9, b'-')];

/// Eleven digits, the last two check the others. Personal data: `Debug` does
/// not show it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cpf([u8; 11]);

impl Cpf {
    /// Reads a CPF with or without its mask.
    ///
    /// # Errors
    /// Wrong shape or check digits; all digits equal.
    pub fn parse(text: &str) -> Result<Cpf, IdError> {
        let digits: [u8; 11] = unmask(text, &MASK)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(IdError::Shape);
        }
        if all_equal(&digits) {
            return Err(IdError::NotAssigned);
        }
        if !two_check_digits(&digits, 11) {
            return Err(IdError::CheckDigits);
        }
        Ok(Cpf(digits))
    }

    /// Eleven digits without punctuation.
    pub fn as_str(&self) -> &str {
        ascii(&self.0)
    }

    /// `000.000.000-00`, for people.
    pub fn masked(&self) -> String {
        let text = self.as_str();
        let part = |positions| slice(text, positions);
        format!(
            "{}.{}.{}-{}",
            part(0..3),
            part(3..6),
            part(6..9),
            part(9..11)
        )
    }
}

impl fmt::Display for Cpf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Cpf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cpf(***)")
    }
}

text_id!(Cpf, pattern = "^[0-9]{11}$", doc = "CPF, 11 dígitos");
