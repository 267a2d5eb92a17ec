//! What is wrong with a number that is no CPF or CNPJ, told to the customer who sent it.

use super::{Cnpj, Cpf, IdError};

/// A sentence about a number and what to do. Neither has the number: it may be
/// somebody's CPF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong, in Portuguese.
    pub message: String,
    /// What to send instead, in Portuguese.
    pub hint: &'static str,
}

/// What a member takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A person's number.
    Cpf,
    /// A company's number.
    Cnpj,
    /// Either; the length tells which.
    CpfCnpj,
}

impl Takes {
    /// The code of a refused number in `campos[].codigo`.
    pub fn code(self) -> &'static str {
        match self {
            Takes::Cpf => "cpf_invalido",
            Takes::Cnpj => "cnpj_invalido",
            Takes::CpfCnpj => "cpf_cnpj_invalido",
        }
    }

    /// The name, and the lengths it may have.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Takes::Cpf => ("CPF", "um CPF tem 11 dígitos"),
            Takes::Cnpj => ("CNPJ", "um CNPJ tem 14 posições"),
            Takes::CpfCnpj => (
                "CPF ou CNPJ",
                "um CPF tem 11 dígitos e um CNPJ tem 14 posições",
            ),
        }
    }

    /// Positions of a number whose first zero was lost, as in a spreadsheet.
    fn lost_zero(self, length: usize) -> bool {
        match self {
            Takes::Cpf => length == 10,
            Takes::Cnpj => length == 13,
            Takes::CpfCnpj => length == 10 || length == 13,
        }
    }

    /// What is wrong with `text`, which was refused as what this takes.
    pub fn mistake(self, text: &str) -> Mistake {
        let (name, lengths) = self.described();
        let length = text
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .count();
        let foreign = |letter: char| !letter.is_ascii_alphanumeric() && !"./- ".contains(letter);
        if length == 0 {
            return Mistake {
                message: format!("O {name} está vazio."),
                hint: "Informe o número, ou retire o campo se ele não for obrigatório.",
            };
        }
        if self.lost_zero(length) && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Mistake {
                message: format!("O {name} tem {length} dígitos: {lengths}."),
                hint: "Um zero à esquerda pode ter se perdido: envie o número como texto, com todos os zeros.",
            };
        }
        if !self.fits(length) {
            return Mistake {
                message: format!("O {name} tem {length} dígitos ou letras: {lengths}."),
                hint: "Confira o número; a pontuação pode ir ou não.",
            };
        }
        match self.error(text) {
            Some(IdError::NotAssigned) => Mistake {
                message: format!("O {name} não existe: todos os dígitos são iguais."),
                hint: "Informe o número verdadeiro.",
            },
            Some(IdError::Shape) if text.chars().any(foreign) => Mistake {
                message: format!("O {name} tem um caractere que não faz parte dele."),
                hint: "Envie só os dígitos (ou as letras do CNPJ), com ou sem ponto, barra e traço.",
            },
            Some(IdError::Shape) => Mistake {
                message: format!("O {name} tem letra ou pontuação onde não pode haver: {lengths}."),
                hint: "Um CPF tem só dígitos; o CNPJ pode ter letras nas 12 primeiras posições. A pontuação é 000.000.000-00 ou 00.000.000/0000-00.",
            },
            _ => Mistake {
                message: format!("{name} inválido: o dígito verificador não confere."),
                hint: "Confira o número; o CNPJ pode ter letras nas 12 primeiras posições.",
            },
        }
    }

    fn fits(self, length: usize) -> bool {
        match self {
            Takes::Cpf => length == 11,
            Takes::Cnpj => length == 14,
            Takes::CpfCnpj => length == 11 || length == 14,
        }
    }

    fn error(self, text: &str) -> Option<IdError> {
        match self {
            Takes::Cpf => Cpf::parse(text).err(),
            Takes::Cnpj => Cnpj::parse(text).err(),
            Takes::CpfCnpj => super::CpfCnpj::parse(text).err(),
        }
    }
}
