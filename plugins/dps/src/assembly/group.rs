//! A group of official names under construction, in any order.

use sdk::{Decimal, FieldError};
use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub struct Grupo(Map<String, Value>);

impl Grupo {
    pub fn texto(&mut self, nome: &str, valor: &str) {
        self.0.insert(nome.into(), Value::String(valor.into()));
    }

    /// Left out when absent or blank.
    pub fn opcional(&mut self, nome: &str, valor: Option<&str>) {
        if let Some(valor) = valor.filter(|valor| !valor.trim().is_empty()) {
            self.texto(nome, valor);
        }
    }

    /// Two decimals; more than two is refused, never rounded.
    pub fn valor(&mut self, nome: &str, valor: Decimal, campo: &str, erros: &mut Vec<FieldError>) {
        match valor.fixed(2) {
            Some(texto) => self.texto(nome, &texto),
            None => erros.push(FieldError::new(
                campo,
                "casas_decimais",
                "No máximo 2 casas decimais.",
            )),
        }
    }

    /// Left out when absent or zero: the server wants values above zero
    /// (E0431, E0699 to E0701).
    pub fn valor_positivo(
        &mut self,
        nome: &str,
        valor: Option<Decimal>,
        campo: &str,
        erros: &mut Vec<FieldError>,
    ) {
        if let Some(valor) = valor.filter(|valor| !valor.is_zero()) {
            self.valor(nome, valor, campo, erros);
        }
    }

    pub fn group(&mut self, nome: &str, grupo: Grupo) {
        self.0.insert(nome.into(), Value::Object(grupo.0));
    }

    /// Left out when absent or without a field.
    pub fn opcional_grupo(&mut self, nome: &str, grupo: Option<Grupo>) {
        if let Some(grupo) = grupo.filter(|grupo| !grupo.0.is_empty()) {
            self.group(nome, grupo);
        }
    }

    pub fn lista(&mut self, nome: &str, itens: Vec<Grupo>) {
        self.0.insert(
            nome.into(),
            Value::Array(
                itens
                    .into_iter()
                    .map(|item| Value::Object(item.0))
                    .collect(),
            ),
        );
    }

    pub fn textos(&mut self, nome: &str, itens: &[String]) {
        self.0.insert(
            nome.into(),
            Value::Array(itens.iter().cloned().map(Value::String).collect()),
        );
    }

    pub fn vazio(&self) -> bool {
        self.0.is_empty()
    }

    pub fn arvore(self) -> Map<String, Value> {
        self.0
    }
}
