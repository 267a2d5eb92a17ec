//! Fields of id, length and value.

use super::{MAX_FIELD, Problem};

/// A field of a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Two digits.
    pub id: String,
    /// The value as it is written, also of a template.
    pub value: String,
    /// The fields in the value of a template; empty for any other field.
    pub fields: Vec<Field>,
}

/// The first field with an id.
pub(super) fn find<'f>(fields: &'f [Field], id: &str) -> Option<&'f Field> {
    fields.iter().find(|field| field.id == id)
}

/// Appends a field: id, two digits of length, value. `field` is its address: the
/// id, behind that of the template that it is for (`62-05`).
///
/// # Errors
/// A value that two digits cannot measure, or that is empty.
pub(super) fn push(out: &mut String, field: &'static str, value: &str) -> Result<(), Problem> {
    let found = value.chars().count();
    if !(1..=MAX_FIELD).contains(&found) {
        let max = MAX_FIELD;
        return Err(Problem::Length { field, max, found });
    }
    let id = field.split_once('-').map_or(field, |(_, id)| id);
    out.push_str(id);
    out.push_str(&format!("{found:02}"));
    out.push_str(value);
    Ok(())
}

/// Takes a whole code apart, with the fields inside of templates. What cannot be
/// read is told in `problems`; what stands before it is returned.
pub(super) fn parse(text: &str, problems: &mut Vec<Problem>) -> Vec<Field> {
    let (mut fields, rest) = flat(text);
    if !rest.is_empty() {
        let at = text.chars().count() - rest.chars().count();
        problems.push(Problem::Malformed(at));
    }
    for field in fields.iter_mut().filter(|field| is_template(&field.id)) {
        let is_additional = field.id == "62";
        field.fields = inner(&field.id, &field.value, problems);
        // EMV QRCPS: templates of payment systems inside of field 62.
        let deeper = field.fields.iter_mut();
        for field in deeper.filter(|field| is_additional && ("50"..="99").contains(&&*field.id)) {
            field.fields = inner(&format!("62-{}", field.id), &field.value, problems);
        }
    }
    fields
}

/// Fields of a template; none, and a problem, if something else is in it.
fn inner(id: &str, value: &str, problems: &mut Vec<Problem>) -> Vec<Field> {
    let (fields, rest) = flat(value);
    if rest.is_empty() {
        return fields;
    }
    problems.push(Problem::Template(id.to_owned()));
    Vec::new()
}

/// Accounts (26 to 51), additional data, languages, and what is not reserved.
fn is_template(id: &str) -> bool {
    matches!(id, "62" | "64") || ("26"..="51").contains(&id) || ("80"..="99").contains(&id)
}

/// Fields of one level, and the text behind the last one that could be read.
fn flat(text: &str) -> (Vec<Field>, &str) {
    let mut fields = Vec::new();
    let mut rest = text;
    while let Some((id, value, behind)) = next(rest) {
        fields.push(Field {
            id: id.to_owned(),
            value: value.to_owned(),
            fields: Vec::new(),
        });
        rest = behind;
    }
    (fields, rest)
}

/// The field at the beginning: id, value, and what follows. Lengths count
/// characters.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (id, rest) = digits(text)?;
    let (length, rest) = digits(rest)?;
    let (value, rest) = take(rest, length.parse().ok()?)?;
    Some((id, value, rest))
}

/// Two digits, and what follows.
fn digits(text: &str) -> Option<(&str, &str)> {
    let (two, rest) = text.split_at_checked(2)?;
    two.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some((two, rest))
}

/// So many characters, and what follows; None if there are fewer.
fn take(text: &str, count: usize) -> Option<(&str, &str)> {
    let mut chars = text.chars();
    for _ in 0..count {
        chars.next()?;
    }
    let rest = chars.as_str();
    text.split_at_checked(text.len() - rest.len())
}
