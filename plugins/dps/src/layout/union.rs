//! Merges `inf_dps`, the customer's own official elements, over the tree.

use sdk::FieldError;
use sdk::nfse::table::{Content, Element, Occurs, below};
use serde_json::{Map, Value};

/// Deepest nesting followed: the layout has eight levels.
const MAX_LEVELS: usize = 16;

/// Elements that decide which note this is: the hub numbers, signs and
/// settles by them, so nobody may change them behind its back.
const FIXED: [&str; 10] = [
    "tpAmb",
    "serie",
    "nDPS",
    "tpEmit",
    "cLocEmi",
    "subst",
    "prest.CNPJ",
    "prest.CPF",
    "prest.NIF",
    "prest.cNaoNIF",
];

/// Puts `from` over `tree`: groups are merged, texts and lists replaced, null
/// takes an element away, and an alternative of a choice drops the others.
pub fn unite(
    elements: &[Element],
    tree: &mut Map<String, Value>,
    from: &Map<String, Value>,
    errors: &mut Vec<FieldError>,
) {
    level(elements, tree, from, "", MAX_LEVELS, errors);
}

fn level(
    elements: &[Element],
    tree: &mut Map<String, Value>,
    from: &Map<String, Value>,
    path: &str,
    left: usize,
    errors: &mut Vec<FieldError>,
) {
    for (name, value) in from {
        let here = below(path, name);
        if FIXED.contains(&here.as_str()) || left == 0 {
            errors.push(FieldError::new(
                &format!("inf_dps.{here}"),
                "nao_permitido",
                "Este elemento não pode ser alterado por inf_dps.",
            ));
            continue;
        }
        let element = elements.iter().find(|element| element.name == name);
        if element.is_some_and(is_alternative) && !value.is_null() {
            tree.retain(|other, _| {
                let alternative = elements
                    .iter()
                    .any(|element| element.name == other && is_alternative(element));
                other == name || from.contains_key(other) || !alternative
            });
        }
        match (
            value,
            element.map(|element| &element.content),
            tree.get_mut(name),
        ) {
            (Value::Null, _, _) => {
                tree.remove(name);
            }
            (Value::Object(new), Some(Content::Group(inside)), Some(Value::Object(old))) => {
                level(inside, old, new, &here, left - 1, errors);
            }
            _ => {
                tree.insert(name.clone(), value.clone());
            }
        }
    }
}

/// One of a choice; no type of the layout has two of them.
fn is_alternative(element: &Element) -> bool {
    matches!(element.occurs, Occurs::Choice | Occurs::OptionalChoice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::DPS;
    use serde_json::json;

    fn united(tree: Value, from: Value) -> (Value, Vec<String>) {
        let (Value::Object(mut tree), Value::Object(from)) = (tree, from) else {
            panic!("objects")
        };
        let mut errors = Vec::new();
        unite(DPS, &mut tree, &from, &mut errors);
        (
            Value::Object(tree),
            errors.into_iter().map(|error| error.campo).collect(),
        )
    }

    #[test]
    fn groups_merge_and_choices_replace() {
        let (tree, errors) = united(
            json!({"valores": {"trib": {"totTrib": {"indTotTrib": "0"}, "tribMun": {"tribISSQN": "1", "pAliq": "2.00"}}}}),
            json!({"valores": {"trib": {"totTrib": {"pTotTribSN": "6.00"}, "tribMun": {"pAliq": null}}}, "serv": {"infoCompl": {"xPed": "7"}}}),
        );
        assert!(errors.is_empty());
        assert_eq!(
            tree,
            json!({"valores": {"trib": {"totTrib": {"pTotTribSN": "6.00"}, "tribMun": {"tribISSQN": "1"}}}, "serv": {"infoCompl": {"xPed": "7"}}})
        );
    }

    #[test]
    fn the_identity_of_the_note_is_not_open() {
        let (tree, errors) = united(
            json!({"nDPS": "1", "prest": {"CNPJ": "00000000000191"}}),
            json!({"nDPS": "2", "prest": {"CNPJ": "11111111000191", "CPF": "1"}, "subst": {}}),
        );
        assert_eq!(
            errors,
            [
                "inf_dps.nDPS",
                "inf_dps.prest.CNPJ",
                "inf_dps.prest.CPF",
                "inf_dps.subst"
            ]
        );
        assert_eq!(
            tree,
            json!({"nDPS": "1", "prest": {"CNPJ": "00000000000191"}})
        );
    }
}
