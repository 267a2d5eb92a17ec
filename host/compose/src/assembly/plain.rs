//! Plain fields: what the table of fields says that is written as the request
//! has it. The code of the other modules builds what is calculated, completed
//! or checked, and an element for every entry of a list; the fields that have
//! a form in the table ([`Plain`]) are put in here, and so are groups that have
//! no other fields.

use super::ide::data;
use crate::arithmetic::variable;
use crate::context::{Context, Place};
use fiscal::nfe::fields::{Field, Form, INF_NFE, Kind, Plain};
use fiscal::nfe::order::{Member, Members};
use markup::tree::{ElementContent, Node};

/// Adds the plain fields of the request to the tree of `infNFe`.
pub(super) fn write(ctx: &mut Context<'_>, root: &mut Node) {
    let request = ctx.request;
    members(ctx, Place::ROOT, INF_NFE, request, root);
}

fn members(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    fields: &'static [Field],
    from: &dyn Members,
    element: &mut Node,
) {
    let present = Present::of(from);
    of_group(ctx, place, fields, (from, &present), element);
}

/// The same of a group whose members were asked for already.
fn of_group(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    fields: &'static [Field],
    (from, present): (&dyn Members, &Present),
    element: &mut Node,
) {
    let recipient = ctx.request.receiver().0;
    for field in fields.iter().filter(|field| field.has_plain) {
        let name = field.request_name(recipient);
        let inside = matches!(field.kind, Kind::Dissolve(_) | Kind::Variant(_));
        let required = field.plain.is_some_and(|plain| plain.required);
        let is_there = || {
            // The two are one for all fields but that of the recipient.
            present.has(name) || !std::ptr::eq(name, field.name) && present.has(field.name)
        };
        if !inside && !required && !is_there() {
            continue;
        }
        match field.kind {
            Kind::Group(inside) => {
                if let Some(Member::Group(from)) = from.member(name) {
                    let present = Present::of(from);
                    child(
                        ctx,
                        place.at(name),
                        (field, inside),
                        (from, &present),
                        element,
                    );
                }
            }
            Kind::Dissolve(inside) | Kind::Variant(inside) => {
                child(ctx, place, (field, inside), (from, present), element);
            }
            Kind::List(inside) => {
                let Some(Member::List(list)) = from.member(name) else {
                    continue;
                };
                let entries = children(element).iter_mut();
                let entries = entries.filter(|entry| entry.is(field.tag));
                for (position, entry) in entries.enumerate() {
                    if let Some(Member::Group(from)) = list.at(position) {
                        members(ctx, place.n(name, position), inside, from, entry);
                    }
                }
            }
            _ => leaf(ctx, place, field, from, element),
        }
    }
}

/// The members that a request has, if they are few. Most of the hundreds of fields are absent: what
/// is asked once here is not looked up by each field's name.
struct Present {
    names: [&'static str; FEW],
    count: usize,
}

const FEW: usize = 24;

impl Present {
    fn of(from: &dyn Members) -> Present {
        let mut present = Present {
            names: [""; FEW],
            count: 0,
        };
        from.all(&mut |name, _| {
            if let Some(place) = present.names.get_mut(present.count) {
                *place = name;
            }
            present.count += 1;
            true
        });
        present
    }

    /// May there be a member of the name, which may lead into a group (`pedido.numero`)?
    fn has(&self, name: &str) -> bool {
        let first = |member: &&str| {
            // Its length is looked at first: that settles nearly every comparison, and each of
            // the others is a call.
            let ends = match name.as_bytes().get(member.len()) {
                None => name.len() == member.len(),
                Some(next) => *next == b'.',
            };
            ends && name.starts_with(*member)
        };
        let names = self.names.get(..self.count);
        names.is_none_or(|names| names.iter().any(first))
    }
}

/// Fills the element that the code has made; makes one whose fields are all
/// plain.
fn child(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    (field, inside): (&Field, &'static [Field]),
    from: (&dyn Members, &Present),
    element: &mut Node,
) {
    let made = children(element)
        .iter_mut()
        .find(|child| child.is(field.tag));
    if let Some(made) = made {
        return of_group(ctx, place, inside, from, made);
    }
    if field.all_plain {
        let mut group = Node::group(field.tag);
        of_group(ctx, place, inside, from, &mut group);
        if !group.attributes.is_empty() || !group.list().is_empty() {
            element.put(group);
        }
    }
}

fn children(element: &mut Node) -> &mut [Node] {
    match &mut element.content {
        ElementContent::Children(children) => children,
        ElementContent::Text(_) => &mut [],
    }
}

fn leaf(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    field: &Field,
    from: &dyn Members,
    element: &mut Node,
) {
    let Some(plain) = field.plain else { return };
    let member = from.member(field.name);
    let value = match field.name.rsplit_once('.') {
        Some((group, name)) => written(ctx, place.at(group).at(name), plain, member),
        None => written(ctx, place.at(field.name), plain, member),
    };
    match (value, field.tag.strip_prefix('@')) {
        (Some(value), Some(attribute)) => element.attributes.push((attribute.into(), value)),
        (Some(value), None) => element.put(Node::field(field.tag, value)),
        (None, _) => {}
    }
}

/// The value of the element. Of one that must be there and is not, which is
/// told, an empty one.
fn written(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    plain: Plain,
    member: Option<Member<'_>>,
) -> Option<String> {
    let (text, number, code) = match member {
        Some(Member::Text(text)) => (Some(text), None, None),
        Some(Member::Number(number)) => (None, Some(number), None),
        Some(Member::Code(code)) => (None, None, Some(code)),
        _ => (None, None, None),
    };
    let trimmed = text.map(|text| text.trim().to_owned());
    let value = match plain.form {
        Form::Text(longest) | Form::Capitals(longest) => {
            let value = match plain.required {
                true => Some(ctx.mandatory_text(place, text, longest)),
                false => ctx.text(place, text, longest),
            };
            return match plain.form {
                Form::Capitals(_) => value.map(|value| value.to_ascii_uppercase()),
                _ => value,
            };
        }
        Form::Decimal(least, most) => {
            let value = match plain.required {
                true => Some(ctx.number(place, number)),
                false => ctx.optional(place, number),
            };
            return value.map(|value| variable(value, least, most));
        }
        Form::Trimmed => trimmed,
        Form::TrimmedCapitals => trimmed.map(|text| text.to_ascii_uppercase()),
        Form::Alphanumeric => ctx.codigo(text),
        Form::Date => data(ctx, place, text),
        Form::Code => code.map(str::to_owned),
    };
    if plain.required && member_is_absent(text, code) {
        ctx.missing(place, "Informe o campo.");
        return Some(String::new());
    }
    value
}

fn member_is_absent(text: Option<&str>, code: Option<&str>) -> bool {
    text.or(code).is_none_or(|value| value.trim().is_empty())
}
