//! Labels that a shop's scale prints: an EAN-13 with prefix 2, which holds the
//! shop's code of the product and a weight or a price.
//!
//! GS1 leaves prefix 2 to the shop (General Specifications, restricted circulation
//! numbers). Scales in Brazil print `2`, the code, the value, the check
//! digit. How many of the eleven digits are code, and whether the value is a
//! weight or a price, is a setting of the scale: the label does not say it.

use rust_decimal::Decimal;

use crate::barcode::{Barcode, BarcodeError, Kind};

/// Why a number is no label of a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScaleError {
    /// No valid number of a bar code at all.
    #[error(transparent)]
    Barcode(#[from] BarcodeError),
    /// A valid number, but not of 13 digits that begin with 2.
    #[error("not an EAN-13 with prefix 2")]
    NotOfScale,
    /// A code of so many digits; 4, 5 and 6 are in use.
    #[error("a code of {0} digits is not in use")]
    CodeLength(u8),
}

/// What the value of a label means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Kilograms with three decimals.
    Weight,
    /// R$ with two decimals.
    Price,
}

impl Reading {
    /// The other meaning.
    #[must_use]
    pub fn other(self) -> Reading {
        match self {
            Reading::Weight => Reading::Price,
            Reading::Price => Reading::Weight,
        }
    }
}

/// A label, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The shop's code of the product, with its leading zeros.
    pub code: String,
    /// The digits of the value, with their leading zeros.
    pub value: String,
    /// The value read as kilograms, three decimals.
    pub weight_kg: Decimal,
    /// The value read as R$, two decimals.
    pub price: Decimal,
    /// Which of the two the shop says it is; the other is the alternative.
    pub reading: Reading,
}

impl Label {
    /// The value in the shop's reading: kilograms or R$.
    pub fn amount(&self) -> Decimal {
        self.amount_as(self.reading)
    }

    /// The value in the other reading, for a label that makes no sense as it was
    /// read.
    pub fn alternative(&self) -> Decimal {
        self.amount_as(self.reading.other())
    }

    fn amount_as(&self, reading: Reading) -> Decimal {
        match reading {
            Reading::Weight => self.weight_kg,
            Reading::Price => self.price,
        }
    }
}

/// Takes a label apart. `code_digits` (4, 5 or 6) and `reading` are what the
/// shop's scale is set to; the value has the 7, 6 or 5 digits that remain.
///
/// # Errors
/// Not a valid EAN-13 with prefix 2; a length of the code that is not in use.
pub fn split(ean: &str, code_digits: u8, reading: Reading) -> Result<Label, ScaleError> {
    if !matches!(code_digits, 4..=6) {
        return Err(ScaleError::CodeLength(code_digits));
    }
    let barcode = Barcode::parse(ean)?;
    let digits = barcode.as_str();
    if barcode.kind() != Kind::Gtin13 || !digits.starts_with('2') {
        return Err(ScaleError::NotOfScale);
    }
    let parts = digits.get(1..12);
    let (code, value) = parts
        .and_then(|eleven| eleven.split_at_checked(usize::from(code_digits)))
        .ok_or(ScaleError::NotOfScale)?;
    let units: i64 = value.parse().map_err(|_| ScaleError::NotOfScale)?;
    Ok(Label {
        code: code.to_owned(),
        value: value.to_owned(),
        weight_kg: Decimal::new(units, 3),
        price: Decimal::new(units, 2),
        reading,
    })
}
