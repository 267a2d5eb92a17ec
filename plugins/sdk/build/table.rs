//! A table of `wit/tables` as static data; its README explains the columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Types by name, each with the source of its elements.
type Types = BTreeMap<String, Vec<String>>;

/// The source of `pub static NAME`, which begins with the elements of `root`.
///
/// # Errors
/// The line that cannot be read, or a type that is not there.
pub fn source(name: &str, root: &str, text: &str) -> Result<String, String> {
    let mut types = Types::new();
    let mut named = Vec::new();
    let mut current = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let columns: Vec<&str> = line.split_whitespace().collect();
        let done = match columns.as_slice() {
            [] => Ok(()),
            ["type", name] => {
                current = Some((*name).to_owned());
                match types.insert((*name).to_owned(), Vec::new()) {
                    Some(_) => Err("this type was there before".to_owned()),
                    None => Ok(()),
                }
            }
            columns => element(columns, &mut named).and_then(|element| {
                let current = current.as_ref().and_then(|name| types.get_mut(name));
                current.ok_or("an element of no type")?.push(element);
                Ok(())
            }),
        };
        done.map_err(|problem| format!("line {}: {problem}", number + 1))?;
    }
    named.push(root.to_owned());
    if let Some(lost) = named.iter().find(|name| !types.contains_key(*name)) {
        return Err(format!("there is no type {lost}"));
    }
    if let Some(idle) = types.keys().find(|name| !named.contains(name)) {
        return Err(format!("nothing is of type {idle}"));
    }
    let mut out = format!("pub static {name}: &[Element] = {};\n", constant(root));
    for (name, elements) in &types {
        // Writing to a String does not fail.
        writeln!(
            out,
            "static {}: &[Element] = &[{}];",
            constant(name),
            elements.join(", ")
        )
        .unwrap_or_default();
    }
    Ok(out)
}

fn constant(name: &str) -> String {
    name.to_ascii_uppercase()
}

fn element(columns: &[&str], named: &mut Vec<String>) -> Result<String, String> {
    let (name, occurs, form, field, written) = match columns {
        [name, occurs, form, field] => (name, occurs, form, field, "-"),
        [name, occurs, form, field, written] => (name, occurs, form, field, *written),
        _ => return Err("four or five columns".into()),
    };
    let content = if form.starts_with(|c: char| c.is_ascii_uppercase()) {
        named.push((*form).to_owned());
        format!("Content::Group({})", constant(form))
    } else {
        format!("Content::Text({})", self::form(form)?)
    };
    Ok(format!(
        "Element {{ name: {name:?}, occurs: {}, content: {content}, field: {}, written: {} }}",
        self::occurs(occurs)?,
        self::field(field),
        self::written(written)?,
    ))
}

fn occurs(text: &str) -> Result<String, String> {
    Ok(match text {
        "1" => "Occurs::Once".into(),
        "?" => "Occurs::Optional".into(),
        "|" => "Occurs::Choice".into(),
        "|?" => "Occurs::OptionalChoice".into(),
        _ => {
            let most = text.strip_prefix("1-").ok_or("occurs how often?")?;
            format!("Occurs::UpTo({})", whole(most)?)
        }
    })
}

fn form(text: &str) -> Result<String, String> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    Ok(match name {
        "text" | "digits" => {
            let (least, most) = rest.split_once('-').unwrap_or((rest, rest));
            let form = if name == "text" { "Text" } else { "Digits" };
            format!("Form::{form}({}, {})", whole(least)?, whole(most)?)
        }
        "alnum" => format!("Form::Alphanumeric({})", whole(rest)?),
        "upper" => format!("Form::Uppercase({})", whole(rest)?),
        "decimal" => format!("Form::Decimal({})", whole(rest)?),
        "key" => format!("Form::Key({})", whole(rest)?),
        "one" => {
            let choices: Vec<String> = rest
                .split('|')
                .map(|choice| {
                    let (code, word) = choice.split_once('=').unwrap_or((choice, ""));
                    format!("({code:?}, {word:?})")
                })
                .collect();
            format!("Form::OneOf(&[{}])", choices.join(", "))
        }
        "date" => "Form::Date".into(),
        "date-time" => "Form::DateTime".into(),
        "cnpj" => "Form::Cnpj".into(),
        "series" => "Form::Series".into(),
        "number" => "Form::Number".into(),
        _ => return Err(format!("{text} is no form")),
    })
}

fn field(text: &str) -> String {
    match text {
        "-" => "Place::Nameless".into(),
        "^" => "Place::Wrapper".into(),
        "." => "Place::Same".into(),
        _ => match text.strip_prefix('/') {
            Some(path) => format!("Place::FromRoot({path:?})"),
            None => format!("Place::Below({text:?})"),
        },
    }
}

fn written(text: &str) -> Result<&'static str, String> {
    Ok(match text {
        "-" => "Written::ByCode",
        "text" => "Written::Text",
        "filled" => "Written::Filled",
        "digits" => "Written::Digits",
        "money" => "Written::Money",
        "positive" => "Written::Positive",
        "flag" => "Written::Flag",
        "word" => "Written::Word",
        _ => return Err(format!("{text}: written how?")),
    })
}

fn whole(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not a whole number"))
}
