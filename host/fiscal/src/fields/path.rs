//! From a path of the layout to the place in the request it comes from.

use super::field::{Field, Kind, RECIPIENT};

/// Deepest path that is followed; the layout's own end at eight.
const MAX_STEPS: usize = 12;

/// The place in a request of an official path below the element that a table is
/// of, such as `det[2]/prod/NCM`: that of its longest beginning that the request
/// has a member for. None where it has none for any. `recipient` is the
/// request's name for whom the document is made out to.
pub fn place_by(table: &'static [Field], inside: &str, recipient: &str) -> Option<String> {
    let mut fields = table;
    // What names are told below; the same of the list entry around; the place.
    let (mut base, mut entry) = (String::new(), String::new());
    let mut place = None;
    for step in inside.split('/').take(MAX_STEPS) {
        let (tag, position) = split(step);
        let Some(field) = fields.iter().find(|field| field.tag == tag) else {
            break;
        };
        if field.note_only && field.place.is_none() {
            break;
        }
        let name = match field.place {
            Some(RECIPIENT) => recipient,
            Some(place) => place,
            None => field.name,
        };
        match field.kind {
            Kind::Group(_) => {
                base = below(&base, name);
                place = Some(base.clone());
            }
            Kind::List(_) => {
                base = format!("{}[{position}]", below(&base, name));
                entry.clone_from(&base);
                place = Some(base.clone());
            }
            Kind::Dissolve(_) | Kind::Variant(_) => {
                if field.place.is_some() {
                    place = Some(below(&base, name));
                }
            }
            Kind::Texts | Kind::TextsOf => {
                place = Some(format!("{}[{position}]", below(&base, name)));
            }
            Kind::Rises => place = Some(below(&entry, name)),
            _ => place = Some(below(&base, name)),
        }
        fields = field.kind.children();
    }
    place
}

/// `det[2]` as its name and its position from 0; an element of which there is
/// only one may come without.
fn split(step: &str) -> (&str, usize) {
    match step.split_once('[') {
        Some((tag, rest)) => {
            let position = rest.trim_end_matches(']').parse::<usize>().unwrap_or(1);
            (tag, position.saturating_sub(1))
        }
        None => (step, 0),
    }
}

fn below(base: &str, name: &str) -> String {
    match base {
        "" => name.to_owned(),
        base => format!("{base}.{name}"),
    }
}
