//! One thing to correct in a request: the row of `campos[]` in an error.

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

    /// Ok when nothing is wrong.
    pub fn into_result(self) -> Result<(), Vec<Field>> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.0)
        }
    }
}
