//! /api/v1/pix

mod brcode;
mod brcode_ler;

use gate::docs::Built;
use markup::field::Field;
use tools::brcode::{KeyError, MAX_CODE, Problem};

pub fn built() -> Vec<Built> {
    vec![brcode::built(), brcode_ler::built()]
}

/// What is not as the manuals of PIX ask, for customers. `campo` is the field of
/// the code, as `62-05`.
fn told(problem: &Problem) -> Field {
    let field = |id: &str, code: &str, message: String| Field {
        campo: id.to_owned(),
        codigo: code.to_owned(),
        mensagem: message,
        correcao: "Peça outro código a quem o fez.".to_owned(),
        valor: None,
    };
    match problem {
        Problem::TooLong(found) => field(
            "",
            "tamanho",
            format!("O código tem {found} caracteres; cabem {MAX_CODE}."),
        ),
        Problem::NotAscii => field("", "caracteres", "Há caracteres fora do ASCII.".to_owned()),
        Problem::Malformed(at) => field(
            "",
            "forma",
            format!("Do caractere {at} em diante não há campos."),
        ),
        Problem::Template(id) => {
            field(id, "forma", "O campo não é uma lista de campos.".to_owned())
        }
        Problem::Repeated(id) => field(
            id,
            "repetido",
            "O campo está repetido; vale o primeiro.".to_owned(),
        ),
        Problem::Missing(id) => field(id, "ausente", "O campo falta.".to_owned()),
        Problem::Value {
            field: id,
            expected,
        } => field(id, "valor", format!("O campo deve ser {expected}.")),
        Problem::Length {
            field: id,
            max,
            found,
        } => field(
            id,
            "tamanho",
            format!("O campo tem {found} caracteres; cabem de 1 a {max}."),
        ),
        Problem::NotPix => field("26", "nao_pix", "Não é um código PIX.".to_owned()),
        Problem::NoKey => field(
            "26",
            "sem_chave",
            "Não há chave nem endereço de cobrança.".to_owned(),
        ),
        Problem::Key(error) => field("26-01", "chave", key(*error).to_owned()),
        Problem::KeyForm => field(
            "26-01",
            "chave",
            "A chave não está como o DICT a escreve: sem máscara, em minúsculas.".to_owned(),
        ),
        Problem::Txid => field(
            "62-05",
            "txid",
            "O identificador só tem letras e dígitos.".to_owned(),
        ),
        Problem::Amount => field(
            "54",
            "valor",
            "O valor é maior que zero, com até duas casas.".to_owned(),
        ),
        Problem::CrcNotLast => field(
            "63",
            "crc",
            "O verificador não é o último campo.".to_owned(),
        ),
        Problem::Crc { expected, found } => field(
            "63",
            "crc",
            format!("O verificador é {found}; o certo é {expected}: algo no código mudou."),
        ),
    }
}

/// Why a text is no key of PIX.
fn key(error: KeyError) -> &'static str {
    match error {
        KeyError::Form => "Não é CPF, CNPJ, e-mail, telefone com +55 nem chave aleatória.",
        KeyError::CheckDigits => "Os dígitos verificadores do CPF ou CNPJ não conferem.",
        KeyError::Email => "Não é um e-mail.",
        KeyError::Phone => "Não é um telefone: são +55, DDD e número.",
    }
}
