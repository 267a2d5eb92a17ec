//! Municipalities by their IBGE code.

use std::fmt;

use super::IdError;
use super::text::text_id;

/// Official codes whose check digit does not follow the rule, and never did.
const EXCEPTIONS: [u32; 9] = [
    2201919, 2201988, 2202251, 2611533, 3117836, 3152131, 4305871, 5203939, 5203962,
];

/// Seven digits: two of the state, four of the municipality, one check digit.
/// That a municipality with this code exists is not checked here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IbgeMunicipality(u32);

impl IbgeMunicipality {
    /// Reads seven digits.
    ///
    /// # Errors
    /// Wrong shape, unknown state or wrong check digit.
    pub fn parse(text: &str) -> Result<IbgeMunicipality, IdError> {
        if text.len() != 7 || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(IdError::Shape);
        }
        IbgeMunicipality::new(text.parse().map_err(|_| IdError::Shape)?)
    }

    /// The same from a number.
    pub fn new(code: u32) -> Result<IbgeMunicipality, IdError> {
        if !(1_000_000..=9_999_999).contains(&code) {
            return Err(IdError::Shape);
        }
        if state(code).is_none() {
            return Err(IdError::NotAssigned);
        }
        if code % 10 != check_digit(code / 10) && !EXCEPTIONS.contains(&code) {
            return Err(IdError::CheckDigits);
        }
        Ok(IbgeMunicipality(code))
    }

    /// All seven digits.
    pub fn code(self) -> u32 {
        self.0
    }

    /// IBGE code of the state ("35").
    pub fn uf(self) -> u32 {
        self.0 / 100_000
    }

    /// Sigla of the state.
    pub fn uf_abbreviation(self) -> Option<&'static str> {
        state(self.0).map(|uf| uf.abbreviation)
    }
}

/// The state a code starts with.
fn state(code: u32) -> Option<&'static data::ufs::Uf> {
    data::ufs::by_code(u8::try_from(code / 100_000).ok()?)
}

/// Modulo 10, weights 1 and 2 in turn from the left, digits of the products added.
fn check_digit(base: u32) -> u32 {
    let sum: u32 = [100_000, 10_000, 1_000, 100, 10, 1]
        .into_iter()
        .zip([1, 2].into_iter().cycle())
        .map(|(place, weight)| base / place % 10 * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    (10 - sum % 10) % 10
}

impl fmt::Display for IbgeMunicipality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:07}", self.0)
    }
}

text_id!(
    IbgeMunicipality,
    pattern = "^[1-5][0-9]{6}$",
    doc = "Código IBGE do município, 7 dígitos"
);
