//! A request becomes elements by its table of fields: every line that a request
//! has a member for. What a document says beside that is put in by code.

use fiscal::body::{List, Member, Members, Number};
use fiscal::fields::{Field, Form, Kind};
use markup::ids::CpfCnpj;
use markup::layout::normalize_text;
use markup::tree::Node;
use rust_decimal::{Decimal, RoundingStrategy};

/// What a table leaves to the document's own code.
pub trait Choice {
    /// May the element be written from this group of the request? Of elements
    /// that exclude each other one alone is.
    fn admits(&self, tag: &str, from: &dyn Members) -> bool;

    /// Name of the only child of an element that a list's text stands in.
    fn only_child(&self, tag: &str, text: &str) -> &'static str;
}

/// Longest text that is looked at, bytes: the widest field has 2000 characters.
const MAX_TEXT: usize = 32 * 1024;
/// Decimals of a number whose line says nothing else: money and rates.
const MONEY: (u32, u32) = (2, 2);

/// Puts the elements of a table into their parent. The order is the table's;
/// the layout brings it into the official one.
pub fn write(fields: &'static [Field], from: &dyn Members, choice: &dyn Choice, parent: &mut Node) {
    for field in fields.iter().filter(|field| !field.note_only) {
        if !choice.admits(field.tag, from) {
            continue;
        }
        match field.kind {
            Kind::Group(inside) => {
                if let Some(Member::Group(group)) = from.member(field.name) {
                    put(field.tag, inside, group, choice, parent);
                }
            }
            Kind::Dissolve(inside) => put(field.tag, inside, from, choice, parent),
            Kind::Variant(inside) => {
                if is_variant(field, from) {
                    put(field.tag, inside, from, choice, parent);
                }
            }
            Kind::List(inside) => {
                if let Some(Member::List(list)) = from.member(field.name) {
                    entries(field.tag, inside, list, choice, parent);
                }
            }
            Kind::Texts | Kind::TextsOf => {
                if let Some(Member::List(list)) = from.member(field.name) {
                    texts(field, list, choice, parent);
                }
            }
            _ => leaf(field, from, parent),
        }
    }
}

fn put(
    tag: &'static str,
    inside: &'static [Field],
    from: &dyn Members,
    choice: &dyn Choice,
    parent: &mut Node,
) {
    let mut group = Node::group(tag);
    write(inside, from, choice, &mut group);
    if !group.attributes.is_empty() || !group.list().is_empty() {
        parent.put(group);
    }
}

/// Does the member `grupo` say that it is this one?
fn is_variant(field: &Field, from: &dyn Members) -> bool {
    match from.member("grupo") {
        Some(Member::Code(code)) => code == field.tag,
        _ => false,
    }
}

fn entries(
    tag: &'static str,
    inside: &'static [Field],
    list: &dyn List,
    choice: &dyn Choice,
    parent: &mut Node,
) {
    for position in 0..list.len() {
        if let Some(Member::Group(group)) = list.at(position) {
            let mut entry = Node::group(tag);
            write(inside, group, choice, &mut entry);
            parent.put(entry);
        }
    }
}

fn texts(field: &Field, list: &dyn List, choice: &dyn Choice, parent: &mut Node) {
    for position in 0..list.len() {
        let text = match list.at(position) {
            Some(Member::Text(text)) => text,
            Some(Member::Code(code)) => code,
            _ => continue,
        };
        parent.put(match field.kind {
            Kind::TextsOf => {
                let child = choice.only_child(field.tag, text);
                Node::group(field.tag).with(child, cleaned(child, text))
            }
            _ => Node::field(field.tag, cleaned(field.tag, text)),
        });
    }
}

fn leaf(field: &Field, from: &dyn Members, parent: &mut Node) {
    let value = match from.member(field.name) {
        Some(Member::Text(text)) => registration(field.tag, text),
        Some(Member::Number(number)) => Some(decimal(field, number)),
        Some(Member::Flag(value)) => match field.kind {
            Kind::Flag(yes, no) => Some(if value { yes } else { no }.to_owned()),
            _ => None,
        },
        Some(Member::Code(code)) => Some(code.to_owned()),
        _ => None,
    };
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return;
    };
    match field.tag.strip_prefix('@') {
        Some(attribute) => parent.attributes.push((attribute.into(), value)),
        None => parent.put(Node::field(field.tag, value)),
    }
}

/// A text in its element; of `CNPJ` and `CPF` the one that the number is.
fn registration(tag: &str, text: &str) -> Option<String> {
    let value = cleaned(tag, text);
    let cpf = match CpfCnpj::parse(&value) {
        Ok(CpfCnpj::Cpf(_)) => true,
        Ok(CpfCnpj::Cnpj(_)) => false,
        Err(_) => value.len() == 11,
    };
    match tag {
        "CPF" | "CPFPg" => cpf.then_some(value),
        "CNPJ" | "CNPJPg" => (!cpf).then_some(value),
        _ => Some(value),
    }
}

/// Elements whose values people punctuate: codes and numbers of registrations.
const CODES: &[&str] = &[
    "CEP",
    "CIOT",
    "CNPJ",
    "CNPJBasePSP",
    "CNPJForn",
    "CNPJIPEF",
    "CNPJPAA",
    "CNPJPg",
    "CNPJReceb",
    "CPF",
    "CPFPg",
    "IE",
    "IEST",
    "ISUF",
    "ISUFEmit",
    "NCM",
    "RENAVAM",
    "RNTRC",
    "chCTe",
    "chCTeFerroOrigem",
    "chCTeMultimodal",
    "chCte",
    "chDFePagAnt",
    "chMDFe",
    "chNFe",
    "chave",
    "fone",
    "idUnidCarga",
    "idUnidCargaVazia",
    "idUnidTransp",
    "idUnidTranspVazia",
    "nCont",
    "placa",
    "refDFeAnt",
];

/// A text as the layout takes it.
fn cleaned(tag: &str, text: &str) -> String {
    let end = text.len().min(MAX_TEXT);
    let end = (0..=end).rev().find(|end| text.is_char_boundary(*end));
    let text = text.get(..end.unwrap_or(0)).unwrap_or_default();
    if CODES.contains(&tag) {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        return letters.map(|letter| letter.to_ascii_uppercase()).collect();
    }
    normalize_text(text)
}

/// With the decimals of the line. A number that has more keeps them, so that
/// the layout tells of it.
fn decimal(field: &Field, number: Number) -> String {
    let (least, most) = match field.plain.map(|plain| plain.form) {
        Some(Form::Decimal(least, most)) => (least, most),
        _ => MONEY,
    };
    fixed(*number, least, most)
}

/// At least and at most so many decimals, as far as the number's own fit.
pub fn fixed(number: Decimal, least: u32, most: u32) -> String {
    let mut value = number.normalize();
    if value.scale() < least {
        value.rescale(least);
    }
    if value.scale() > most {
        return value.to_string();
    }
    value
        .round_dp_with_strategy(most, RoundingStrategy::MidpointAwayFromZero)
        .to_string()
}
