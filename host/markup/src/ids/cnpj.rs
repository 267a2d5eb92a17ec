//! CNPJ: the registration of a company or of one of its establishments.

use std::fmt;

use super::IdError;
use super::mask::{all_equal, ascii, slice, two_check_digits, unmask};
use super::text::text_id;

/// Where the mask `00.000.000/0000-00` has its separators.
const MASK: [(usize, u8); 4] = [(2, b'.'), (5, b'.'), (8, b'/'), (12, b'-')];

/// Fourteen positions: eight of the root, four of the establishment, two check
/// digits. The first twelve may be letters in numbers given out from July 2026
/// on (IN RFB 2.229/2024); the check digits count `A` as 17, that is the ASCII
/// code minus 48.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cnpj([u8; 14]);

impl Cnpj {
    /// Reads a CNPJ with or without its mask, in either case.
    ///
    /// # Errors
    /// Wrong shape or check digits; all positions equal.
    pub fn parse(text: &str) -> Result<Cnpj, IdError> {
        let positions: [u8; 14] = unmask(text, &MASK)?;
        if !positions.iter().skip(12).all(u8::is_ascii_digit) {
            return Err(IdError::Shape);
        }
        if all_equal(&positions) {
            return Err(IdError::NotAssigned);
        }
        if !two_check_digits(&positions, 9) {
            return Err(IdError::CheckDigits);
        }
        Ok(Cnpj(positions))
    }

    /// Fourteen positions without punctuation.
    pub fn as_str(&self) -> &str {
        ascii(&self.0)
    }

    /// The eight positions that all establishments of a company share.
    pub fn root(&self) -> &str {
        slice(self.as_str(), 0..8)
    }

    /// Does it hold letters? Some authorities do not take such numbers yet.
    pub fn is_alphanumeric(&self) -> bool {
        !self.0.iter().all(u8::is_ascii_digit)
    }

    /// `00.000.000/0000-00`, for people.
    pub fn masked(&self) -> String {
        let text = self.as_str();
        let part = |positions| slice(text, positions);
        format!(
            "{}.{}.{}/{}-{}",
            part(0..2),
            part(2..5),
            part(5..8),
            part(8..12),
            part(12..14)
        )
    }
}

impl fmt::Display for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cnpj({})", self.as_str())
    }
}

text_id!(
    Cnpj,
    pattern = "^[0-9A-Z]{12}[0-9]{2}$",
    doc = "CNPJ, 14 posições"
);
