//! What a member takes, as a sentence: for one that is missing or of another type.

use super::{expanded, places_of};
use serde_json::Value;

/// Words of an enumeration that a sentence names.
const NAMED: usize = 30;

/// What to write at a path such as `itens[0].quantidade`; None: the schema does not say.
pub fn at(schema: &Value, path: &str) -> Option<String> {
    let mut kinds = Kinds::default();
    for place in places_of(schema, path) {
        for part in expanded(schema, place) {
            kinds.add(part);
        }
    }
    kinds.sentence()
}

/// The types a member may have, gathered over the schemas it may follow.
#[derive(Default)]
struct Kinds<'s> {
    words: Vec<&'s str>,
    number: bool,
    integer: bool,
    text: bool,
    list: bool,
    group: bool,
    logical: bool,
}

impl<'s> Kinds<'s> {
    fn add(&mut self, schema: &'s Value) {
        let words = schema["enum"].as_array().into_iter().flatten();
        self.words.extend(words.filter_map(Value::as_str));
        let one = schema["type"].as_str();
        let several = schema["type"].as_array().into_iter().flatten();
        for kind in one.into_iter().chain(several.filter_map(Value::as_str)) {
            match kind {
                "number" => self.number = true,
                "integer" => self.integer = true,
                "string" => self.text = true,
                "array" => self.list = true,
                "object" => self.group = true,
                "boolean" => self.logical = true,
                _ => {}
            }
        }
    }

    fn sentence(self) -> Option<String> {
        let mut words: Vec<&str> = Vec::new();
        for word in &self.words {
            // The layout's code of a word is taken, too; the word says more.
            let code = word.bytes().all(|byte| byte.is_ascii_digit());
            if !code && !words.contains(word) {
                words.push(word);
            }
        }
        if !words.is_empty() && words.len() <= NAMED {
            return Some(format!("Escreva um de: {}.", words.join(", ")));
        }
        let said = match self {
            Kinds { number: true, .. } => {
                "Escreva o número com ponto decimal, sem R$ e sem separador de milhar, como 1500.00."
            }
            Kinds { integer: true, .. } => "Escreva um número inteiro, sem aspas, como 1.",
            Kinds { list: true, .. } => {
                "Escreva uma lista entre colchetes, mesmo de um só elemento: [ … ]."
            }
            Kinds { group: true, .. } => "Escreva um objeto com os seus campos: { … }.",
            Kinds { logical: true, .. } => "Escreva true ou false, sem aspas.",
            Kinds { text: true, .. } => "Escreva um texto, entre aspas.",
            _ => return None,
        };
        Some(said.to_owned())
    }
}
