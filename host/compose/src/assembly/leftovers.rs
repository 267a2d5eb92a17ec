//! Members of a tax that its situation has no place for. They are told by
//! name: left out of the note in silence they would be believed to be in it.

use crate::context::{Context, Place};
use fiscal::nfe::order::{Member, Members};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Display;

/// Which tax, and what about it decides on its members.
pub(super) struct Situation<'s> {
    /// Member of `impostos`.
    pub tax: &'static str,
    /// For people: `no CST 40 do ICMS`.
    pub name: &'s dyn Display,
    /// The members are the profile's. They are defaults for more than one
    /// situation, so they are told and left out.
    pub of_perfil: bool,
}

/// Tells each member of the item's group that is none of `cabem`. A group of
/// which only some members fit is given by these, as `mono.aliquota`. What is
/// zero says nothing: some programs send every member.
pub(super) fn tell<T: Serialize + Members>(
    ctx: &mut Context<'_>,
    item: Place<'_>,
    situation: &Situation<'_>,
    given: &T,
    fitting: &[&str],
) {
    // Asked of every tax of every item, and nearly always so.
    if all_fit(given, "", fitting) {
        return;
    }
    let Ok(Value::Object(members)) = serde_json::to_value(given) else {
        return;
    };
    let mut outside = Vec::new();
    join(&members, "", fitting, &mut outside);
    for member in outside {
        let (tax, name) = (situation.tax, situation.name);
        let message = format!("O campo {member} não cabe {name}: ficaria fora da nota.");
        if situation.of_perfil {
            let place = format!("perfil_fiscal.padroes.{tax}.{member}");
            ctx.notice_at(place, message);
            continue;
        }
        ctx.fields.add(
            format!("{item}.impostos.{tax}.{member}"),
            "nao_cabe_no_cst",
            message,
            "Retire o campo, ou informe a situação tributária que o leva.",
        );
    }
}

/// Do all members fit, or say nothing? False also of what [`join`] has to look at.
fn all_fit(members: &dyn Members, above: &str, fitting: &[&str]) -> bool {
    let within = || fitting.iter().filter_map(|fits| fits.strip_prefix(above));
    members.all(&mut |name, member| {
        if fitting.iter().any(|fits| is_named(fits, above, name)) || is_nothing(&member) {
            return true;
        }
        let mut below = within().filter_map(|fits| fits.strip_prefix(name));
        match member {
            Member::Group(group) if below.any(|rest| rest.starts_with('.')) => {
                all_fit(group, &format!("{above}{name}."), fitting)
            }
            _ => false,
        }
    })
}

/// Is `fits` the member's whole name? Length and last letter are looked at first: they settle
/// nearly every comparison, and each of the others is a call.
fn is_named(fits: &str, above: &str, name: &str) -> bool {
    fits.len() == above.len() + name.len()
        && fits.as_bytes().last() == name.as_bytes().last()
        && fits.ends_with(name)
        && fits.starts_with(above)
}

/// As [`nothing`] of the member's JSON.
fn is_nothing(member: &Member<'_>) -> bool {
    match member {
        Member::Flag(flag) => !flag,
        Member::Number(number) => number.is_zero(),
        Member::Text(text) => {
            text.is_empty() || text.parse().is_ok_and(|number: Decimal| number.is_zero())
        }
        Member::Group(group) => group.all(&mut |_, member| is_nothing(&member)),
        Member::Code(_) | Member::List(_) | Member::Official(_) => false,
    }
}

fn join(members: &Map<String, Value>, above: &str, fitting: &[&str], outside: &mut Vec<String>) {
    for (name, value) in members {
        let caminho = format!("{above}{name}");
        if fitting.contains(&caminho.as_str()) || nothing(value) {
            continue;
        }
        let below = format!("{caminho}.");
        match value {
            Value::Object(members) if fitting.iter().any(|fits| fits.starts_with(&below)) => {
                join(members, &below, fitting, outside);
            }
            _ => outside.push(caminho),
        }
    }
}

/// Is it absent, zero, or a group of such?
fn nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => {
            text.is_empty() || text.parse().is_ok_and(|number: Decimal| number.is_zero())
        }
        Value::Array(list) => list.iter().all(nothing),
        Value::Object(members) => members.values().all(nothing),
    }
}
