//! Access key of a national NFS-e.

use std::fmt;

use super::mask::{ascii, slice};
use super::text::text_id;
use super::{CpfCnpj, IbgeMunicipality, IdError};

/// Fifty positions: municipality (7), generating environment (1), kind of
/// registration (1), registration (14), number (13), year and month (4), random
/// (9), check digit (1).
///
/// The authority gives the key. Only its shape is checked: the registration may
/// hold letters, all else is digits. (The published schema has the letters at
/// positions 7 to 20, the structure at 10 to 23; keys follow the structure.)
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChaveNfse([u8; 50]);

impl ChaveNfse {
    /// Reads fifty positions; `NFS` before them (the `Id` of `infNFSe`) is
    /// taken off.
    ///
    /// # Errors
    /// Wrong length or characters.
    pub fn parse(text: &str) -> Result<ChaveNfse, IdError> {
        let key = text.strip_prefix("NFS").unwrap_or(text).as_bytes();
        let positions: [u8; 50] = key.try_into().map_err(|_| IdError::Shape)?;
        let fits = positions
            .iter()
            .enumerate()
            .all(|(index, byte)| match index {
                9..23 => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
                _ => byte.is_ascii_digit(),
            });
        if fits {
            Ok(ChaveNfse(positions))
        } else {
            Err(IdError::Shape)
        }
    }

    /// Fifty positions.
    pub fn as_str(&self) -> &str {
        ascii(&self.0)
    }

    /// The `Id` of `infNFSe`: `NFS` and the key.
    pub fn id(&self) -> String {
        format!("NFS{}", self.as_str())
    }

    /// Municipality that issued the note; none if its code is not valid.
    pub fn municipality(&self) -> Option<IbgeMunicipality> {
        IbgeMunicipality::parse(slice(self.as_str(), 0..7)).ok()
    }

    /// Environment that generated the note: '1' the city's, '2' the national.
    pub fn generating_ambiente(&self) -> char {
        self.char_at(7)
    }

    /// Registration of the issuer; none if kind or check digits do not fit.
    pub fn emitter(&self) -> Option<CpfCnpj> {
        let registration = slice(self.as_str(), 9..23);
        match self.char_at(8) {
            '1' => registration
                .strip_prefix("000")
                .and_then(|cpf| CpfCnpj::parse(cpf).ok()),
            '2' => CpfCnpj::parse(registration).ok(),
            _ => None,
        }
    }

    /// Number of the note.
    pub fn nota_number(&self) -> u64 {
        self.number(23..36)
    }

    /// Year and month of the emission.
    pub fn year_month(&self) -> (u16, u8) {
        let year = u16::try_from(2000 + self.number(36..38)).unwrap_or(0);
        (year, u8::try_from(self.number(38..40)).unwrap_or(0))
    }

    fn number(&self, positions: std::ops::Range<usize>) -> u64 {
        slice(self.as_str(), positions).parse().unwrap_or(0)
    }

    fn char_at(&self, position: usize) -> char {
        self.0.get(position).map_or('0', |byte| char::from(*byte))
    }
}

impl fmt::Display for ChaveNfse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ChaveNfse {
    /// The key of a natural person holds the CPF.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.char_at(8) {
            '1' => f.write_str("ChaveNfse(***)"),
            _ => write!(f, "ChaveNfse({})", self.as_str()),
        }
    }
}

text_id!(
    ChaveNfse,
    pattern = "^[0-9]{9}[0-9A-Z]{14}[0-9]{27}$",
    doc = "Chave de acesso da NFS-e nacional, 50 posições"
);
