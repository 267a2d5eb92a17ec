//! Writes a tree of official names in the order of the layout.

use super::field_of;
use super::form::{accepts, description};
use sdk::FieldError;
use sdk::nfse::table::{Content, Element, Occurs, below};
use sdk::xml::Writer;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Official names and their texts, lists and groups. Error messages tell the
/// rule and never repeat a value.
type Tree = Map<String, Value>;

/// Where an element stands. Its path is made for an error only: the table has some
/// hundred elements, and a note few errors.
#[derive(Clone, Copy)]
struct Place<'a> {
    above: Option<&'a Place<'a>>,
    name: &'a str,
    /// Which of a list.
    index: Option<usize>,
}

impl Place<'_> {
    fn path(&self) -> String {
        let above = self.above.map(Place::path).unwrap_or_default();
        let path = below(&above, self.name);
        match self.index {
            Some(index) => format!("{path}[{index}]"),
            None => path,
        }
    }
}

/// Path of an element of the group that stands here.
fn inside(place: Option<&Place<'_>>, name: &str) -> String {
    below(&place.map(Place::path).unwrap_or_default(), name)
}

/// Writes `tree` and collects everything that does not fit.
pub fn write(w: &mut Writer, elements: &[Element], tree: &Tree, errors: &mut Vec<FieldError>) {
    group(w, elements, tree, None, errors);
}

fn group(
    w: &mut Writer,
    elements: &[Element],
    tree: &Tree,
    above: Option<&Place<'_>>,
    errors: &mut Vec<FieldError>,
) {
    for name in tree.keys() {
        if !elements.iter().any(|element| element.name == name) {
            errors.push(FieldError::new(
                &format!("inf_dps.{}", inside(above, name)),
                "elemento_desconhecido",
                "O leiaute da DPS não tem este elemento aqui.",
            ));
        }
    }
    choice(elements, tree, above, errors);
    for element in elements {
        let place = Place {
            above,
            name: element.name,
            index: None,
        };
        match (tree.get(element.name), element.occurs) {
            (None | Some(Value::Null), Occurs::Once | Occurs::UpTo(_)) => {
                missing(&place.path(), errors);
            }
            (None | Some(Value::Null), _) => {}
            (Some(Value::Array(items)), Occurs::UpTo(most)) => {
                if items.is_empty() {
                    missing(&place.path(), errors);
                }
                if items.len() > most {
                    let text = format!("No máximo {most} ocorrências.");
                    let field = field_of(&place.path());
                    errors.push(FieldError::new(&field, "ocorrencias", &text));
                    continue;
                }
                for (index, item) in items.iter().enumerate() {
                    let place = Place {
                        index: Some(index),
                        ..place
                    };
                    one(w, element, item, &place, errors);
                }
            }
            (Some(value), _) => one(w, element, value, &place, errors),
        }
    }
}

fn one(
    w: &mut Writer,
    element: &Element,
    value: &Value,
    place: &Place<'_>,
    errors: &mut Vec<FieldError>,
) {
    match (&element.content, value) {
        (Content::Group(inside), Value::Object(tree)) => {
            w.group(element.name, &[], |w| {
                group(w, inside, tree, Some(place), errors)
            });
        }
        (Content::Text(form), Value::String(_) | Value::Number(_)) => {
            let text = match value {
                Value::String(text) => Cow::Borrowed(text.trim()),
                other => Cow::Owned(other.to_string()),
            };
            if !accepts(*form, &text) {
                let expected = format!("Formato esperado: {}.", description(*form));
                let field = field_of(&place.path());
                errors.push(FieldError::new(&field, "formato", &expected));
            }
            w.leaf(element.name, &text);
        }
        (Content::Group(_), _) => errors.push(FieldError::new(
            &field_of(&place.path()),
            "tipo",
            "Esperado um objeto.",
        )),
        (Content::Text(_), _) => errors.push(FieldError::new(
            &field_of(&place.path()),
            "tipo",
            "Esperado um texto.",
        )),
    }
}

/// Exactly one of the alternatives (at most one where the choice is optional).
fn choice(
    elements: &[Element],
    tree: &Tree,
    above: Option<&Place<'_>>,
    errors: &mut Vec<FieldError>,
) {
    let alternatives = || {
        let all = elements.iter();
        all.filter(|element| matches!(element.occurs, Occurs::Choice | Occurs::OptionalChoice))
    };
    let Some(first) = alternatives().next() else {
        return;
    };
    let present = alternatives()
        .filter(|element| tree.get(element.name).is_some_and(|v| !v.is_null()))
        .count();
    if present > 1 || (present == 0 && first.occurs == Occurs::Choice) {
        let names: Vec<&str> = alternatives().map(|element| element.name).collect();
        let text = format!("Informe exatamente um de: {}.", names.join(", "));
        errors.push(FieldError::new(
            &field_of(&inside(above, first.name)),
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
