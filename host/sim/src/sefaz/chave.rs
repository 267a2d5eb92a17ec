//! The access key of 44 characters: its parts and its check digit.
//!
//! Source: MOC, composition of the key; NT 2025.001 and IN RFB 2.229/2024:
//! letters of a CNPJ count as their ASCII code less 48.

use super::family::Family;
use crate::documents::{abbreviation_of, cnpj_ok, cpf_ok};

/// The parts of a key whose form is right.
#[derive(Debug, Clone, Copy)]
pub struct Chave<'a> {
    /// IBGE code of the state.
    pub cuf: &'a str,
    /// Two digits of the year of emission.
    pub year: &'a str,
    /// Month of emission, two digits.
    pub month: &'a str,
    /// CNPJ, or zeros and CPF, of the issuer.
    pub emitter: &'a str,
    /// `55`, `65`, `57` or `58`.
    pub model: &'a str,
    /// Three digits.
    pub serie: &'a str,
    /// Number of the document, nine digits.
    pub number: &'a str,
    /// Form of emission (`tpEmis`).
    pub tp_emis: &'a str,
    /// Numeric code (`cNF`, `cCT`, `cMDF`).
    pub cnf: &'a str,
}

/// Check digit of the first 43 characters: weights 2 to 9 from the right. None
/// when one is neither a digit nor a capital letter.
pub fn digit(first: &str) -> Option<u32> {
    let mut sum = 0u32;
    for (byte, weight) in first.bytes().rev().zip((2..=9).cycle()) {
        if !(byte.is_ascii_digit() || byte.is_ascii_uppercase()) {
            return None;
        }
        sum += (u32::from(byte) - 48) * weight;
    }
    Some(match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    })
}

/// Splits a key of the right form: 6 digits, 12 digits or letters, 26 digits.
pub(super) fn split(key: &str) -> Option<Chave<'_>> {
    let form = key.len() == 44
        && key
            .bytes()
            .enumerate()
            .all(|(n, b)| b.is_ascii_digit() || (6..18).contains(&n) && b.is_ascii_uppercase());
    if !form {
        return None;
    }
    Some(Chave {
        cuf: key.get(..2)?,
        year: key.get(2..4)?,
        month: key.get(4..6)?,
        emitter: key.get(6..20)?,
        model: key.get(20..22)?,
        serie: key.get(22..25)?,
        number: key.get(25..34)?,
        tp_emis: key.get(34..35)?,
        cnf: key.get(35..43)?,
    })
}

/// The parts of a key that a message names, of a document of this family, in
/// the year `year_now`.
///
/// # Errors
/// The code of the rule that it breaks: 236, 614 to 619.
pub fn check<'k>(key: &'k str, family: &Family, year_now: i32) -> Result<Chave<'k>, &'static str> {
    let parts = split(key).ok_or("236")?;
    let last = key.get(43..).and_then(|d| d.parse::<u32>().ok());
    if key.get(..43).and_then(digit) != last {
        return Err("236");
    }
    if abbreviation_of(parts.cuf).is_none() {
        return Err("614");
    }
    let year = parts.year.parse::<i32>().unwrap_or(0) + 2000;
    if year < 2006 || year > year_now {
        return Err("615");
    }
    if !(1..=12).contains(&parts.month.parse::<u8>().unwrap_or(0)) {
        return Err("616");
    }
    let holder_ok = if parts.is_cpf() {
        parts.emitter.get(3..).is_some_and(cpf_ok)
    } else {
        cnpj_ok(parts.emitter)
    };
    if !holder_ok {
        return Err("617");
    }
    if !family.models.contains(&parts.model) {
        return Err("618");
    }
    if parts.number.bytes().all(|b| b == b'0') {
        return Err("619");
    }
    Ok(parts)
}

impl Chave<'_> {
    /// Series 910 to 969 belong to persons.
    pub fn is_cpf(&self) -> bool {
        (910..=969).contains(&self.serie.parse::<u16>().unwrap_or(0))
    }

    /// CNPJ or CPF of the issuer.
    pub fn document(&self) -> &str {
        if self.is_cpf() {
            self.emitter.get(3..).unwrap_or_default()
        } else {
            self.emitter
        }
    }

    /// Sigla of the state.
    pub fn uf(&self) -> &'static str {
        abbreviation_of(self.cuf).unwrap_or_default()
    }
}

/// Natural key of a note: model, series and number without zeros in front;
/// for the NFC-e the kind of emission too (rule 2B08-10).
pub(super) fn natural(parts: &Chave<'_>) -> String {
    let plain = |t: &str| t.trim_start_matches('0').to_owned();
    let serie = plain(parts.serie);
    let serie = if serie.is_empty() { "0" } else { &serie };
    let number = plain(parts.number);
    if parts.model == "65" {
        format!("65/{serie}/{number}/{}", parts.tp_emis)
    } else {
        format!("{}/{serie}/{number}", parts.model)
    }
}
