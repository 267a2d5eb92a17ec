//! One thing to correct in a request: the row of `campos[]` in an error.

use crate::ids::Takes;
use serde::Serialize;

/// A field, what is wrong with it and how to mend it, in pt-BR.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Path in the request body, `valores.iss.aliquota` or `itens[0].ncm`.
    pub campo: String,
    /// Stable code of the rule.
    pub codigo: String,
    /// What is wrong.
    pub mensagem: String,
    /// How to mend it.
    pub correcao: String,
    /// What came, cut to 80 characters; absent for anything personal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valor: Option<String>,
}

/// Collects every problem of a request, so that one answer lists them all.
#[derive(Debug, Default)]
pub struct Fields(pub Vec<Field>);

impl Fields {
    /// Adds a problem without echoing the value.
    pub fn add(
        &mut self,
        field: impl Into<String>,
        code: &str,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) {
        self.0.push(Field {
            campo: field.into(),
            codigo: code.to_owned(),
            mensagem: message.into(),
            correcao: correction.into(),
            valor: None,
        });
    }

    /// Adds a problem and shows what came.
    pub fn add_value(
        &mut self,
        field: impl Into<String>,
        code: &str,
        value: &str,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) {
        self.add(field, code, message, correction);
        if let Some(last) = self.0.last_mut() {
            last.valor = Some(value.chars().take(80).collect());
        }
    }

    /// Adds what is wrong with a number that is no CPF or CNPJ, without the number.
    pub fn add_number(&mut self, field: impl Into<String>, takes: Takes, text: &str) {
        let mistake = takes.mistake(text);
        self.add(field, takes.code(), mistake.message, mistake.hint);
    }

    /// Ok when nothing is wrong.
    pub fn into_result(self) -> Result<(), Vec<Field>> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.0)
        }
    }
}

/// The place in a request of an official path of a layout, in the form that all
/// errors have: members are joined by dots, and items of a list are counted from 0
/// (`det[2]/prod/NCM`, which counts from 1, is `det[1].prod.NCM`).
pub fn of_layout(official: &str) -> String {
    let steps = official.split('/').filter(|step| !step.is_empty());
    let steps = steps.map(|step| {
        let step = step.strip_prefix('@').unwrap_or(step);
        match numbered(step) {
            Some((name, number)) => format!("{name}[{}]", number - 1),
            None => step.to_owned(),
        }
    });
    steps.collect::<Vec<_>>().join(".")
}

/// `infoConta[2]` in its parts; None for what has no number above 0.
fn numbered(step: &str) -> Option<(&str, usize)> {
    let (name, rest) = step.split_once('[')?;
    let number = rest.strip_suffix(']')?.parse().ok()?;
    (number > 0).then_some((name, number))
}

/// A path that somebody else wrote, as a JSON pointer (`/itens/0/ncm`) or with the
/// position after a dot (`itens.0.ncm`), in the form that all errors have
/// (`itens[0].ncm`).
pub fn of_pointer(path: &str) -> String {
    let mut place = String::new();
    for step in path.split(['/', '.']).filter(|step| !step.is_empty()) {
        if !place.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            place.push_str(&format!("[{step}]"));
        } else {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(step);
        }
    }
    place
}
