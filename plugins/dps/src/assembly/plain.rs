//! Elements that are one field of the content each: the contract's table says
//! which one and how it is written. What is calculated, or depends on another
//! field, is added by the other modules.

use crate::assembly::group::Group;
use crate::assembly::party::only_digits;
use crate::layout::code_in;
use sdk::FieldError;
use sdk::nfse::table::{Content, Element, Form, Object, Occurs, Written};
use sdk::nfse::{Field, Fields};

/// The group that `elements` and a content make without any code.
pub fn plain(elements: &[Element], content: &dyn Fields, errors: &mut Vec<FieldError>) -> Group {
    group(elements, &Object::root(content), errors)
}

fn group(elements: &[Element], object: &Object<'_>, errors: &mut Vec<FieldError>) -> Group {
    let mut g = Group::default();
    for element in elements {
        let (field, path) = object.find(element);
        match (&element.content, field) {
            (Content::Group(inside), Field::Object(fields)) => {
                let inside = group(inside, &object.at(fields, path), errors);
                // A mandatory group is there with its object: the writer then
                // names the fields that are missing, not the group.
                if element.occurs == Occurs::Once || !inside.is_empty() {
                    g.group(element.name, inside);
                }
            }
            (Content::Group(inside), Field::List(items)) if !items.is_empty() => {
                let items = items.into_iter().enumerate().map(|(index, fields)| {
                    group(
                        inside,
                        &object.at(fields, format!("{path}[{index}]")),
                        errors,
                    )
                });
                g.groups(element.name, items.collect());
            }
            (Content::Text(_), Field::Texts(items)) => {
                if element.written != Written::ByCode && !items.is_empty() {
                    g.texts(element.name, items);
                }
            }
            (Content::Text(form), field) => {
                text(&mut g, element, *form, &field, &path, errors);
            }
            (Content::Group(_), _) => {}
        }
    }
    g
}

fn text(
    g: &mut Group,
    element: &Element,
    form: Form,
    field: &Field<'_>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let name = element.name;
    match (element.written, field) {
        (Written::Text, Field::Text(text)) => g.text(name, text),
        (Written::Text, Field::Whole(number)) => g.text(name, &number.to_string()),
        (Written::Filled, Field::Text(text)) => g.optional(name, Some(text)),
        (Written::Digits, Field::Text(text)) => g.optional(name, Some(&only_digits(text))),
        (Written::Money, Field::Decimal(value)) => g.money(name, *value, path, errors),
        (Written::Positive, Field::Decimal(value)) => g.positive(name, Some(*value), path, errors),
        (Written::Flag, Field::Flag(yes)) => g.text(name, if *yes { "1" } else { "0" }),
        (Written::Word, Field::Word(word)) => g.optional(name, code_in(form, word)),
        // By code, or not there.
        _ => {}
    }
}
