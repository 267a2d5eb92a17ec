//! Numbers of bar codes: GTIN of GS1, ISBN of books, ISSN of periodicals.
//!
//! A [`Barcode`] is valid as far as can be told without asking anybody: length
//! and check digit. Sources: GS1 General Specifications (check digit: §7.9), ISO
//! 2108 (ISBN), ISO 3297 (ISSN).

mod digits;

pub use digits::check_digit;

use digits::{modulo_10, modulo_11};

/// Why a text is no number of a bar code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BarcodeError {
    /// Something else than digits, blanks and hyphens. `X` is allowed as the
    /// last of ten characters.
    #[error("something else than digits")]
    Characters,
    /// How many digits there are; 8, 10, 12, 13 or 14 are possible.
    #[error("{0} digits are no bar code")]
    Length(usize),
    /// The last digit does not fit the others.
    #[error("check digit {found}, expected {expected}")]
    CheckDigit {
        /// The one that fits.
        expected: char,
        /// The one that is there.
        found: char,
    },
    /// Nothing but zeros: the check digit fits, and nobody has this number.
    #[error("no such number is given out")]
    NotAssigned,
}

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// EAN-8: 8 digits, for small packages.
    Gtin8,
    /// UPC-A: 12 digits, given out in North America.
    Gtin12,
    /// EAN-13: 13 digits. Sheet music (979-0, ISMN) is counted here.
    Gtin13,
    /// DUN-14: 14 digits, for cartons and other logistic units.
    Gtin14,
    /// A book: EAN-13 with the prefix 978, or 979 without the 0 of ISMN.
    Isbn13,
    /// A book, as numbered until 2006: 9 digits and a check digit that may be X.
    Isbn10,
    /// A periodical: EAN-13 with the prefix 977.
    Issn,
}

impl Kind {
    /// The name in use among people: `EAN-13`, `UPC-A`, `ISBN-10`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Gtin8 => "EAN-8",
            Kind::Gtin12 => "UPC-A",
            Kind::Gtin13 => "EAN-13",
            Kind::Gtin14 => "GTIN-14",
            Kind::Isbn13 => "ISBN-13",
            Kind::Isbn10 => "ISBN-10",
            Kind::Issn => "ISSN",
        }
    }

    /// The structure of GS1, `GTIN-8` to `GTIN-14`. None for an ISBN-10, which
    /// has one only as [`Barcode::isbn13`].
    pub fn structure(self) -> Option<&'static str> {
        match self {
            Kind::Gtin8 => Some("GTIN-8"),
            Kind::Gtin12 => Some("GTIN-12"),
            Kind::Gtin13 | Kind::Isbn13 | Kind::Issn => Some("GTIN-13"),
            Kind::Gtin14 => Some("GTIN-14"),
            Kind::Isbn10 => None,
        }
    }
}

/// A number with the right length and check digit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Barcode {
    kind: Kind,
    digits: String,
}

impl Barcode {
    /// Reads a number; blanks and hyphens are left out.
    ///
    /// # Errors
    /// What exactly is wrong: characters, length, check digit, only zeros.
    pub fn parse(text: &str) -> Result<Barcode, BarcodeError> {
        let digits = cleaned(text)?;
        let kind = kind(&digits)?;
        if digits.bytes().all(|byte| byte == b'0') {
            return Err(BarcodeError::NotAssigned);
        }
        let (payload, last) = split_last(&digits);
        let expected = match kind {
            Kind::Isbn10 => modulo_11(payload),
            _ => modulo_10(payload),
        };
        match last {
            Some(found) if found != expected => Err(BarcodeError::CheckDigit { expected, found }),
            _ => Ok(Barcode { kind, digits }),
        }
    }

    /// What the number is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Without blanks and hyphens, as long as it was given.
    pub fn as_str(&self) -> &str {
        &self.digits
    }

    /// Fourteen digits, filled up with zeros from the left: the form in which
    /// GTIN of different lengths are compared. An ISBN-10 goes by its ISBN-13.
    pub fn gtin14(&self) -> String {
        let digits = match self.kind {
            Kind::Isbn10 => self.isbn13().unwrap_or_default(),
            _ => self.digits.clone(),
        };
        format!("{digits:0>14}")
    }

    /// The ISBN-13 of a book; None for anything else. For an ISBN-10 its nine
    /// digits behind 978, with a check digit of their own (ISO 2108).
    pub fn isbn13(&self) -> Option<String> {
        match self.kind {
            Kind::Isbn13 => Some(self.digits.clone()),
            Kind::Isbn10 => {
                let payload = format!("978{}", split_last(&self.digits).0);
                let check = modulo_10(&payload);
                Some(format!("{payload}{check}"))
            }
            _ => None,
        }
    }

    /// The ISSN `NNNN-NNNX` of a periodical; None for anything else. The bar code
    /// has its first seven digits behind 977; the eighth is computed (ISO 3297).
    pub fn issn(&self) -> Option<String> {
        if self.kind != Kind::Issn {
            return None;
        }
        let seven = self.digits.get(3..10)?;
        let (first, second) = seven.split_at_checked(4)?;
        Some(format!("{first}-{second}{}", modulo_11(seven)))
    }

    /// Whether GS1 left the number to the shop or region that uses it: it means
    /// nothing elsewhere (GS1 General Specifications, restricted circulation: GTIN-8 with 0 or 2,
    /// others with 02, 04 or 2 as GTIN-13).
    pub fn is_restricted(&self) -> bool {
        if self.kind == Kind::Gtin8 {
            return self.digits.starts_with(['0', '2']);
        }
        let padded = self.gtin14();
        let thirteen = padded.get(1..).unwrap_or_default();
        ["02", "04", "2"]
            .iter()
            .any(|prefix| thirteen.starts_with(prefix))
    }
}

/// Digits without blanks and hyphens.
fn cleaned(text: &str) -> Result<String, BarcodeError> {
    let counts = |c: &char| !c.is_whitespace() && *c != '-';
    let mut digits: String = text.chars().filter(counts).collect();
    digits.make_ascii_uppercase();
    let is_isbn10 = digits.len() == 10;
    let fits =
        |(at, byte): (usize, u8)| byte.is_ascii_digit() || is_isbn10 && at == 9 && byte == b'X';
    if digits.bytes().enumerate().all(fits) {
        Ok(digits)
    } else {
        Err(BarcodeError::Characters)
    }
}

fn kind(digits: &str) -> Result<Kind, BarcodeError> {
    Ok(match digits.len() {
        8 => Kind::Gtin8,
        10 => Kind::Isbn10,
        12 => Kind::Gtin12,
        13 if digits.starts_with("977") => Kind::Issn,
        13 if digits.starts_with("978") => Kind::Isbn13,
        13 if digits.starts_with("979") && !digits.starts_with("9790") => Kind::Isbn13,
        13 => Kind::Gtin13,
        14 => Kind::Gtin14,
        other => return Err(BarcodeError::Length(other)),
    })
}

/// Everything but the last character, and that one.
fn split_last(digits: &str) -> (&str, Option<char>) {
    let mut chars = digits.chars();
    let last = chars.next_back();
    (chars.as_str(), last)
}
