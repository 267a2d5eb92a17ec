//! Checks that collect every problem of a content before it is refused.

use sdk::{Decimal, Failure, FieldError};

/// Problems found so far, with the paths of the API's body.
#[derive(Default)]
pub struct Campos {
    erros: Vec<FieldError>,
}

impl Campos {
    pub fn erro(&mut self, campo: &str, regra: &str, texto: &str) {
        self.erros.push(FieldError::new(campo, regra, texto));
    }

    /// A text that must be there, of at most `max` characters.
    pub fn texto(&mut self, campo: &str, valor: Option<&str>, max: usize) -> String {
        let texto = self.opcional(campo, valor, max);
        if texto.is_none() && !self.tem(campo) {
            self.erro(
                campo,
                "obrigatorio",
                "O leiaute da prefeitura exige este campo.",
            );
        }
        texto.unwrap_or_default()
    }

    /// A text of at most `max` characters; blank is absent. Nothing is cut:
    /// what does not fit is an error.
    pub fn opcional(&mut self, campo: &str, valor: Option<&str>, max: usize) -> Option<String> {
        let texto = valor.map(str::trim).filter(|texto| !texto.is_empty())?;
        if texto.chars().count() > max {
            self.erro(
                campo,
                "tamanho",
                &format!("O leiaute da prefeitura aceita até {max} caracteres."),
            );
            return None;
        }
        Some(texto.to_owned())
    }

    /// A code with exactly these many digits.
    pub fn digitos(&mut self, campo: &str, valor: &str, tamanho: usize) -> String {
        let valor = valor.trim();
        if valor.len() != tamanho || !valor.bytes().all(|b| b.is_ascii_digit()) {
            self.erro(campo, "formato", &format!("Informe {tamanho} dígitos."));
        }
        valor.to_owned()
    }

    /// An amount in R$: not negative, two decimals, at most 13 whole digits.
    pub fn valor(&mut self, campo: &str, valor: Decimal) -> String {
        match valor.fixed(2) {
            Some(texto) if !valor.is_negative() && texto.len() <= 16 => texto,
            _ => {
                self.erro(
                    campo,
                    "valor",
                    "Informe um valor em reais, não negativo, com até duas casas decimais.",
                );
                String::new()
            }
        }
    }

    fn tem(&self, campo: &str) -> bool {
        self.erros.iter().any(|erro| erro.campo == campo)
    }

    /// # Errors
    /// `invalid-input` with all problems, when there is one.
    pub fn resultado(self, mensagem: String) -> Result<String, Failure> {
        if self.erros.is_empty() {
            Ok(mensagem)
        } else {
            Err(Failure::invalid_input(self.erros))
        }
    }
}
