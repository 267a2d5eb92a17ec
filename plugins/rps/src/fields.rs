//! Checks that collect every problem of a content before it is refused.

use sdk::{Decimal, Failure, FieldError};

/// Problems found so far, with the paths of the API's body.
#[derive(Default)]
pub struct Fields {
    erros: Vec<FieldError>,
}

impl Fields {
    pub fn error(&mut self, field: &str, rule: &str, text: &str) {
        self.erros.push(FieldError::new(field, rule, text));
    }

    /// A text that must be there, of at most `max` characters.
    pub fn text(&mut self, field: &str, value: Option<&str>, max: usize) -> String {
        let text = self.optional(field, value, max);
        if text.is_none() && !self.has(field) {
            self.error(
                field,
                "obrigatorio",
                "O leiaute da prefeitura exige este campo.",
            );
        }
        text.unwrap_or_default()
    }

    /// A text of at most `max` characters; blank is absent. Nothing is cut:
    /// what does not fit is an error.
    pub fn optional(&mut self, field: &str, value: Option<&str>, max: usize) -> Option<String> {
        let text = value.map(str::trim).filter(|text| !text.is_empty())?;
        if text.chars().count() > max {
            self.error(
                field,
                "tamanho",
                &format!("O leiaute da prefeitura aceita até {max} caracteres."),
            );
            return None;
        }
        Some(text.to_owned())
    }

    /// A code with exactly these many digits.
    pub fn digits(&mut self, field: &str, value: &str, length: usize) -> String {
        let value = value.trim();
        if value.len() != length || !value.bytes().all(|b| b.is_ascii_digit()) {
            self.error(field, "formato", &format!("Informe {length} dígitos."));
        }
        value.to_owned()
    }

    /// An amount in R$: not negative, two decimals, at most 13 whole digits.
    pub fn value(&mut self, field: &str, value: Decimal) -> String {
        match value.fixed(2) {
            Some(text) if !value.is_negative() && text.len() <= 16 => text,
            _ => {
                self.error(
                    field,
                    "valor",
                    "Informe um valor em reais, não negativo, com até duas casas decimais.",
                );
                String::new()
            }
        }
    }

    /// Something is wrong with this field already.
    pub fn has(&self, field: &str) -> bool {
        self.erros.iter().any(|error| error.campo == field)
    }

    /// # Errors
    /// `invalid-input` with all problems, when there is one.
    pub fn result(self, message: String) -> Result<String, Failure> {
        if self.erros.is_empty() {
            Ok(message)
        } else {
            Err(Failure::invalid_input(self.erros))
        }
    }
}
