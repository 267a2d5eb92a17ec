//! Values as their examples write them.

use super::moments;
use crate::names::Form;
use rust_decimal::Decimal;
use serde_json::{Map, Value};

/// A member that says something: null and the empty text say nothing.
pub(super) fn given<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    object.get(name).filter(|value| is_given(value))
}

pub(super) fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    }
}

/// A text, or a number as its digits; none of anything else.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A member as text.
pub(super) fn text_at(object: &Map<String, Value>, name: &str) -> Option<String> {
    text_of(given(object, name)?)
}

/// A member as a decimal; none where it is no number.
pub(super) fn decimal_at(object: &Map<String, Value>, name: &str) -> Option<Decimal> {
    decimal_of(given(object, name)?)
}

/// A JSON number, or a text that is one.
pub(super) fn decimal_of(value: &Value) -> Option<Decimal> {
    let trimmed = match value {
        Value::String(text) => &Value::String(text.trim().to_owned()),
        other => other,
    };
    markup::decimal::from_json(trimmed)
}

/// What a yes or no says, by these texts or as a boolean.
pub(super) fn flag_of(value: &Value, (yes, no): (&str, &str)) -> Option<bool> {
    if let Value::Bool(flag) = value {
        return Some(*flag);
    }
    let text = text_of(value)?.to_ascii_lowercase();
    match text.as_str() {
        text if text == yes || text == "true" => Some(true),
        text if text == no || text == "false" => Some(false),
        _ => None,
    }
}

/// Our value of theirs.
///
/// # Errors
/// What the value should have been.
pub(super) fn simple(form: Form, value: &Value) -> Result<Value, &'static str> {
    match form {
        Form::Text => text_of(value)
            .map(Value::from)
            .ok_or("Informe um texto ou um número."),
        Form::Digits(width) => digits(value, width).ok_or("Informe um código: texto ou número."),
        Form::Number => amount(value).ok_or("Informe um número, com ponto nas casas decimais."),
        Form::Integer => text_of(value)
            .and_then(|text| text.parse::<u64>().ok())
            .map(Value::from)
            .ok_or("Informe um número inteiro."),
        Form::Flag(yes, no) => flag_of(value, (yes, no))
            .map(Value::from)
            .ok_or("Informe um dos dois valores deste campo, ou true e false."),
        Form::Moment => text_of(value)
            .and_then(|text| moments::moment(&text))
            .map(Value::from)
            .ok_or("Informe data e hora, como 2026-10-05T10:15:00-03:00."),
        Form::Day => text_of(value)
            .and_then(|text| moments::day(&text))
            .map(Value::from)
            .ok_or("Informe uma data, como 2026-10-05."),
        Form::YearMonth => text_of(value)
            .and_then(|text| moments::year_month(&text))
            .map(Value::from)
            .ok_or("Informe ano e mês, como 2610."),
        Form::MonthYear => text_of(value)
            .and_then(|text| moments::month_year(&text))
            .map(Value::from)
            .ok_or("Informe mês e ano, como 10/2026."),
        Form::State => text_of(value)
            .and_then(|text| state(&text))
            .map(Value::from)
            .ok_or("Informe a sigla de uma UF."),
        Form::BarCode => text_of(value)
            .map(|text| match text.to_uppercase().as_str() {
                "SEM GTIN" => Value::Null,
                _ => text.into(),
            })
            .ok_or("Informe um código de barras."),
        // The others are not of one value.
        _ => Err("Não é um valor simples."),
    }
}

/// The longest code whose text gets back leading zeros: a longer one that is too short is
/// a mistake.
const SHORT: usize = 3;

/// A code; it gets back the zeros it lost.
fn digits(value: &Value, width: usize) -> Option<Value> {
    let text = text_of(value)?;
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    match value {
        Value::Number(_) if !plain => None,
        Value::String(_) if !plain || width > SHORT => Some(text.into()),
        _ => Some(format!("{text:0>width$}").into()),
    }
}

/// A number with its digits as they came.
fn amount(value: &Value) -> Option<Value> {
    decimal_of(value)?;
    match value {
        Value::String(text) => Some(text.trim().into()),
        other => Some(other.clone()),
    }
}

fn state(text: &str) -> Option<String> {
    let by_code = text.parse().ok().and_then(data::ufs::by_code);
    let uf = by_code.or_else(|| data::ufs::by_uf(&text.to_ascii_uppercase()));
    uf.map(|uf| uf.abbreviation.to_owned())
}
