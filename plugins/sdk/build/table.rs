//! A table of `wit/tables` as static data; its README explains the columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Types by name, each with the source of its elements.
type Types = BTreeMap<String, Vec<String>>;

/// The editions of the RPS: versions in their order, then what single systems
/// added to them. One bit each, from the first on.
const EDITIONS: [&str; 8] = [
    "1.00", "2.00", "2.01", "2.02", "2.03", "2.04", "webiss", "giss",
];

/// The source of one static for each type; those of the `roots` (name, type)
/// are public under their names.
///
/// # Errors
/// The line that cannot be read, or a type that is not there.
pub fn source(roots: &[(&str, &str)], text: &str) -> Result<String, String> {
    let mut types = Types::new();
    let mut named: Vec<String> = roots.iter().map(|(_, root)| (*root).to_owned()).collect();
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
    if let Some(lost) = named.iter().find(|name| !types.contains_key(*name)) {
        return Err(format!("there is no type {lost}"));
    }
    if let Some(idle) = types.keys().find(|name| !named.contains(name)) {
        return Err(format!("nothing is of type {idle}"));
    }
    let mut out = String::new();
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
    for (name, root) in roots {
        writeln!(out, "pub static {name}: &[Element] = {};", constant(root)).unwrap_or_default();
    }
    Ok(out)
}

fn constant(name: &str) -> String {
    format!("TYPE_{}", name.to_ascii_uppercase())
}

fn element(columns: &[&str], named: &mut Vec<String>) -> Result<String, String> {
    let [name, occurs, form, field, more @ ..] = columns else {
        return Err("an element, how often, its form and its field".into());
    };
    let (written, editions) = match more {
        [] => ("-", "-"),
        [written] => (*written, "-"),
        [written, editions] => (*written, *editions),
        _ => return Err("six columns at most".into()),
    };
    let content = if form.starts_with(|c: char| c.is_ascii_uppercase()) {
        named.push((*form).to_owned());
        format!("Content::Group({})", constant(form))
    } else {
        format!("Content::Text({})", self::form(form)?)
    };
    Ok(format!(
        "Element {{ name: {name:?}, occurs: {}, content: {content}, field: {}, written: {}, editions: {} }}",
        self::occurs(occurs)?,
        self::field(field),
        self::written(written)?,
        self::editions(editions)?,
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
        "any" => "Form::Any".into(),
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

/// `2.03-,webiss`: from 2.03 on, and where WebISS extends an older one.
fn editions(text: &str) -> Result<u16, String> {
    if text == "-" {
        return Ok(u16::MAX);
    }
    let at = |name: &str| {
        let found = EDITIONS.iter().position(|edition| *edition == name);
        found.ok_or_else(|| format!("{name} is no edition"))
    };
    let last_version = EDITIONS.len() - 3;
    let mut mask = 0;
    for part in text.split(',') {
        let (first, last) = match part.split_once('-') {
            Some((first, "")) => (at(first)?, last_version),
            Some((first, last)) => (at(first)?, at(last)?),
            None => (at(part)?, at(part)?),
        };
        for bit in first..=last {
            mask |= 1 << bit;
        }
    }
    Ok(mask)
}

fn whole(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not a whole number"))
}
