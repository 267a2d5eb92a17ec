//! Documents as JSON with official names, and back.
//!
//! An element with a value is a string, a group an object; attributes are
//! members with `@` before their name; a value beside attributes is `#text`.
//! What the layout allows several of is always a list.

use serde_json::{Map, Value};

use crate::layout::error::{LayoutError, rule};
use crate::layout::structure::{Place, arrange};
use crate::layout::table::{Model, Symbol, Table, Type};
use crate::layout::validate::check;
use crate::layout::write::{content_of, has_value};
use crate::tree::Node;
use crate::xml::{Document, Element, MAX_DEPTH};

/// Member for a value that has attributes beside it.
const TEXT: &str = "#text";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

pub(super) fn to_json(table: &Table, doc: &Document<'_>) -> Value {
    let root = doc.root();
    let kind = table.element_by_name(root.name());
    let mut map = Map::new();
    map.insert(root.name().to_owned(), of_element(table, root, kind));
    Value::Object(map)
}

fn of_element(table: &Table, element: Element<'_>, kind: Option<Type>) -> Value {
    let mut map = Map::new();
    for (namespace, name, value) in element.attributes() {
        if namespace != XSI {
            map.insert(format!("@{name}"), Value::from(value));
        }
    }
    let model = kind.and_then(|kind| table.model(kind));
    let children: Vec<Element<'_>> = element.children().collect();
    let names: Vec<&str> = children.iter().map(|child| child.name()).collect();
    let mut kinds: Vec<Option<Type>> = vec![None; children.len()];
    if let Some(model) = model {
        for (index, place) in arrange(model, &names).order {
            if let (Place::Element(declaration), Some(kind)) = (place, kinds.get_mut(index)) {
                *kind = model.declarations.get(declaration).map(|d| d.kind);
            }
        }
    }
    for (child, kind) in children.iter().zip(kinds) {
        let value = of_element(table, *child, kind);
        let several = model.is_some_and(|model| repeats(model, child.name()));
        match map.get_mut(child.name()) {
            Some(Value::Array(list)) => list.push(value),
            Some(other) => {
                let first = other.take();
                *other = Value::Array(vec![first, value]);
            }
            None if several => {
                map.insert(child.name().to_owned(), Value::Array(vec![value]));
            }
            None => {
                map.insert(child.name().to_owned(), value);
            }
        }
    }
    if !children.is_empty() || model.is_some() {
        return Value::Object(map);
    }
    let text = Value::from(element.text().as_ref());
    if map.is_empty() {
        return text;
    }
    if element.text().is_empty() && !kind.is_none_or(|kind| has_value(table, kind)) {
        return Value::Object(map);
    }
    map.insert(TEXT.to_owned(), text);
    Value::Object(map)
}

/// May the name occur more than once?
fn repeats(model: &Model, name: &str) -> bool {
    model.automaton.symbols.iter().any(|position| {
        let Symbol::Element(declaration) = position.o else {
            return false;
        };
        let this = model
            .declarations
            .get(declaration)
            .is_some_and(|d| d.name == name);
        this && (position.max > 1 || model.group_repeats)
    })
}

pub(super) fn from_json(
    table: &Table,
    root: &str,
    value: &Value,
) -> Result<Node, Vec<LayoutError>> {
    let Some(kind) = table.element_by_name(root) else {
        let name: String = root.chars().take(60).collect();
        return Err(vec![LayoutError::new(
            name.clone(),
            rule::ROOT,
            format!("{name} não existe no layout."),
            "Use um elemento do layout.".to_owned(),
        )]);
    };
    // `{"NFe": {...}}` is the same as `{...}`.
    let within = match value {
        Value::Object(map) if map.len() == 1 => map.get(root).unwrap_or(value),
        _ => value,
    };
    let mut reader = Reader {
        table,
        path: Vec::new(),
        errors: Vec::new(),
    };
    let element = reader.element(root, kind, within);
    if reader.errors.is_empty() {
        Ok(element)
    } else {
        Err(reader.errors)
    }
}

struct Reader<'t> {
    table: &'t Table,
    path: Vec<String>,
    errors: Vec<LayoutError>,
}

impl Reader<'_> {
    fn element(&mut self, name: &str, kind: Type, value: &Value) -> Node {
        if has_value(self.table, kind) {
            return self.field(name, kind, value);
        }
        let mut group = Node::group(name.to_owned());
        let Value::Object(map) = value else {
            self.error(
                rule::STRUCTURE,
                format!("{name} é um grupo de campos."),
                format!("Informe um objeto em {name}."),
            );
            return group;
        };
        let complex = content_of(self.table, kind);
        for (chave, value) in map {
            if value.is_null() || self.path.len() >= MAX_DEPTH {
                continue;
            }
            let attribute = chave.strip_prefix('@').unwrap_or(chave);
            let model = self.table.model(kind);
            let child = model.and_then(|m| m.declarations.iter().find(|d| d.name == *chave));
            let declared =
                complex.and_then(|complex| complex.attributes.iter().find(|a| a.name == attribute));
            self.path.push(chave.chars().take(60).collect());
            if let Some(child) = child {
                let kind = child.kind;
                self.members(&mut group, child.name, kind, value);
            } else if declared.is_some() {
                if let Some(text) = self.text(value, declared.map(|a| a.kind)) {
                    group.attributes.push((attribute.to_owned().into(), text));
                }
            } else if model.is_some_and(|model| !model.wildcards.is_empty()) {
                self.free(&mut group, chave, value);
            } else {
                self.error(
                    rule::UNKNOWN,
                    format!("{} não existe em {name} no layout.", short(chave)),
                    format!("Retire {}.", short(chave)),
                );
            }
            self.path.pop();
        }
        group
    }

    /// One member of the object: an element, or a list of them.
    fn members(&mut self, group: &mut Node, name: &'static str, kind: Type, value: &Value) {
        match value {
            Value::Array(list) => {
                for (index, item) in list.iter().enumerate() {
                    if let Some(last) = self.path.last_mut() {
                        *last = format!("{name}[{}]", index + 1);
                    }
                    group.put(self.element(name, kind, item));
                }
            }
            item => group.put(self.element(name, kind, item)),
        }
    }

    fn field(&mut self, name: &str, kind: Type, value: &Value) -> Node {
        let complex = content_of(self.table, kind);
        let simples = match (kind, complex) {
            (Type::Simples(index), _) => Some(index),
            (_, Some(complex)) => match complex.content {
                crate::layout::table::Content::Simples(index) => Some(index),
                _ => None,
            },
            _ => None,
        };
        let (Value::Object(map), Some(complex)) = (value, complex) else {
            let text = self.text(value, simples).unwrap_or_default();
            return Node::field(name.to_owned(), text);
        };
        let text = map
            .get(TEXT)
            .map_or(Some(String::new()), |v| self.text(v, simples));
        let mut field = Node::field(name.to_owned(), text.unwrap_or_default());
        for (chave, value) in map.iter().filter(|(chave, _)| *chave != TEXT) {
            let attribute = chave.strip_prefix('@').unwrap_or(chave);
            if !complex.attributes.iter().any(|a| a.name == attribute) {
                let chave = short(chave);
                self.error(
                    rule::UNKNOWN_ATTRIBUTE,
                    format!("{name} não tem o atributo {chave}."),
                    format!("Retire {chave}."),
                );
            } else if let Some(text) = self.text(value, None) {
                field.attributes.push((attribute.to_owned().into(), text));
            }
        }
        field
    }

    /// Content of a wildcard, read without a layout.
    fn free(&mut self, group: &mut Node, name: &str, value: &Value) {
        if self.path.len() >= MAX_DEPTH {
            return;
        }
        if let Some(attribute) = name.strip_prefix('@') {
            if let Some(text) = self.text(value, None) {
                group.attributes.push((attribute.to_owned().into(), text));
            }
            return;
        }
        let items = match value {
            Value::Array(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        for item in items {
            let child = match item {
                Value::Object(map) => {
                    let mut child = Node::group(name.to_owned());
                    if let Some(text) = map.get(TEXT).and_then(Value::as_str) {
                        child = Node::field(name.to_owned(), text);
                    }
                    for (chave, value) in map.iter().filter(|(chave, _)| *chave != TEXT) {
                        self.path.push(short(chave));
                        self.free(&mut child, chave, value);
                        self.path.pop();
                    }
                    child
                }
                other => {
                    let text = self.text(other, None).unwrap_or_default();
                    Node::field(name.to_owned(), text)
                }
            };
            group.put(child);
        }
    }

    /// A value: texts as they are, numbers with the decimal places the type asks for.
    fn text(&mut self, value: &Value, kind: Option<usize>) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => {
                let text = number.to_string();
                let simples = kind.and_then(|kind| self.table.simples(kind));
                let Some(simples) = simples else {
                    return Some(text);
                };
                let serve = |text: &str| check(self.table, simples, text).is_ok();
                if serve(&text) {
                    return Some(text);
                }
                // 10.5 where the layout wants 10.50.
                let mut along = text.clone();
                if !along.contains('.') {
                    along.push('.');
                }
                for _ in 0..10 {
                    along.push('0');
                    if serve(&along) {
                        return Some(along);
                    }
                }
                Some(text)
            }
            _ => {
                self.error(
                    rule::STRUCTURE,
                    "O valor deve ser um texto ou um número.".to_owned(),
                    "Informe um texto.".to_owned(),
                );
                None
            }
        }
    }

    fn error(&mut self, rule: &'static str, message: String, correction: String) {
        const MAX_ERRORS: usize = 1000;
        if self.errors.len() < MAX_ERRORS {
            let path = self.path.join("/");
            self.errors
                .push(LayoutError::new(path, rule, message, correction));
        }
    }
}

fn short(name: &str) -> String {
    name.chars().take(60).collect()
}
