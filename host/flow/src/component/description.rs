//! What an adapter says about itself feeds forms, logs and routing: it must
//! be small, plain and free of contradictions.

use crate::contract::{Description, OptionKind, OptionSpec};
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

/// # Errors
/// A sentence that names the field.
pub(crate) fn check(description: &Description) -> Result<(), String> {
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
        if text.chars().any(|c| c.is_control() && c != '\n') {
            return Err("a text has control characters".to_owned());
        }
    }
    description.options.iter().try_for_each(option)
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
        .any(|value| value.len() > VALUE_CHARS || value.chars().any(char::is_control))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{EndpointSpec, OperationInfo};

    fn good() -> Description {
        Description {
            name: "dps".to_owned(),
            version: "1.0.0".to_owned(),
            schemas: vec!["nfse.dps/1".to_owned()],
            operations: vec![OperationInfo {
                name: "emitir".to_owned(),
                synchronous: true,
                notes: "linha\noutra".to_owned(),
            }],
            options: vec![OptionSpec {
                name: "aliquota".to_owned(),
                kind: OptionKind::Choice,
                choices: vec!["sempre".to_owned(), "nunca".to_owned()],
                default: Some("nunca".to_owned()),
                required: false,
                doc: String::new(),
            }],
            endpoints: vec![EndpointSpec {
                name: "sefin".to_owned(),
                required: true,
                client_certificate: true,
                doc: String::new(),
            }],
            state_version: 1,
            resumes: Vec::new(),
            maintainers: Vec::new(),
        }
    }

    #[test]
    fn a_good_description_passes_and_each_mistake_is_named() {
        assert_eq!(check(&good()), Ok(()));
        type Mistake = fn(&mut Description);
        let mistakes: [(Mistake, &str); 15] = [
            (|d| d.name = "../dps".to_owned(), "name"),
            (|d| d.name = "..".to_owned(), "name"),
            (|d| d.version = String::new(), "version"),
            (|d| d.schemas.clear(), "schemas is empty"),
            (|d| d.operations.clear(), "operations is empty"),
            (
                |d| d.operations = vec![d.operations[0].clone(); 65],
                "65 entries",
            ),
            (
                |d| d.operations = vec![d.operations[0].clone(); 2],
                "emitir is there twice",
            ),
            (
                |d| d.operations[0].name = "emitir\n".to_owned(),
                "operations: a name",
            ),
            (
                |d| d.operations[0].notes = "x".repeat(2_001),
                "2001 characters",
            ),
            (
                |d| d.maintainers.push("\u{1b}[2J".to_owned()),
                "control characters",
            ),
            (
                |d| d.options[0].choices = vec!["a".to_owned(); 65],
                "65 choices",
            ),
            (|d| d.options[0].choices.clear(), "without choices"),
            (|d| d.options[0].default = Some("outra".to_owned()), "outra"),
            (
                |d| d.options[0].default = Some("x".repeat(201)),
                "longer than 200",
            ),
            (|d| d.resumes = vec![1; 65], "resumes"),
        ];
        for (mistake, words) in mistakes {
            let mut description = good();
            mistake(&mut description);
            let error = check(&description).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }
}
