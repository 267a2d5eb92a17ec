//! A group of official names under construction, in any order.

use sdk::{Decimal, FieldError};
use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub struct Group(Map<String, Value>);

impl Group {
    pub fn text(&mut self, name: &str, value: &str) {
        self.0.insert(name.into(), Value::String(value.into()));
    }

    /// Left out when absent or blank.
    pub fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            self.text(name, value);
        }
    }

    /// Two decimals; more than two are refused, never rounded.
    pub fn money(&mut self, name: &str, value: Decimal, field: &str, errors: &mut Vec<FieldError>) {
        match value.fixed(2) {
            Some(text) => self.text(name, &text),
            None => errors.push(FieldError::new(
                field,
                "casas_decimais",
                "No máximo 2 casas decimais.",
            )),
        }
    }

    /// Left out when absent or zero: the server wants values above zero
    /// (E0431, E0699 to E0701).
    pub fn positive(
        &mut self,
        name: &str,
        value: Option<Decimal>,
        field: &str,
        errors: &mut Vec<FieldError>,
    ) {
        if let Some(value) = value.filter(|value| !value.is_zero()) {
            self.money(name, value, field, errors);
        }
    }

    pub fn group(&mut self, name: &str, group: Group) {
        self.0.insert(name.into(), Value::Object(group.0));
    }

    /// Left out when absent or without a field.
    pub fn optional_group(&mut self, name: &str, group: Option<Group>) {
        if let Some(group) = group.filter(|group| !group.is_empty()) {
            self.group(name, group);
        }
    }

    /// Takes a member out: its fields, or none when it is no group.
    pub fn take(&mut self, name: &str) -> Group {
        match self.0.remove(name) {
            Some(Value::Object(fields)) => Group(fields),
            _ => Group::default(),
        }
    }

    /// Completes a group inside this one; it is left out when it stays empty.
    pub fn within(&mut self, name: &str, complete: impl FnOnce(&mut Group)) {
        let mut group = self.take(name);
        complete(&mut group);
        self.optional_group(name, Some(group));
    }

    pub fn groups(&mut self, name: &str, items: Vec<Group>) {
        let items = items.into_iter().map(|item| Value::Object(item.0));
        self.0.insert(name.into(), Value::Array(items.collect()));
    }

    pub fn texts(&mut self, name: &str, items: &[String]) {
        let items = items.iter().cloned().map(Value::String);
        self.0.insert(name.into(), Value::Array(items.collect()));
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_tree(self) -> Map<String, Value> {
        self.0
    }
}
