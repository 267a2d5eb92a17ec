//! Errors in words: pt-BR, for the person who fills in the field.

mod forms;
mod known;

use std::fmt::Write;

use crate::layout::error::rule;
use crate::layout::table::{Declaration, Simples, Table, TablePattern, Type};

/// What a value does not keep to.
#[derive(Debug)]
pub(super) enum Failure<'t> {
    /// Name of the built-in type.
    Type(&'static str),
    Pattern(&'t TablePattern),
    Length {
        min: Option<u32>,
        max: Option<u32>,
        came: u32,
    },
    Enumeration(&'t [&'static str]),
    Range {
        from: Option<&'static str>,
        to: Option<&'static str>,
    },
    Fixed(&'static str),
}

/// Values of an enumeration that are listed.
const MAX_VALUES: usize = 30;

impl Failure<'_> {
    pub fn rule(&self) -> &'static str {
        match self {
            Failure::Type(_) => rule::TYPE,
            Failure::Pattern(_) => rule::PATTERN,
            Failure::Length { .. } => rule::LENGTH,
            Failure::Enumeration(_) => rule::ENUMERATION,
            Failure::Range { .. } => rule::RANGE,
            Failure::Fixed(_) => rule::FIXED_VALUE,
        }
    }

    /// Facet and value, as a schema validator would say it.
    pub fn original(&self) -> String {
        match self {
            Failure::Type(kind) => format!("type {kind}"),
            Failure::Pattern(pattern) => format!("pattern {}", pattern.text),
            Failure::Length { min, max, .. } => {
                let number = |n: &Option<u32>| n.map_or("-".to_owned(), |n| n.to_string());
                format!("minLength {}, maxLength {}", number(min), number(max))
            }
            Failure::Enumeration(values) => {
                let shows = values.get(..MAX_VALUES).unwrap_or(values);
                format!("enumeration {}", shows.join(" "))
            }
            Failure::Range { from, to } => format!(
                "minInclusive {}, maxInclusive {}",
                from.unwrap_or("-"),
                to.unwrap_or("-")
            ),
            Failure::Fixed(value) => format!("fixed {value}"),
        }
    }
}

/// The sentence and the way out.
pub(super) fn of_value(
    name: &str,
    kind: &Simples,
    value: &str,
    failure: &Failure<'_>,
) -> (String, String) {
    let expected = expected(name, kind, failure);
    if value.is_empty() {
        return (
            format!("{name} está vazio e deve ter {expected}."),
            format!("Informe {name}, ou retire o campo se ele não se aplica."),
        );
    }
    let message = match failure {
        Failure::Length { came, .. } => {
            format!("{name} deve ter {expected}; veio com {came}.")
        }
        Failure::Enumeration(_) | Failure::Fixed(_) => format!("{name} deve ser {expected}."),
        Failure::Type(_) | Failure::Pattern(_) | Failure::Range { .. } => {
            format!("{name} deve ter {expected}.")
        }
    };
    let correction = remedy(kind, value, failure).unwrap_or_else(|| match failure {
        Failure::Enumeration(_) | Failure::Fixed(_) => format!("Use {expected}."),
        Failure::Length {
            max: Some(max),
            came,
            ..
        } if came > max => {
            format!("Reduza {name} para no máximo {max} caracteres.")
        }
        _ => inform_with(name, &expected),
    });
    (message, correction)
}

/// What is expected, to follow «deve ter» or, for lists, «deve ser».
fn expected(name: &str, kind: &Simples, failure: &Failure<'_>) -> String {
    match failure {
        Failure::Enumeration(values) => possible_values(name, kind, values),
        Failure::Fixed(value) => (*value).to_owned(),
        Failure::Length { min, max, .. } => forms::characters(*min, *max),
        Failure::Range { from, to } => match (from, to) {
            (Some(from), Some(to)) => format!("valor de {from} a {to}"),
            (Some(from), None) => format!("valor a partir de {from}"),
            (None, Some(to)) => format!("valor até {to}"),
            (None, None) => "menos algarismos".to_owned(),
        },
        Failure::Type(base) => known::of_base(base).to_owned(),
        Failure::Pattern(pattern) => known::expected(name, kind.name)
            .map(str::to_owned)
            .or_else(|| forms::describe(pattern))
            .unwrap_or_else(|| "o formato que o layout define".to_owned()),
    }
}

fn possible_values(name: &str, kind: &Simples, values: &[&'static str]) -> String {
    if let Some(text) = known::list(name, kind.name) {
        return text.to_owned();
    }
    if values.len() > MAX_VALUES {
        return "um dos valores que o layout define".to_owned();
    }
    match values {
        [unique] => format!("\"{unique}\""),
        _ => list(values.iter().copied(), "ou"),
    }
}

/// What usually went wrong, told by the value itself.
fn remedy(kind: &Simples, value: &str, failure: &Failure<'_>) -> Option<String> {
    if matches!(failure, Failure::Length { .. }) {
        return None;
    }
    if value.contains(['\n', '\r', '\t']) {
        return Some("Retire as quebras de linha e tabulações.".to_owned());
    }
    if value.trim() != value {
        return Some("Retire os espaços do início e do fim.".to_owned());
    }
    let Failure::Pattern(pattern) = failure else {
        if let Failure::Enumeration(values) = failure {
            let equal = values.iter().find(|v| v.eq_ignore_ascii_case(value));
            return equal.map(|v| format!("Escreva {v}, com as mesmas maiúsculas e minúsculas."));
        }
        return None;
    };
    let text = pattern.text;
    if forms::decimal(text) {
        if value.contains(',') {
            return Some(
                "Use ponto como separador decimal e nenhum separador de milhar.".to_owned(),
            );
        }
        if value.starts_with('0') && value.len() > 1 && !value.starts_with("0.") {
            return Some("Retire os zeros à esquerda.".to_owned());
        }
        return None;
    }
    if text.contains('ÿ') && value.chars().any(|c| u32::from(c) > 0xFF) {
        return Some(
            "Retire os caracteres fora do alfabeto latino, como emojis e aspas tipográficas."
                .to_owned(),
        );
    }
    let punctuated = value.contains(['.', '-', '/', '(', ')', ' ']) && !text.contains('ÿ');
    let clean: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let data = kind.name.contains("Data") || kind.name.contains("Date");
    if punctuated && !data && pattern.matches(&clean) {
        return Some("Informe sem pontos, traços, barras nem espaços.".to_owned());
    }
    let uppercase = value.to_ascii_uppercase();
    if uppercase != value && pattern.matches(&uppercase) {
        return Some("Use letras maiúsculas.".to_owned());
    }
    None
}

/// «Informe NCM com 2 ou 8 dígitos.»
pub(super) fn inform(name: &str, table: &Table, declaration: Option<&Declaration>) -> String {
    let simples = declaration.and_then(|d| match d.kind {
        Type::Simples(index) => table.simples(index),
        Type::Complex(_) => None,
    });
    let Some(simples) = simples else {
        return format!("Inclua {name}.");
    };
    if !simples.values.is_empty() {
        let values = possible_values(name, simples, &simples.values);
        return format!("Informe {name}: {values}.");
    }
    let pattern = simples.patterns.last().and_then(|p| table.patterns.get(*p));
    match pattern {
        Some(pattern) => {
            let failure = Failure::Pattern(pattern);
            inform_with(name, &expected(name, simples, &failure))
        }
        None => format!("Informe {name}."),
    }
}

/// «com 2 a 14 dígitos», where a sentence with «deve ter» says «de 2 a 14».
fn inform_with(name: &str, expected: &str) -> String {
    let expected = expected.strip_prefix("de ").unwrap_or(expected);
    format!("Informe {name} com {expected}.")
}

/// Fields whose values are not repeated: they are someone's.
pub(super) fn personal(name: &str) -> bool {
    matches!(
        name,
        "CPF"
            | "xNome"
            | "xFant"
            | "email"
            | "fone"
            | "xLgr"
            | "nro"
            | "xCpl"
            | "xBairro"
            | "CEP"
            | "idEstrangeiro"
            | "xContato"
            | "placa"
            | "infCpl"
            | "NIF"
            | "tpNIF"
            | "emailDest"
            | "CPFDest"
            | "xDescServ"
            | "xInfComp"
            | "infAdProd"
            | "docIdentRec"
            | "nDoc"
            | "X509Certificate"
            | "SignatureValue"
            | "DigestValue"
            | "assinatura"
            | "qrCode"
            | "docZip"
            | "CAEPF"
            | "xPessoa"
            | "hashComprovante"
            | "latGPS"
            | "longGPS"
            | "xCorrecao"
            | "xJust"
            | "xTexto"
            | "obsCont"
            | "IM"
            | "CNO"
            | "CPFAgTrib"
    )
}

/// Two names that one slip of the keyboard tells apart, or only their case.
pub(super) fn similar(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().min(b.len()) < 4 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest_a = a.get(start..).unwrap_or_default();
    let rest_b = b.get(start..).unwrap_or_default();
    let end = rest_a
        .iter()
        .rev()
        .zip(rest_b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (leftover_a, leftover_b) = (rest_a.len() - end, rest_b.len() - end);
    let swap = leftover_a == 2
        && leftover_b == 2
        && rest_a.first() == rest_b.get(1)
        && rest_a.get(1) == rest_b.first();
    // A different digit makes another field (CST of ICMS00 and ICMS10), not a slip.
    let number = |rest: &[u8], n: usize| rest.iter().take(n).any(u8::is_ascii_digit);
    let numeric = number(rest_a, leftover_a) || number(rest_b, leftover_b);
    (leftover_a.max(leftover_b) <= 1 && !numeric) || swap
}

/// «a, b ou c».
pub(super) fn list<'n>(names: impl Iterator<Item = &'n str>, conjunction: &str) -> String {
    let names: Vec<&str> = names.collect();
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let before = match index {
            0 => "",
            i if i + 1 == names.len() => &format!(" {conjunction} "),
            _ => ", ",
        };
        // Writing into a String does not fail.
        write!(text, "{before}{name}").unwrap_or_default();
    }
    text
}
