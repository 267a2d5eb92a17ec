//! Types that several operations have in common become one component, as people who
//! generate programs of the document expect: those of requests under the name of the
//! type, answers under the name of the first one.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Where components are referred to.
const COMPONENTS: &str = "#/components/schemas/";

/// Types that were moved into the components: the name there, which begins with the
/// operation, and the name of the type.
pub(super) type Moved = BTreeMap<String, String>;

/// Merges moved types that are the same, and gives each the shortest name that is free.
/// `paths` refer to them.
pub(super) fn merge(
    moved: &Moved,
    paths: &mut Map<String, Value>,
    components: &mut Map<String, Value>,
) {
    let classes = classes(moved, components);
    let names = named(moved, &classes, components);
    let mut merged = Map::new();
    for (key, mut schema) in std::mem::take(components) {
        renamed(&mut schema, &names);
        let name = names.get(&key).cloned().unwrap_or(key);
        // The same type under an equal name: whichever came first.
        merged.entry(name).or_insert(schema);
    }
    *components = merged;
    paths.values_mut().for_each(|path| renamed(path, &names));
}

/// What stands behind the name of a type of requests, where an answer has its name.
const OF_REQUESTS: &str = "DoPedido";

/// Leaves one of equal components: of a type of requests that says the same as the type
/// of answers of its name, the latter; of equal `answers`, the first.
pub(super) fn fold(
    answers: &[String],
    paths: &mut Map<String, Value>,
    components: &mut Map<String, Value>,
) {
    // What refers to folded components may be equal after that.
    loop {
        let names = equal(answers, components);
        if names.is_empty() {
            return;
        }
        for name in names.keys() {
            components.remove(name);
        }
        let schemas = components.values_mut();
        schemas
            .chain(paths.values_mut())
            .for_each(|schema| renamed(schema, &names));
    }
}

/// Components that say the same as another one, and which.
fn equal(answers: &[String], components: &Map<String, Value>) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for (name, schema) in components {
        let of_answers = name.strip_suffix(OF_REQUESTS);
        if let Some(other) = of_answers.filter(|other| components.get(*other) == Some(schema)) {
            names.insert(name.clone(), other.to_owned());
        }
    }
    let mut first: HashMap<String, &String> = HashMap::new();
    for name in answers {
        let Some(schema) = components.get(name) else {
            continue;
        };
        let kept = first.entry(schema.to_string()).or_insert(name);
        if *kept != name {
            names.insert(name.clone(), (*kept).clone());
        }
    }
    names
}

/// The class of each moved type: types of one name are in one class if they say the same,
/// down to the types that they refer to. Begins with all types of a name in one class and
/// parts those that differ, until none does: types may refer to each other in circles.
fn classes<'m>(moved: &'m Moved, components: &Map<String, Value>) -> HashMap<&'m str, usize> {
    let mut known = 0;
    let mut classes: HashMap<&str, usize> = HashMap::new();
    loop {
        let mut numbers: HashMap<(&str, String), usize> = HashMap::new();
        let mut next = HashMap::new();
        for (key, name) in moved {
            let mut schema = components.get(key).cloned().unwrap_or_default();
            each_reference(&mut schema, &mut |to| {
                let class = classes.get(to)?;
                Some(format!("class {class}"))
            });
            // The first time all references are alike, whatever they lead to.
            let said = if classes.is_empty() {
                String::new()
            } else {
                schema.to_string()
            };
            let number = numbers.len();
            let class = *numbers.entry((name, said)).or_insert(number);
            next.insert(key.as_str(), class);
        }
        let parted = numbers.len();
        classes = next;
        if parted == known {
            return classes;
        }
        known = parted;
    }
}

/// The new name of each moved type.
fn named(
    moved: &Moved,
    classes: &HashMap<&str, usize>,
    components: &Map<String, Value>,
) -> HashMap<String, String> {
    let mut of_class: HashMap<usize, String> = HashMap::new();
    let mut taken: Vec<String> = components.keys().cloned().collect();
    let mut names = HashMap::new();
    for (key, name) in moved {
        let Some(class) = classes.get(key.as_str()) else {
            continue;
        };
        let name = of_class.entry(*class).or_insert_with(|| {
            // An answer may have a type of that name.
            let forms = [name.clone(), format!("{name}{OF_REQUESTS}")];
            let free = forms.into_iter().find(|form| !taken.contains(form));
            let chosen = free.unwrap_or_else(|| key.clone());
            taken.push(chosen.clone());
            chosen
        });
        names.insert(key.clone(), name.clone());
    }
    names
}

/// Refers to components by their new names.
fn renamed(schema: &mut Value, names: &HashMap<String, String>) {
    each_reference(schema, &mut |to| {
        let name = names.get(to)?;
        Some(format!("{COMPONENTS}{name}"))
    });
}

/// Puts another text in the place of references to components; None leaves one as it is.
fn each_reference(value: &mut Value, other: &mut impl FnMut(&str) -> Option<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let to = member.as_str().and_then(|to| to.strip_prefix(COMPONENTS));
                match to.filter(|_| name == "$ref").and_then(&mut *other) {
                    Some(text) => *member = text.into(),
                    None => each_reference(member, other),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                each_reference(item, other);
            }
        }
        _ => {}
    }
}
