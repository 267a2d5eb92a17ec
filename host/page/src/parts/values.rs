//! Values of the API as people read them: names beside values, lists as tables.

use crate::parts::table;
use maud::{Markup, html};
use serde_json::Value;

/// Objects inside objects are shown this deep; what is deeper is text.
pub const DEEPEST: usize = 6;

/// Members with their names beside them.
pub fn object(members: Vec<(&String, &Value)>, depth: usize) -> Markup {
    html! {
        dl class="dados" {
            @for (name, value) in members {
                div { dt { (words(name)) } dd { (shown_value(value, depth)) } }
            }
        }
    }
}

/// A value, as deep as it says.
pub fn shown_value(value: &Value, depth: usize) -> Markup {
    match value {
        Value::Null => html! { span class="suave" { "–" } },
        Value::Bool(true) => html! { "sim" },
        Value::Bool(false) => html! { "não" },
        Value::Number(number) => html! { (number.to_string().replace('.', ",")) },
        Value::String(text) => html! { (text) },
        _ if depth == 0 => html! { code { (value.to_string()) } },
        Value::Object(members) => object(members.iter().collect(), depth - 1),
        Value::Array(list) if list.is_empty() => html! { span class="suave" { "nenhum" } },
        Value::Array(list) if list.iter().all(is_row) => rows(list),
        Value::Array(list) => html! {
            ol class="lista" { @for one in list { li { (shown_value(one, depth - 1)) } } }
        },
    }
}

/// An object whose members are all plain.
fn is_row(value: &Value) -> bool {
    let members = value.as_object();
    members.is_some_and(|members| {
        members
            .values()
            .all(|member| !member.is_object() && !member.is_array())
    })
}

fn rows(list: &[Value]) -> Markup {
    let mut head: Vec<&String> = Vec::new();
    for name in list
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|row| row.keys())
    {
        if !head.contains(&name) {
            head.push(name);
        }
    }
    let titles: Vec<String> = head.iter().map(|name| words(name)).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let body = html! {
        @for row in list {
            tr { @for name in &head { td { (shown_value(&row[name.as_str()], 0)) } } }
        }
    };
    table("Resultado", &titles, body)
}

/// A member's name as words: `aliquota_efetiva` is "aliquota efetiva".
pub fn words(name: &str) -> String {
    name.replace('_', " ")
}
