//! Content of importation: how much of an industrialized good came from abroad,
//! and the number of the sheet (FCI) that declares it.
//!
//! Sources: Senate Resolution 13/2012; Convênio ICMS 38/2013, clauses 3 to 5;
//! Ajuste SINIEF 20/2012 (table of origins).

use rust_decimal::{Decimal, RoundingStrategy};

/// Why there is no content of importation, or no number of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FciError {
    /// The imported part or the value of an input is below zero.
    #[error("a value is below zero")]
    Negative,
    /// The value of the interstate exit is zero or below.
    #[error("the value of the exit is not above zero")]
    NoExit,
    /// An input with an origin outside of 0 to 8.
    #[error("{0} is not an origin")]
    Origin(u8),
    /// More than 28 digits.
    #[error("the values are too large")]
    TooLarge,
    /// Not 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
    #[error("not a number of an FCI")]
    Number,
}

/// Origin of the goods, of those that depend on the content of importation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// 5: national, at most 40 %.
    Low,
    /// 3: national, above 40 % and at most 70 %.
    Medium,
    /// 8: national, above 70 %.
    High,
}

impl Origin {
    /// The digit of the field `orig` of the NF-e.
    pub fn code(self) -> &'static str {
        match self {
            Origin::Low => "5",
            Origin::Medium => "3",
            Origin::High => "8",
        }
    }
}

/// The content of importation of a good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// In percent, two decimals, rounded half up. Above 100 where the exit was
    /// below the cost of what was imported.
    pub percent: Decimal,
    /// What the good is sold as. The exact ratio decides, not the rounded one.
    /// A good without any imported part may be 0 as well.
    pub origin: Origin,
    /// Whether the interstate rate is 4 %: above 40 % (clause 2, II). Clause 3
    /// has exceptions that depend on the good: without a national equivalent,
    /// made by a basic productive process (PPB), natural gas.
    pub four_percent: bool,
}

/// Something that went into the good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// In R$, of what is in one unit of the good. Imported by the manufacturer:
    /// the customs value (FOB, freight and insurance). Bought in Brazil: the value
    /// on the note without ICMS and IPI (clause 4, § 1).
    pub value: Decimal,
    /// Origin on the note by which it came in, 0 to 8.
    pub origin: u8,
}

/// The imported part of what went into a good, in R$.
///
/// Origins 1, 2 and 8 count in full, 3 counts half, 5 nothing (clause 4, § 3).
/// What has no national equivalent (6, 7) or a basic productive process (4) counts
/// nothing (clause 4, § 4), nor does what is national (0).
///
/// # Errors
/// A value below zero, an unknown origin, a sum too large.
pub fn imported_part(inputs: &[Input]) -> Result<Decimal, FciError> {
    let mut sum = Decimal::ZERO;
    for input in inputs {
        if input.value < Decimal::ZERO {
            return Err(FciError::Negative);
        }
        let counted = match input.origin {
            1 | 2 | 8 => input.value,
            3 => input.value / Decimal::TWO,
            0 | 4..=7 => Decimal::ZERO,
            other => return Err(FciError::Origin(other)),
        };
        sum = sum.checked_add(counted).ok_or(FciError::TooLarge)?;
    }
    Ok(sum)
}

/// The content of importation: the imported part divided by the value of the
/// interstate exit without ICMS and IPI, both in R$ and of one unit (clause 4).
///
/// # Errors
/// An imported part below zero, an exit not above zero, values too large.
pub fn content(imported: Decimal, exit: Decimal) -> Result<Content, FciError> {
    if imported < Decimal::ZERO {
        return Err(FciError::Negative);
    }
    if exit <= Decimal::ZERO {
        return Err(FciError::NoExit);
    }
    let times = |value: Decimal, factor: Decimal| {
        let product = value.checked_mul(factor);
        product.ok_or(FciError::TooLarge)
    };
    let hundredfold = times(imported, Decimal::ONE_HUNDRED)?;
    let above_40 = hundredfold > times(exit, Decimal::from(40))?;
    let above_70 = hundredfold > times(exit, Decimal::from(70))?;
    let ratio = hundredfold.checked_div(exit).ok_or(FciError::TooLarge)?;
    let mut percent = ratio.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    percent.rescale(2);
    Ok(Content {
        percent,
        origin: match (above_40, above_70) {
            (_, true) => Origin::High,
            (true, false) => Origin::Medium,
            (false, false) => Origin::Low,
        },
        four_percent: above_40,
    })
}

/// The number of a sheet as the field `nFCI` of the NF-e takes it: 32 hexadecimal
/// digits in groups of 8, 4, 4, 4 and 12, upper case. Small letters and blanks
/// around are corrected.
///
/// # Errors
/// Any other form.
pub fn number(text: &str) -> Result<String, FciError> {
    let text = text.trim();
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    if text.len() == 36 && text.bytes().enumerate().all(fits) {
        Ok(text.to_ascii_uppercase())
    } else {
        Err(FciError::Number)
    }
}
