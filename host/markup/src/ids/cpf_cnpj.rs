//! Fields that take a person or a company.

use std::fmt;

use super::text::text_id;
use super::{Cnpj, Cpf, IdError};

/// A CPF or a CNPJ; the length tells which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CpfCnpj {
    /// A person.
    Cpf(Cpf),
    /// A company.
    Cnpj(Cnpj),
}

impl CpfCnpj {
    /// Reads either, with or without its mask.
    ///
    /// # Errors
    /// As of the one whose length fits.
    pub fn parse(text: &str) -> Result<CpfCnpj, IdError> {
        match Cpf::parse(text) {
            Ok(cpf) => Ok(CpfCnpj::Cpf(cpf)),
            Err(IdError::Shape) => Cnpj::parse(text).map(CpfCnpj::Cnpj),
            Err(error) => Err(error),
        }
    }

    /// Eleven or fourteen positions without punctuation.
    pub fn as_str(&self) -> &str {
        match self {
            CpfCnpj::Cpf(cpf) => cpf.as_str(),
            CpfCnpj::Cnpj(cnpj) => cnpj.as_str(),
        }
    }

    /// With punctuation, for people.
    pub fn masked(&self) -> String {
        match self {
            CpfCnpj::Cpf(cpf) => cpf.masked(),
            CpfCnpj::Cnpj(cnpj) => cnpj.masked(),
        }
    }

    /// The CPF, if it is a person.
    pub fn cpf(&self) -> Option<&Cpf> {
        match self {
            CpfCnpj::Cpf(cpf) => Some(cpf),
            CpfCnpj::Cnpj(_) => None,
        }
    }

    /// The CNPJ, if it is a company.
    pub fn cnpj(&self) -> Option<&Cnpj> {
        match self {
            CpfCnpj::Cpf(_) => None,
            CpfCnpj::Cnpj(cnpj) => Some(cnpj),
        }
    }
}

impl From<Cpf> for CpfCnpj {
    fn from(cpf: Cpf) -> CpfCnpj {
        CpfCnpj::Cpf(cpf)
    }
}

impl From<Cnpj> for CpfCnpj {
    fn from(cnpj: Cnpj) -> CpfCnpj {
        CpfCnpj::Cnpj(cnpj)
    }
}

impl fmt::Display for CpfCnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

text_id!(
    CpfCnpj,
    pattern = "^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$",
    doc = "CPF (11 dígitos) ou CNPJ (14 posições)"
);
