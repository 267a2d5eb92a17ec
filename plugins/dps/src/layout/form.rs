//! What a text of the layout may be (tiposSimples_v1.01 of 2026-07-27).

use crate::ids::{chave_valida, data_hora, digitos, serie_valida};

/// Form of a text; lengths in characters.
#[derive(Clone, Copy, Debug)]
pub enum Forma {
    /// Free text, not blank.
    Livre(usize, usize),
    /// `[0-9]` from so many to so many.
    Digitos(usize, usize),
    /// `[a-zA-Z0-9]` up to so many.
    Alfanumerico(usize),
    /// `[A-Z]` exactly so many.
    Maiusculas(usize),
    /// One of these.
    Um(&'static [&'static str]),
    /// Two decimals, up to so many integer digits (TSDec1V2 to TSDec15V2).
    Decimal(usize),
    Data,
    DataHora,
    Cnpj,
    /// TSChaveNFSe, 50 positions, or TSChaveNFe, 44.
    Chave(usize),
    /// TSSerieDPS.
    Serie,
    /// `[1-9][0-9]*`, up to 15.
    NumeroDps,
}

impl Forma {
    /// Whether a text has this form.
    pub fn aceita(self, texto: &str) -> bool {
        let tamanho = texto.chars().count();
        match self {
            Forma::Livre(min, max) => (min..=max).contains(&tamanho) && !texto.trim().is_empty(),
            Forma::Digitos(min, max) => digitos(texto) && (min..=max).contains(&tamanho),
            Forma::Alfanumerico(max) => {
                (1..=max).contains(&tamanho) && texto.bytes().all(|b| b.is_ascii_alphanumeric())
            }
            Forma::Maiusculas(exato) => {
                tamanho == exato && texto.bytes().all(|b| b.is_ascii_uppercase())
            }
            Forma::Um(opcoes) => opcoes.contains(&texto),
            Forma::Decimal(inteiros) => decimal(texto, inteiros),
            Forma::Data => data(texto),
            Forma::DataHora => {
                data_hora(texto).as_deref() == Some(texto) && texto.get(..10).is_some_and(data)
            }
            Forma::Cnpj => {
                tamanho == 14
                    && texto
                        .bytes()
                        .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
            }
            Forma::Chave(posicoes) => chave(texto, posicoes),
            Forma::Serie => serie_valida(texto),
            Forma::NumeroDps => digitos(texto) && tamanho <= 15 && !texto.starts_with('0'),
        }
    }

    /// The form in words, for a customer.
    pub fn descricao(self) -> String {
        match self {
            Forma::Livre(min, max) => format!("texto de {min} a {max} caracteres"),
            Forma::Digitos(min, max) if min == max => format!("{min} dígitos"),
            Forma::Digitos(min, max) => format!("de {min} a {max} dígitos"),
            Forma::Alfanumerico(max) => format!("até {max} letras ou dígitos"),
            Forma::Maiusculas(exato) => format!("{exato} letras maiúsculas"),
            Forma::Um(opcoes) => format!("um de: {}", opcoes.join(", ")),
            Forma::Decimal(inteiros) => {
                format!("número com até {inteiros} dígitos inteiros e 2 decimais")
            }
            Forma::Data => "data AAAA-MM-DD".into(),
            Forma::DataHora => "data e hora AAAA-MM-DDThh:mm:ss-03:00".into(),
            Forma::Cnpj => "CNPJ de 14 posições, sem pontuação".into(),
            Forma::Chave(posicoes) => format!("chave de acesso de {posicoes} posições"),
            Forma::Serie => "série de até 5 dígitos".into(),
            Forma::NumeroDps => "número de 1 a 15 dígitos, sem zeros à esquerda".into(),
        }
    }
}

/// `0|0\.[0-9]{2}|[1-9][0-9]*(\.[0-9]{2})?`
fn decimal(texto: &str, inteiros: usize) -> bool {
    let (inteiro, decimais) = match texto.split_once('.') {
        Some((inteiro, decimais)) => (inteiro, Some(decimais)),
        None => (texto, None),
    };
    let inteiro_ok = digitos(inteiro)
        && inteiro.len() <= inteiros
        && (inteiro == "0" || !inteiro.starts_with('0'));
    inteiro_ok && decimais.is_none_or(|decimais| digitos(decimais) && decimais.len() == 2)
}

/// TSChaveNFSe and TSChaveNFe: letters only where the CNPJ is.
fn chave(texto: &str, posicoes: usize) -> bool {
    if posicoes == 50 {
        return chave_valida(texto);
    }
    texto.len() == posicoes
        && texto
            .bytes()
            .enumerate()
            .all(|(at, b)| b.is_ascii_digit() || (b.is_ascii_uppercase() && (6..20).contains(&at)))
}

/// A day of the calendar from 2000 to 2099 (TSData).
fn data(texto: &str) -> bool {
    let parte = |de: usize, ate: usize| {
        texto
            .get(de..ate)
            .filter(|parte| digitos(parte))
            .and_then(|parte| parte.parse::<u32>().ok())
    };
    let (Some(ano), Some(mes), Some(dia)) = (parte(0, 4), parte(5, 7), parte(8, 10)) else {
        return false;
    };
    let separado =
        texto.len() == 10 && texto.get(4..5) == Some("-") && texto.get(7..8) == Some("-");
    let bissexto = ano % 4 == 0; // true for every year of the range
    let dias = match mes {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if bissexto => 29,
        2 => 28,
        _ => return false,
    };
    separado && (2000..2100).contains(&ano) && (1..=dias).contains(&dia)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (forma, sim, nao) in [
            (
                Forma::Livre(1, 3),
                &["a", "ção"][..],
                &["", "  ", "abcd"][..],
            ),
            (
                Forma::Digitos(2, 3),
                &["00", "123"],
                &["1", "1234", "1a", "٣٣"],
            ),
            (Forma::Alfanumerico(3), &["aZ9"], &["", "a-", "abcd"]),
            (Forma::Maiusculas(2), &["US"], &["us", "USA", "ÇÇ"]),
            (Forma::Um(&["1", "9"]), &["1"], &["2", ""]),
            (
                Forma::Decimal(2),
                &["0", "0.00", "99.99", "10"],
                &["00.10", "1.1", "100", "-1.00", "1,00", ""],
            ),
            (
                Forma::Data,
                &["2028-02-29", "2026-12-31"],
                &[
                    "2026-02-29",
                    "2026-13-01",
                    "1999-01-01",
                    "26-01-01",
                    "2026/01/01",
                ],
            ),
            (
                Forma::DataHora,
                &["2026-10-05T10:15:00-03:00"],
                &["2026-10-05T10:15:00Z", "2026-02-30T10:15:00-03:00"],
            ),
            (Forma::Cnpj, &["12ABC34501DE35"], &["12abc34501de35", "123"]),
            (
                Forma::Chave(50),
                &["41069022200000000000191000000000004226105000000010"],
                &["4106"],
            ),
            (Forma::Serie, &["1", "89999"], &["90000", "A", ""]),
            (
                Forma::NumeroDps,
                &["1", "999999999999999"],
                &["0", "01", "1000000000000000"],
            ),
        ] {
            for texto in sim {
                assert!(forma.aceita(texto), "{forma:?} {texto}");
            }
            for texto in nao {
                assert!(!forma.aceita(texto), "{forma:?} {texto}");
            }
        }
    }
}
