//! BR Code: the text behind the QR code of a PIX, which people copy and paste.
//!
//! A BR Code is a list of fields of two digits of id, two of length and the value
//! (TLV), as EMV QRCPS Merchant-Presented Mode 1.1 has it. Source: Banco Central do
//! Brasil, "Manual do BR Code" and "Manual de padrões para iniciação do Pix".

mod charge;
mod crc;
mod fold;
mod key;
mod read;
mod tlv;

pub use charge::Charge;
pub use crc::crc16;
pub use fold::{fit, fold};
pub use key::{KeyError, PixKey};
pub use read::{BrCode, read};
pub use tlv::Field;

/// Most characters of the receiver's name (field 59).
pub const MAX_NAME: usize = 25;
/// Most characters of the receiver's city (field 60).
pub const MAX_CITY: usize = 15;
/// Most characters of the identifier of the transaction (field 62-05).
pub const MAX_TXID: usize = 25;
/// Most characters of an amount (field 54).
pub const MAX_AMOUNT: usize = 13;
/// Most characters of any field, and so of the account with its key and its
/// description together (field 26).
pub const MAX_FIELD: usize = 99;
/// Most characters of a code (EMV QRCPS).
pub const MAX_CODE: usize = 512;

/// Who owns the field 26: PIX.
const GUI: &str = "br.gov.bcb.pix";
/// What stands for "no identifier" (field 62-05).
const NO_TXID: &str = "***";

/// Something in a BR Code that is not as the manuals ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// More than [`MAX_CODE`] characters; a code that is read is not looked into.
    #[error("{0} characters, at most {max}", max = MAX_CODE)]
    TooLong(usize),
    /// Characters outside of ASCII.
    #[error("characters outside of ASCII")]
    NotAscii,
    /// From this character on (from 0) there are no fields.
    #[error("no field at character {0}")]
    Malformed(usize),
    /// The value of this field should be a list of fields.
    #[error("field {0} is no list of fields")]
    Template(String),
    /// This field is there twice; the first one counts.
    #[error("field {0} is there twice")]
    Repeated(String),
    /// This field must be there.
    #[error("field {0} is missing")]
    Missing(&'static str),
    /// This field must have this value.
    #[error("field {field} must be {expected}")]
    Value {
        /// Which field.
        field: &'static str,
        /// The value.
        expected: &'static str,
    },
    /// This field is empty or too long.
    #[error("field {field} has {found} characters, possible are 1 to {max}")]
    Length {
        /// Which field.
        field: &'static str,
        /// Most characters.
        max: usize,
        /// How many there are.
        found: usize,
    },
    /// No field 26 to 51 belongs to PIX.
    #[error("not a code of PIX")]
    NotPix,
    /// The account has neither a key nor an address of a charge.
    #[error("neither a key nor an address")]
    NoKey,
    /// The key is none.
    #[error("key: {0}")]
    Key(#[from] KeyError),
    /// The key is one, but not as the directory writes it: with a mask, or in
    /// another case.
    #[error("the key is not in the form of the directory")]
    KeyForm,
    /// The identifier has other characters than letters and digits.
    #[error("the identifier takes letters and digits only")]
    Txid,
    /// The amount is not above zero, or not digits with at most two decimals.
    #[error("the amount must be above zero, with at most two decimals")]
    Amount,
    /// Something follows the checksum.
    #[error("the checksum is not the last field")]
    CrcNotLast,
    /// The checksum does not fit: a character was changed, lost or added.
    #[error("checksum {found}, expected {expected}")]
    Crc {
        /// Four hexadecimal digits that fit.
        expected: String,
        /// What is there.
        found: String,
    },
}

/// A problem if a field is empty or longer than `max` characters.
fn check_length(problems: &mut Vec<Problem>, field: &'static str, text: &str, max: usize) {
    let found = text.chars().count();
    if !(1..=max).contains(&found) {
        problems.push(Problem::Length { field, max, found });
    }
}

/// Problems of an identifier: 1 to 25 letters and digits, or `***`.
fn check_txid(problems: &mut Vec<Problem>, txid: &str) {
    check_length(problems, "62-05", txid, MAX_TXID);
    if txid != NO_TXID && !txid.bytes().all(|b| b.is_ascii_alphanumeric()) {
        problems.push(Problem::Txid);
    }
}
