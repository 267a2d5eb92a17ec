//! Plain fields: what the table of fields says that is written as the request
//! has it. The code of the other modules builds what is calculated, completed
//! or checked, and an element for every entry of a list; the fields that have
//! a form in the table ([`Plain`]) are put in here, and so are groups that have
//! no other fields.

use super::ide::data;
use crate::arithmetic::variavel;
use crate::context::{Contexto, Onde};
use fiscal::nfe::fields::{Field, Form, INF_NFE, Kind, Plain};
use fiscal::nfe::order::{Member, Members};
use markup::tree::{Conteudo, Elemento};

/// Adds the plain fields of the request to the tree of `infNFe`.
pub(super) fn write(ctx: &mut Contexto<'_>, root: &mut Elemento) {
    let pedido = ctx.pedido;
    members(ctx, Onde::RAIZ, INF_NFE, pedido, root);
}

fn members(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    fields: &'static [Field],
    from: &dyn Members,
    element: &mut Elemento,
) {
    for field in fields.iter().filter(|field| field.has_plain) {
        let name = field.request_name(ctx.pedido.recebedor().0);
        match field.kind {
            Kind::Group(inside) => {
                if let Some(Member::Group(from)) = from.member(name) {
                    child(ctx, onde.em(name), field, inside, from, element);
                }
            }
            Kind::Dissolve(inside) | Kind::Variant(inside) => {
                child(ctx, onde, field, inside, from, element);
            }
            Kind::List(inside) => {
                let Some(Member::List(list)) = from.member(name) else {
                    continue;
                };
                let entries = children(element).iter_mut();
                let entries = entries.filter(|entry| entry.nome == field.tag);
                for (position, entry) in entries.enumerate() {
                    if let Some(Member::Group(from)) = list.at(position) {
                        members(ctx, onde.n(name, position), inside, from, entry);
                    }
                }
            }
            _ => leaf(ctx, onde, field, from, element),
        }
    }
}

/// Fills the element that the code has made; makes one whose fields are all
/// plain.
fn child(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    field: &Field,
    inside: &'static [Field],
    from: &dyn Members,
    element: &mut Elemento,
) {
    let made = children(element)
        .iter_mut()
        .find(|child| child.nome == field.tag);
    if let Some(made) = made {
        return members(ctx, onde, inside, from, made);
    }
    if field.all_plain {
        let mut group = Elemento::grupo(field.tag);
        members(ctx, onde, inside, from, &mut group);
        if !group.atributos.is_empty() || !group.lista().is_empty() {
            element.poe(group);
        }
    }
}

fn children(element: &mut Elemento) -> &mut [Elemento] {
    match &mut element.conteudo {
        Conteudo::Filhos(children) => children,
        Conteudo::Texto(_) => &mut [],
    }
}

fn leaf(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    field: &Field,
    from: &dyn Members,
    element: &mut Elemento,
) {
    let Some(plain) = field.plain else { return };
    let member = from.member(field.name);
    let value = match field.name.rsplit_once('.') {
        Some((group, name)) => written(ctx, onde.em(group).em(name), plain, member),
        None => written(ctx, onde.em(field.name), plain, member),
    };
    match (value, field.tag.strip_prefix('@')) {
        (Some(value), Some(attribute)) => element.atributos.push((attribute.into(), value)),
        (Some(value), None) => element.poe(Elemento::campo(field.tag, value)),
        (None, _) => {}
    }
}

/// The value of the element. Of one that must be there and is not, which is
/// told, an empty one.
fn written(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
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
                true => Some(ctx.texto_obrigatorio(onde, text, longest)),
                false => ctx.texto(onde, text, longest),
            };
            return match plain.form {
                Form::Capitals(_) => value.map(|value| value.to_ascii_uppercase()),
                _ => value,
            };
        }
        Form::Decimal(least, most) => {
            let value = match plain.required {
                true => Some(ctx.numero(onde, number)),
                false => ctx.opcional(onde, number),
            };
            return value.map(|value| variavel(value, least, most));
        }
        Form::Trimmed => trimmed,
        Form::TrimmedCapitals => trimmed.map(|text| text.to_ascii_uppercase()),
        Form::Alphanumeric => ctx.codigo(text),
        Form::Date => data(ctx, onde, text),
        Form::Code => code.map(str::to_owned),
    };
    if plain.required && member_is_absent(text, code) {
        ctx.falta(onde, "Informe o campo.");
        return Some(String::new());
    }
    value
}

fn member_is_absent(text: Option<&str>, code: Option<&str>) -> bool {
    text.or(code).is_none_or(|value| value.trim().is_empty())
}
