//! Writes the elements of a group by the contract's table (`wit/tables/rps.txt`):
//! in its order, those of the city's edition, and those that are one field of
//! the content as the table says. The others are left to code.

use super::tags::Tags;
use crate::options::Options;
use rps::Fields;
use sdk::nfse::table::{Content, Element, Form, Object, Written};
use sdk::nfse::{Dps, Field};

/// Writes the element with this name; nothing, when it has none here.
pub type Code<'c> = dyn FnMut(&mut Tags, &str, &mut Fields) + 'c;

/// For the elements that a [`Code`] has no arm for: the table leaves an element
/// to code that is not there. The cases, which run as debug builds, find it.
pub fn unknown(name: &str) {
    if cfg!(debug_assertions) {
        panic!("wit/tables/rps.txt leaves {name} to code, and no code writes it");
    }
}

/// The elements of a group, which the caller has opened.
pub fn write(
    t: &mut Tags,
    elements: &[Element],
    options: &Options,
    dps: &Dps,
    fields: &mut Fields,
    code: &mut Code<'_>,
) {
    group(t, elements, options, &Object::root(dps), fields, code);
}

fn group(
    t: &mut Tags,
    elements: &[Element],
    options: &Options,
    object: &Object<'_>,
    values: &mut Fields,
    code: &mut Code<'_>,
) {
    let edition = options.edition();
    for element in elements {
        if element.editions & edition == 0 {
            continue;
        }
        let (field, path) = object.find(element);
        match (&element.content, field) {
            (Content::Text(_), _) if element.written == Written::ByCode => {
                code(t, element.name, values);
            }
            (Content::Text(form), field) => {
                text(t, element, *form, &field, &path, values);
                zero(t, element, options, &field);
            }
            (Content::Group(inside), Field::Object(fields)) => {
                let object = object.at(fields, path);
                t.group(element.name, &[], |t| {
                    group(t, inside, options, &object, values, code);
                });
            }
            (Content::Group(_), _) => {}
        }
    }
}

/// An amount of nothing, where the system wants it written.
fn zero(t: &mut Tags, element: &Element, options: &Options, field: &Field<'_>) {
    let nothing = match field {
        Field::Decimal(value) => value.is_zero(),
        _ => true,
    };
    if element.written == Written::Positive && nothing && options.writes_zero(element.name) {
        t.leaf(element.name, "0.00");
    }
}

fn text(
    t: &mut Tags,
    element: &Element,
    form: Form,
    field: &Field<'_>,
    path: &str,
    fields: &mut Fields,
) {
    let name = element.name;
    match (element.written, field) {
        (Written::Money, Field::Decimal(value)) => t.leaf(name, &fields.value(path, *value)),
        (Written::Positive, Field::Decimal(value)) if !value.is_zero() => {
            t.leaf(name, &fields.value(path, *value));
        }
        (Written::Flag, Field::Flag(yes)) => t.leaf(name, if *yes { "1" } else { "0" }),
        (Written::Text, Field::Text(given)) => {
            let given = match form {
                Form::Text(_, most) => fields.text(path, Some(given), most),
                Form::Digits(length, _) => fields.digits(path, given, length),
                _ => (*given).to_owned(),
            };
            t.leaf(name, &given);
        }
        (Written::Filled, Field::Text(given)) if !given.trim().is_empty() => {
            let given = match form {
                Form::Text(_, most) => fields.optional(path, Some(given), most),
                Form::Digits(length, _) => Some(fields.digits(path, given, length)),
                _ => Some((*given).to_owned()),
            };
            t.optional(name, given.as_deref());
        }
        // Not there.
        _ => {}
    }
}
