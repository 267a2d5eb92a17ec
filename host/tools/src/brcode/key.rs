//! Keys of PIX: what a receiver is found by.

use markup::ids::{Cnpj, Cpf, CpfCnpj, IdError};
use std::fmt;

use crate::phone::Phone;

/// Most characters of a key.
const LONGEST: usize = 77;

/// Why a text is no key. Never repeats the text: it may be somebody's CPF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Of none of the five kinds.
    #[error("not a CPF, CNPJ, e-mail, telephone with +55 or random key")]
    Form,
    /// A CPF or CNPJ whose check digits do not fit, or that nobody has. Eleven
    /// digits are a CPF: a telephone begins with a plus.
    #[error("the check digits of the CPF or CNPJ do not fit")]
    CheckDigits,
    /// Has an `@` and is no address of e-mail.
    #[error("not an e-mail")]
    Email,
    /// Begins with a plus and is no telephone number.
    #[error("not a telephone number")]
    Phone,
}

/// A key in the form in which the directory of PIX (DICT) has it. Whether it is
/// registered is not known. `Debug` shows the kind alone: keys are personal data.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum PixKey {
    /// Eleven digits.
    Cpf(Cpf),
    /// Fourteen positions, letters in upper case.
    Cnpj(Cnpj),
    /// An e-mail of at most 77 characters, in small letters.
    Email(String),
    /// A telephone number with plus and country (E.164).
    Phone(String),
    /// A random UUID in small letters, given out by the directory.
    Random(String),
}

impl PixKey {
    /// Tells which kind of key a text is and brings it into the directory's form:
    /// a CPF or CNPJ may have its mask, a telephone its punctuation.
    ///
    /// # Errors
    /// No key, or one that cannot exist.
    pub fn parse(text: &str) -> Result<PixKey, KeyError> {
        let text = text.trim();
        if text.contains('@') {
            let email = text.to_ascii_lowercase();
            return if is_email(&email) {
                Ok(PixKey::Email(email))
            } else {
                Err(KeyError::Email)
            };
        }
        if text.starts_with('+') {
            // Which area codes exist is the directory's business.
            let phone = Phone::parse(text, |_| true).ok();
            let e164 = phone.and_then(|phone| phone.e164);
            return e164.map(PixKey::Phone).ok_or(KeyError::Phone);
        }
        if is_uuid(text) {
            return Ok(PixKey::Random(text.to_ascii_lowercase()));
        }
        match CpfCnpj::parse(text) {
            Ok(CpfCnpj::Cpf(cpf)) => Ok(PixKey::Cpf(cpf)),
            Ok(CpfCnpj::Cnpj(cnpj)) => Ok(PixKey::Cnpj(cnpj)),
            Err(IdError::Shape | IdError::OutOfRange) => Err(KeyError::Form),
            Err(IdError::CheckDigits | IdError::NotAssigned) => Err(KeyError::CheckDigits),
        }
    }

    /// The key as the directory has it.
    pub fn as_str(&self) -> &str {
        match self {
            PixKey::Cpf(cpf) => cpf.as_str(),
            PixKey::Cnpj(cnpj) => cnpj.as_str(),
            PixKey::Email(text) | PixKey::Phone(text) | PixKey::Random(text) => text,
        }
    }

    /// The word of the API for the kind of key.
    pub fn kind(&self) -> &'static str {
        match self {
            PixKey::Cpf(_) => "cpf",
            PixKey::Cnpj(_) => "cnpj",
            PixKey::Email(_) => "email",
            PixKey::Phone(_) => "telefone",
            PixKey::Random(_) => "aleatoria",
        }
    }
}

impl fmt::Debug for PixKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PixKey({})", self.kind())
    }
}

/// The form that the directory takes (API of the DICT, `Key`): a dot-atom of RFC
/// 5322 in small letters, `@`, labels of letters, digits and hyphens.
fn is_email(text: &str) -> bool {
    let label = |label: &str| {
        matches!(label.len(), 1..=63)
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let atom = |atom: &str| {
        !atom.is_empty()
            && atom
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"!#$&'*+/=?^_`{|}~-".contains(&b))
    };
    text.len() <= LONGEST
        && text.split_once('@').is_some_and(|(user, domain)| {
            user.split('.').all(atom) && domain.contains('.') && domain.split('.').all(label)
        })
}

/// 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12. The version is not
/// checked: the manual's own examples are of version 1.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
