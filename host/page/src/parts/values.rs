//! Values of the API as people read them: names beside values, lists as tables. What is
//! within a member stands below its name, so that each level takes little of the width.

use crate::names::capital;
use crate::parts::{cpf_cnpj, day, moment, money, table};
use crate::reply::words::{told, words};
use base::when;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::Value;

/// Objects inside objects are shown this deep; what is deeper is text.
const DEEPEST: usize = 6;

/// Columns of a table; rows of more members are shown one below the other.
const COLUMNS: usize = 4;

/// End of the name of a rate in percent, where the same without it is a fraction.
const PERCENT: &str = "_percentual";

/// Amounts whose names do not say so.
const AMOUNTS: [&str; 5] = [
    "base",
    "capital_social",
    "folha12",
    "parcela_deduzir",
    "rbt12",
];

/// Members of documents whose values are words of the API; the others may be what a customer
/// wrote.
const ENUMERATIONS: [&str; 7] = [
    "categoria",
    "forma",
    "modal",
    "papel",
    "responsavel",
    "servico",
    "unidade",
];

/// How a text is said, by the name of its member.
type Said = fn(&str, &str) -> String;

/// Members of an answer with their names beside them, and words of the API in its texts as
/// people write them. `place`: what they are of, for the names of tables.
pub fn object(place: &str, members: &[(&String, &Value)]) -> Markup {
    block(place, members, DEEPEST, |_, text| told(text))
}

/// As [`object`], members of a document: what a customer wrote stays as it is.
pub fn written(place: &str, members: &[(&String, &Value)]) -> Markup {
    block(place, members, DEEPEST, kept)
}

/// The value of a member of a document.
pub fn written_value(name: &str, value: &Value) -> Markup {
    shown(&title(name), name, value, DEEPEST, kept)
}

/// The text itself, or the words of a value of the API.
fn kept(name: &str, text: &str) -> String {
    let one_of_few = name == "tipo" || name.starts_with("tipo_") || ENUMERATIONS.contains(&name);
    if one_of_few {
        told(text)
    } else {
        text.to_owned()
    }
}

/// What is said of the members: first those of one line, then those that have more within.
/// Nothing is said of what is not known, nor of a fraction beside its percentage.
fn block(place: &str, members: &[(&String, &Value)], depth: usize, said: Said) -> Markup {
    let given = |name: &str| members.iter().any(|(one, _)| one.as_str() == name);
    let known = members
        .iter()
        .filter(|(name, value)| !value.is_null() && !given(&format!("{name}{PERCENT}")));
    let (short, deep): (Vec<_>, Vec<_>) = known.partition(|(_, value)| is_short(value));
    html! {
        @if short.is_empty() && deep.is_empty() { span class="suave" { "–" } }
        @else {
            dl class="dados" {
                @for (name, value) in short.into_iter().chain(deep) {
                    @let title = title(name);
                    div class=[(!is_short(value)).then_some("dentro")] {
                        dt { (title) }
                        dd { (shown(&format!("{place}, {title}"), name, value, depth, said)) }
                    }
                }
            }
        }
    }
}

fn shown(place: &str, name: &str, value: &Value, depth: usize, said: Said) -> Markup {
    match value {
        Value::Null => html! { span class="suave" { "–" } },
        Value::Bool(true) => html! { "sim" },
        Value::Bool(false) => html! { "não" },
        Value::Number(number) => html! { (figure(name, &number.to_string())) },
        Value::String(text) => of_text(name, text, said),
        _ if depth == 0 => html! { code { (value.to_string()) } },
        Value::Object(members) => {
            let members: Vec<(&String, &Value)> = members.iter().collect();
            block(place, &members, depth - 1, said)
        }
        Value::Array(list) => match list.as_slice() {
            [] => html! { span class="suave" { "nenhum" } },
            [one] => shown(place, name, one, depth - 1, said),
            several => rows(place, several, said).unwrap_or_else(|| {
                html! {
                    ol class="lista" {
                        @for (at, one) in several.iter().enumerate() {
                            li { (shown(&format!("{place} {}", at + 1), name, one, depth - 1, said)) }
                        }
                    }
                }
            }),
        },
    }
}

/// Whether a value is neither an object nor a list.
fn is_single(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Whether a value has its place beside its name.
fn is_short(value: &Value) -> bool {
    let list = value.as_array();
    list.map_or(!value.is_object(), |list| list.iter().all(is_single))
}

/// Objects of few members without anything within, as a table; None where they are others.
fn rows(place: &str, list: &[Value], said: Said) -> Option<Markup> {
    let mut head: Vec<&String> = Vec::new();
    for row in list {
        for (name, value) in row.as_object()? {
            if !is_single(value) {
                return None;
            }
            if !value.is_null() && !head.contains(&name) {
                head.push(name);
            }
        }
    }
    if head.is_empty() || head.len() > COLUMNS {
        return None;
    }
    let titles: Vec<String> = head.iter().map(|name| title(name)).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let body = html! {
        @for row in list {
            tr { @for name in &head { td { (shown(place, name, &row[name.as_str()], 0, said)) } } }
        }
    };
    Some(table(place, &titles, body))
}

/// A number of the API: an amount with its sign, a rate with its own, any other with a comma.
fn figure(name: &str, text: &str) -> String {
    let amount = name == "valor" || name.starts_with("valor_") || AMOUNTS.contains(&name);
    let rate = name == "percentual" || name.ends_with(PERCENT) || name.starts_with("aliquota");
    match text.parse::<Decimal>().map(|number| number.normalize()) {
        // A price of an item may have more decimals than money.
        Ok(number) if amount && number.scale() <= 2 => money(&Value::from(text)),
        Ok(number) if rate => format!("{number}%").replace('.', ","),
        _ => text.replace('.', ","),
    }
}

/// A text of the API: a date, a moment and a number of a register as they are printed.
fn of_text(name: &str, text: &str, said: Said) -> Markup {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let cep = text.split_at_checked(5).filter(|_| name == "cep");
    if let Some((start, end)) = cep.filter(|_| digits && text.len() == 8) {
        html! { (start) "-" (end) }
    } else if name.contains("cnpj") || name == "cpf" {
        html! { (cpf_cnpj(text)) }
    } else if when::parse_date(text).is_some() {
        html! { (day(text)) }
    } else if when::parse(text).is_some() {
        moment(text)
    } else {
        html! { (said(name, text)) }
    }
}

/// A member's name above or beside its value.
fn title(name: &str) -> String {
    capital(&words(name.strip_suffix(PERCENT).unwrap_or(name)))
}
