//! What an adapter says about itself feeds forms, logs and routing: it must
//! be small, plain and free of contradictions.

use crate::contract::permissions::is_shown;
use crate::contract::{Context, Description, Named, OptionKind, OptionSpec};
use std::collections::BTreeSet;

/// Items in one list of a description.
const ITEMS: usize = 64;
/// Characters of an explanation, and of one choice or default.
const TEXT_CHARS: usize = 2_000;
const VALUE_CHARS: usize = 200;
/// Characters of a name.
const NAME_CHARS: usize = 60;
/// Characters of the adapter's own name and version.
const IDENTITY_CHARS: usize = 40;

/// Holds a description to what the hub shows and stores of it.
///
/// # Errors
/// A sentence that names the field.
pub fn check(description: &Description) -> Result<(), String> {
    for (field, text) in [
        ("name", &description.name),
        ("version", &description.version),
    ] {
        let plain = text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
        if text.is_empty() || text.len() > IDENTITY_CHARS || !plain || text.starts_with('.') {
            return Err(format!(
                "{field} must be 1 to {IDENTITY_CHARS} letters, digits, '-', '.' or '_'"
            ));
        }
    }
    lengths(description)?;
    names("schemas", description.schemas.iter())?;
    names(
        "operations",
        description
            .operations
            .iter()
            .map(|operation| &operation.name),
    )?;
    names(
        "options",
        description.options.iter().map(|option| &option.name),
    )?;
    names(
        "endpoints",
        description.endpoints.iter().map(|endpoint| &endpoint.name),
    )?;
    let texts = (description
        .operations
        .iter()
        .map(|operation| &operation.notes))
    .chain(description.options.iter().map(|option| &option.doc))
    .chain(description.endpoints.iter().map(|endpoint| &endpoint.doc))
    .chain(&description.maintainers);
    for text in texts {
        if text.len() > TEXT_CHARS {
            return Err(format!(
                "a text has {} characters, the limit is {TEXT_CHARS}",
                text.len()
            ));
        }
        if text.chars().any(|c| !is_shown(c) && c != '\n') {
            return Err(
                "a text has control characters, or such as change the order of others".to_owned(),
            );
        }
    }
    description.options.iter().try_for_each(option)
}

/// Whether a component has an operation.
pub fn has_operation(description: &Description, operation: &str) -> bool {
    let mut own = description.operations.iter();
    own.any(|own| own.name == operation)
}

/// Whether a component can go on with a note that another version of it sent: it has
/// these operations, it knows every option of the note's context with its value, and it
/// needs no option and no endpoint that the context lacks.
pub fn goes_on(description: &Description, operations: &[&str], context: &Context) -> bool {
    let has = |name: &&str| has_operation(description, name);
    let knows = |given: &Named| {
        let mut own = description.options.iter();
        own.find(|option| option.name == given.name)
            .is_some_and(|option| {
                option.choices.is_empty() || option.choices.contains(&given.value)
            })
    };
    let lacks = |option: &OptionSpec| {
        let mut given = context.options.iter();
        option.required && option.default.is_none() && !given.any(|given| given.name == option.name)
    };
    let mut endpoints = description.endpoints.iter();
    operations.iter().all(has)
        && context.options.iter().all(knows)
        && !description.options.iter().any(lacks)
        && endpoints.all(|own| !own.required || context.endpoints.contains(&own.name))
}

fn lengths(description: &Description) -> Result<(), String> {
    let lists = [
        ("schemas", description.schemas.len()),
        ("operations", description.operations.len()),
        ("options", description.options.len()),
        ("endpoints", description.endpoints.len()),
        ("resumes", description.resumes.len()),
        ("maintainers", description.maintainers.len()),
    ];
    if let Some((field, length)) = lists.iter().find(|(_, length)| *length > ITEMS) {
        return Err(format!(
            "{field} has {length} entries, the limit is {ITEMS}"
        ));
    }
    match lists
        .iter()
        .find(|(field, length)| *length == 0 && matches!(*field, "schemas" | "operations"))
    {
        Some((field, _)) => Err(format!("{field} is empty")),
        None => Ok(()),
    }
}

/// Names are said once, and are words: "consultar-rps", "nfse.dps/1".
fn names<'a>(field: &str, names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        let plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._/".contains(c));
        if name.is_empty() || name.len() > NAME_CHARS || !plain {
            return Err(format!(
                "{field}: a name must be 1 to {NAME_CHARS} letters, digits, '-', '.', '_' or '/'"
            ));
        }
        if !seen.insert(name) {
            return Err(format!("{field}: {name} is there twice"));
        }
    }
    Ok(())
}

fn option(option: &OptionSpec) -> Result<(), String> {
    let name = &option.name;
    if option.choices.len() > ITEMS {
        return Err(format!(
            "option {name} has {} choices, the limit is {ITEMS}",
            option.choices.len()
        ));
    }
    if option
        .choices
        .iter()
        .chain(&option.default)
        .any(|value| value.len() > VALUE_CHARS || value.chars().any(|c| !is_shown(c)))
    {
        return Err(format!(
            "option {name}: a choice or default is longer than {VALUE_CHARS} characters, or not plain text"
        ));
    }
    if matches!(option.kind, OptionKind::Choice) {
        if option.choices.is_empty() {
            return Err(format!("option {name} is a choice without choices"));
        }
        if let Some(default) = option
            .default
            .as_ref()
            .filter(|default| !option.choices.contains(default))
        {
            return Err(format!(
                "option {name}: default {default} is not one of its choices"
            ));
        }
    }
    Ok(())
}
