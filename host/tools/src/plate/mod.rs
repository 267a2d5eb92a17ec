//! Plates of vehicles: both forms, from one to the other, readings of a plate
//! that was read badly, and the state of the first registration.
//!
//! Sources: CONTRAN Resolution 969/2022, annex (Mercosul form; second digit
//! 0 to 9 becomes A to J); ranges of letters as DENATRAN gave them to the states.

mod misread;

pub use misread::{Candidate, MAX_CANDIDATES, candidates};

use std::fmt;

/// A text that has the form of no plate: not seven letters and digits (a hyphen,
/// blanks and points aside), or not in the places of either form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither AAA9999 nor AAA9A99")]
pub struct PlateError;

/// The form of a plate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `AAA9999`, given out until 2020.
    Old,
    /// `AAA9A99`, given out from 2018 on.
    Mercosul,
}

/// Seven letters and digits, upper case, in one of the two forms. Whether the
/// plate was given out is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Plate([u8; 7]);

impl Plate {
    /// Reads a plate in either form and case; blanks, points and hyphens are left
    /// out.
    ///
    /// # Errors
    /// Any other form.
    pub fn parse(text: &str) -> Result<Plate, PlateError> {
        Plate::of(seven(text)?).ok_or(PlateError)
    }

    /// A plate of seven upper-case letters and digits.
    fn of(signs: [u8; 7]) -> Option<Plate> {
        let [a, b, c, d, e, f, g] = signs;
        let letters = [a, b, c].iter().all(u8::is_ascii_uppercase);
        let digits = [d, f, g].iter().all(u8::is_ascii_digit);
        let fifth = e.is_ascii_digit() || e.is_ascii_uppercase();
        (letters && digits && fifth).then_some(Plate(signs))
    }

    /// Seven signs without hyphen.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Which of the two forms it has.
    pub fn format(&self) -> Format {
        if self.fifth().is_ascii_digit() {
            Format::Old
        } else {
            Format::Mercosul
        }
    }

    /// The same vehicle's plate in the Mercosul form: the second digit becomes a
    /// letter, 0 to 9 A to J. A Mercosul plate stays as it is.
    #[must_use]
    pub fn to_mercosul(self) -> Plate {
        match self.fifth() {
            digit @ b'0'..=b'9' => self.with_fifth(digit - b'0' + b'A'),
            _ => self,
        }
    }

    /// The same vehicle's plate in the old form. None for a plate that never had
    /// one: its fifth sign is a letter behind J. An old plate stays as it is.
    pub fn to_old(self) -> Option<Plate> {
        match self.fifth() {
            letter @ b'A'..=b'J' => Some(self.with_fifth(letter - b'A' + b'0')),
            b'0'..=b'9' => Some(self),
            _ => None,
        }
    }

    /// The state of the first registration, which a vehicle keeps when it moves,
    /// by the series that were given out until 2018. None where the state of the
    /// series was not published, and for Mercosul plates that never were old ones.
    pub fn first_uf(self) -> Option<&'static str> {
        data::plates::range_of(self.to_old()?.as_str())?.uf
    }

    fn fifth(&self) -> u8 {
        let [_, _, _, _, fifth, _, _] = self.0;
        fifth
    }

    fn with_fifth(self, fifth: u8) -> Plate {
        let [a, b, c, d, _, f, g] = self.0;
        Plate([a, b, c, d, fifth, f, g])
    }
}

impl fmt::Display for Plate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Plate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plate({self})")
    }
}

/// The seven letters and digits of a text, upper case.
fn seven(text: &str) -> Result<[u8; 7], PlateError> {
    let mut signs = [0; 7];
    let mut places = signs.iter_mut();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            let upper = c.to_ascii_uppercase();
            *places.next().ok_or(PlateError)? = u8::try_from(upper).map_err(|_| PlateError)?;
        } else if !c.is_whitespace() && !"-.".contains(c) {
            return Err(PlateError);
        }
    }
    match places.next() {
        None => Ok(signs),
        Some(_) => Err(PlateError),
    }
}
