//! Writes a tree of official names in the order of the layout.

use super::field_of;
use super::form::{accepts, description};
use sdk::FieldError;
use sdk::nfse::table::{Content, Element, Occurs, below};
use sdk::xml::Writer;
use serde_json::{Map, Value};

/// Official names and their texts, lists and groups. Error messages tell the
/// rule and never repeat a value.
type Tree = Map<String, Value>;

/// Writes `tree` and collects everything that does not fit.
pub fn write(w: &mut Writer, elements: &[Element], tree: &Tree, errors: &mut Vec<FieldError>) {
    group(w, elements, tree, "", errors);
}

fn group(
    w: &mut Writer,
    elements: &[Element],
    tree: &Tree,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    for name in tree.keys() {
        if !elements.iter().any(|element| element.name == name) {
            errors.push(FieldError::new(
                &format!("inf_dps.{}", below(path, name)),
                "elemento_desconhecido",
                "O leiaute da DPS não tem este elemento aqui.",
            ));
        }
    }
    choice(elements, tree, path, errors);
    for element in elements {
        let path = below(path, element.name);
        match (tree.get(element.name), element.occurs) {
            (None | Some(Value::Null), Occurs::Once | Occurs::UpTo(_)) => missing(&path, errors),
            (None | Some(Value::Null), _) => {}
            (Some(Value::Array(items)), Occurs::UpTo(most)) => {
                if items.is_empty() {
                    missing(&path, errors);
                }
                if items.len() > most {
                    let text = format!("No máximo {most} ocorrências.");
                    errors.push(FieldError::new(&field_of(&path), "ocorrencias", &text));
                    continue;
                }
                for (index, item) in items.iter().enumerate() {
                    one(w, element, item, &format!("{path}[{index}]"), errors);
                }
            }
            (Some(value), _) => one(w, element, value, &path, errors),
        }
    }
}

fn one(w: &mut Writer, element: &Element, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    match (&element.content, value) {
        (Content::Group(inside), Value::Object(tree)) => {
            w.group(element.name, &[], |w| group(w, inside, tree, path, errors));
        }
        (Content::Text(form), Value::String(_) | Value::Number(_)) => {
            let text = match value {
                Value::String(text) => text.trim().to_owned(),
                other => other.to_string(),
            };
            if !accepts(*form, &text) {
                let text = format!("Formato esperado: {}.", description(*form));
                errors.push(FieldError::new(&field_of(path), "formato", &text));
            }
            w.leaf(element.name, &text);
        }
        (Content::Group(_), _) => errors.push(FieldError::new(
            &field_of(path),
            "tipo",
            "Esperado um objeto.",
        )),
        (Content::Text(_), _) => errors.push(FieldError::new(
            &field_of(path),
            "tipo",
            "Esperado um texto.",
        )),
    }
}

/// Exactly one of the alternatives (at most one where the choice is optional).
fn choice(elements: &[Element], tree: &Tree, path: &str, errors: &mut Vec<FieldError>) {
    let alternatives: Vec<&Element> = elements
        .iter()
        .filter(|element| matches!(element.occurs, Occurs::Choice | Occurs::OptionalChoice))
        .collect();
    let Some(first) = alternatives.first() else {
        return;
    };
    let present = alternatives
        .iter()
        .filter(|element| tree.get(element.name).is_some_and(|v| !v.is_null()))
        .count();
    if present > 1 || (present == 0 && first.occurs == Occurs::Choice) {
        let names: Vec<&str> = alternatives.iter().map(|element| element.name).collect();
        let text = format!("Informe exatamente um de: {}.", names.join(", "));
        errors.push(FieldError::new(
            &field_of(&below(path, first.name)),
            "escolha",
            &text,
        ));
    }
}

fn missing(path: &str, errors: &mut Vec<FieldError>) {
    errors.push(FieldError::new(
        &field_of(path),
        "obrigatorio",
        "O leiaute da DPS exige este campo.",
    ));
}
