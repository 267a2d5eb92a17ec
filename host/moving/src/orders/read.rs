//! Reading a body by a table.

use super::Order;
use super::issuer::Issuer;
use super::values::{given, is_given, simple, text_of};
use crate::names::{Form, Row, Rows, lines};
use serde_json::{Map, Value};

/// Faults that are told at most; a body with more of them is another body.
const MOST: usize = 100;

/// What is wrong with a member, by their name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub field: String,
    pub message: String,
}

/// What a sender should know of a member that is not passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub field: String,
    pub message: String,
}

/// A body that is being translated.
pub(super) struct Reading<'i> {
    pub body: Map<String, Value>,
    issuer: &'i Issuer,
    faults: Vec<Fault>,
    notices: Vec<Notice>,
}

impl<'i> Reading<'i> {
    pub(super) fn new(issuer: &'i Issuer) -> Reading<'i> {
        Reading {
            body: Map::new(),
            issuer,
            faults: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// The order, or everything that keeps it from being one.
    pub(super) fn finished(mut self) -> Result<Order, Vec<Fault>> {
        if self.faults.is_empty() {
            return Ok(Order {
                body: self.body,
                notices: self.notices,
            });
        }
        self.faults.truncate(MOST);
        Err(self.faults)
    }

    pub(super) fn fault(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault {
            field: field.into(),
            message: message.into(),
        });
    }

    pub(super) fn notice(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.notices.push(Notice {
            field: field.into(),
            message: message.into(),
        });
    }

    /// Reads all of a body.
    pub(super) fn read(&mut self, rows: Rows, object: &Map<String, Value>) {
        let mut body = std::mem::take(&mut self.body);
        self.members(rows, object, "", &mut body);
        self.body = body;
    }

    /// Reads an object into a body or a part of one. `at`: what stands before its
    /// names, in their words.
    fn members(
        &mut self,
        rows: Rows,
        object: &Map<String, Value>,
        at: &str,
        body: &mut Map<String, Value>,
    ) {
        for (name, value) in object {
            if !is_given(value) {
                continue;
            }
            let field = format!("{at}{name}");
            let mut known = false;
            for row in lines(rows).filter(|row| row.theirs == name) {
                known = true;
                self.member(row, value, &field, body);
            }
            if !known {
                self.fault(
                    field,
                    "O campo não é conhecido por este hub, ou não pode ser enviado por ele.",
                );
            }
        }
    }

    fn member(&mut self, row: &Row, value: &Value, field: &str, body: &mut Map<String, Value>) {
        match row.form {
            Form::Group(rows) => match value.as_object() {
                Some(object) => self.members(rows, object, &format!("{field}."), body),
                None => self.fault(field, "Informe um objeto."),
            },
            Form::List(rows) => match value.as_array() {
                Some(entries) => self.list(row.ours, rows, entries, field, body),
                None => self.fault(field, "Informe uma lista."),
            },
            Form::First(rows) => match value.as_array().map(Vec::as_slice) {
                Some([]) => {}
                Some([one]) => self.first(row.ours, rows, one, field, body),
                Some(_) => self.fault(field, "O hub leva uma só entrada desta lista."),
                None => self.fault(field, "Informe uma lista."),
            },
            Form::Texts(members) => match value.as_array() {
                Some(entries) => self.texts(row.ours, members, entries, field, body),
                None => self.fault(field, "Informe uma lista."),
            },
            Form::Apart | Form::Sum => {}
            Form::Company(what, strict) => self.company(what, strict, value, field),
            Form::Only(only) => self.only(only, value, field),
            Form::Told(why) => self.notice(field, why),
            Form::Refused(why) => self.fault(field, why),
            form => match simple(form, value) {
                Ok(Value::Null) => {}
                Ok(value) => self.put(body, row.ours, value, field),
                Err(expected) => self.fault(field, expected),
            },
        }
    }

    fn list(
        &mut self,
        ours: &str,
        rows: Rows,
        entries: &[Value],
        field: &str,
        body: &mut Map<String, Value>,
    ) {
        let mut read = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let place = format!("{field}[{index}]");
            let Some(object) = entry.as_object() else {
                self.fault(place, "Informe um objeto.");
                continue;
            };
            let mut part = Map::new();
            self.members(rows, object, &format!("{place}."), &mut part);
            read.push(Value::Object(part));
        }
        if !entries.is_empty() {
            self.put(body, ours, Value::Array(read), field);
        }
    }

    fn first(
        &mut self,
        ours: &str,
        rows: Rows,
        entry: &Value,
        field: &str,
        body: &mut Map<String, Value>,
    ) {
        let place = format!("{field}[0]");
        let Some(object) = entry.as_object() else {
            self.fault(place, "Informe um objeto.");
            return;
        };
        let mut part = Map::new();
        self.members(rows, object, &format!("{place}."), &mut part);
        self.put(body, ours, Value::Object(part), field);
    }

    fn texts(
        &mut self,
        ours: &str,
        members: &[&str],
        entries: &[Value],
        field: &str,
        body: &mut Map<String, Value>,
    ) {
        let mut read = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let place = format!("{field}[{index}]");
            let Some(object) = entry.as_object() else {
                self.fault(place, "Informe um objeto.");
                continue;
            };
            for name in object
                .keys()
                .filter(|name| !members.contains(&name.as_str()))
            {
                self.fault(
                    format!("{place}.{name}"),
                    "O campo não é conhecido por este hub.",
                );
            }
            let found = members.iter().find_map(|name| given(object, name));
            match found.and_then(text_of) {
                Some(text) => read.push(Value::from(text)),
                None => self.fault(place, format!("Informe {}.", members.join(" ou "))),
            }
        }
        if !entries.is_empty() {
            self.put(body, ours, Value::Array(read), field);
        }
    }

    /// Sets a member of ours, once.
    pub(super) fn put(
        &mut self,
        body: &mut Map<String, Value>,
        ours: &str,
        value: Value,
        field: &str,
    ) {
        if let Some(there) = at(body, ours)
            && *there != value
        {
            self.fault(
                field,
                "Outro campo do pedido já diz o mesmo, com outro valor: informe um só.",
            );
            return;
        }
        set(body, ours, value);
    }

    fn company(&mut self, what: &str, strict: bool, value: &Value, field: &str) {
        let Some(text) = text_of(value) else {
            self.fault(field, "Informe um texto ou um número.");
            return;
        };
        match (self.issuer.agrees(what, &text), strict) {
            (Some(true), _) => {}
            (Some(false), true) => self.fault(
                field,
                "O valor difere do que o hub tem no perfil fiscal do emitente: corrija um dos dois.",
            ),
            (Some(false) | None, _) => self.notice(
                field,
                "A nota leva o que está no perfil fiscal do emitente, não este valor.",
            ),
        }
    }

    fn only(&mut self, only: &str, value: &Value, field: &str) {
        let number = super::values::decimal_of(value);
        let same = number.is_some_and(|number| markup::decimal::parse(only) == Some(number));
        if !same {
            self.fault(field, format!("Só {only} pode ser enviado por este hub."));
        }
    }
}

/// The member at a dotted path.
pub(super) fn at<'v>(body: &'v Map<String, Value>, path: &str) -> Option<&'v Value> {
    match path.split_once('.') {
        Some((group, rest)) => at(body.get(group)?.as_object()?, rest),
        None => body.get(path),
    }
}

/// Sets the member at a dotted path, with the groups around it.
pub(super) fn set(body: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            body.insert(path.to_owned(), value);
        }
        Some((group, rest)) => {
            let group = body
                .entry(group)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Some(group) = group.as_object_mut() {
                set(group, rest, value);
            }
        }
    }
}

/// Somebody with a NIF is of another country.
pub(super) fn abroad(party: &str, reading: &mut Reading<'_>) {
    if at(&reading.body, &format!("{party}.nif")).is_some() {
        set(
            &mut reading.body,
            &format!("{party}.tipo"),
            "exterior".into(),
        );
    }
}
