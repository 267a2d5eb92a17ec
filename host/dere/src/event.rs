//! An event's document from what a customer says, and the verdict on it.
//!
//! What a customer says has the names of the layout's elements. What the hub
//! knows itself is put in: the environment, the program, the inscription, the
//! period. If it is said as well, it must be the same.

use crate::catalogue::{Kind, Role};
use crate::group::Group;
use crate::path::{self, DATA};
use crate::period::Period;
use crate::rules;
use markup::field::{Field, Fields};
use markup::layout::{Layout, LayoutError};
use markup::xml::Document;
use serde_json::{Map, Value};

/// Root of every document of the DeRE.
const ROOT: &str = "DeRE";
/// `tpOper` where nothing is said: the event is included.
const INCLUSION: &str = "1";
/// `aplicEmi`: the program is the company's, not the government's.
const OWN_PROGRAM: &str = "1";

/// What an event is made of.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    pub kind: &'static Kind,
    /// Its id (see [`crate::id`]).
    pub id: &'o str,
    /// Root of the company's CNPJ, eight characters.
    pub base: &'o str,
    /// Production, or else the restricted production that is for tests.
    pub production: bool,
    pub period: &'o Period,
    /// What the program calls itself, up to 20 characters.
    pub program: &'o str,
    /// What the customer says: members of the event's element.
    pub data: &'o Map<String, Value>,
}

/// A document, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Canonical XML without signature; None where the data cannot be written
    /// by the layout.
    pub xml: Option<String>,
    /// Nothing: the layout accepts it.
    pub faults: Vec<Field>,
}

/// Writes an event and judges it, as it is before it is signed.
pub fn draft(order: &Order<'_>) -> Draft {
    let mut faults = Fields::default();
    let content = completed(order, &mut faults);
    match write(order.kind, content) {
        Ok(xml) => {
            faults.0.extend(judge(order.kind, &xml, false));
            Draft {
                xml: Some(xml),
                faults: faults.0,
            }
        }
        Err(errors) => {
            faults.0.extend(errors.into_iter().map(told));
            Draft {
                xml: None,
                faults: faults.0,
            }
        }
    }
}

/// What the layout refuses in a document. The rules in words are judged where
/// the structure is right. `signed`: the signature must be there, too.
pub fn judge(kind: &Kind, xml: &str, signed: bool) -> Vec<Field> {
    let Some(layout) = Layout::get(kind.layout) else {
        return Vec::new();
    };
    let errors = if signed {
        layout.validate(xml)
    } else {
        layout.validate_without_signature(xml)
    };
    if !errors.is_empty() {
        return errors.into_iter().map(told).collect();
    }
    let Ok(doc) = Document::parse(xml) else {
        return Vec::new();
    };
    let event = Group::event(&doc);
    event.map_or_else(Vec::new, |event| rules::check(kind, &event))
}

fn write(kind: &Kind, content: Map<String, Value>) -> Result<String, Vec<LayoutError>> {
    let Some(layout) = Layout::get(kind.layout) else {
        return Err(Vec::new());
    };
    let mut root = Map::new();
    root.insert(kind.element.to_owned(), Value::Object(content));
    let node = layout.from_json(ROOT, &Value::Object(root))?;
    Ok(layout.write(&node)?.xml)
}

/// The content with what the hub knows.
fn completed(order: &Order<'_>, faults: &mut Fields) -> Map<String, Value> {
    let mut content = order.data.clone();
    for name in ["@id", "id"] {
        let said = content.remove(name);
        if said.is_some_and(|said| said != order.id) {
            own(DATA, "id", order.id, faults);
        }
    }
    content.insert("@id".to_owned(), order.id.into());
    let environment = if order.production { "1" } else { "2" };
    let known = [
        ("tpAmb", environment),
        ("aplicEmi", OWN_PROGRAM),
        ("verAplic", order.program),
    ];
    put(&mut content, "ideEvento", faults, |group, place, faults| {
        group.entry("tpOper").or_insert_with(|| INCLUSION.into());
        for (name, value) in known {
            set(group, place, name, value, faults);
        }
    });
    put(
        &mut content,
        "ideContrib",
        faults,
        |group, place, faults| {
            set(group, place, "nrInsc", order.base, faults);
        },
    );
    put(
        &mut content,
        "idePeriodo",
        faults,
        |group, place, faults| {
            if order.kind.role != Role::Table {
                set(group, place, "perApur", order.period.as_str(), faults);
                return;
            }
            let day = group
                .entry("iniValid")
                .or_insert_with(|| order.period.first_day().into());
            let within = day
                .as_str()
                .is_none_or(|day| day.starts_with(order.period.as_str()));
            if !within {
                faults.add(
                    format!("{place}.iniValid"),
                    "diverge",
                    format!(
                        "iniValid não é do mês informado em periodo ({}).",
                        order.period.as_str()
                    ),
                    "Informe em periodo o mês em que a validade começa.",
                );
            }
        },
    );
    content
}

/// Completes a group, which is made where it is not there. One that is no
/// object stays: the layout tells of it.
fn put(
    content: &mut Map<String, Value>,
    name: &str,
    faults: &mut Fields,
    complete: impl FnOnce(&mut Map<String, Value>, &str, &mut Fields),
) {
    let group = content.entry(name).or_insert(Value::Null);
    if group.is_null() {
        *group = Value::Object(Map::new());
    }
    if let Value::Object(members) = group {
        members.retain(|_, value| !value.is_null());
        complete(members, &format!("{DATA}.{name}"), faults);
    }
}

/// Sets what the hub knows; another value of the customer's is a fault.
fn set(group: &mut Map<String, Value>, place: &str, name: &str, value: &str, faults: &mut Fields) {
    let said = group.insert(name.to_owned(), value.into());
    let same = said.is_none_or(|said| match said {
        Value::String(text) => text == value,
        Value::Number(number) => number.to_string() == value,
        _ => false,
    });
    if !same {
        own(place, name, value, faults);
    }
}

/// The fault of a value that the hub knows and the customer says otherwise.
fn own(place: &str, name: &str, value: &str, faults: &mut Fields) {
    faults.add(
        format!("{place}.{name}"),
        "preenchido_pelo_hub",
        format!("{name} é preenchido pelo hub e veio com outro valor."),
        format!("Retire {name}, ou informe {value}."),
    );
}

/// An error of the layout by its place in the request.
fn told(error: LayoutError) -> Field {
    Field {
        campo: path::of_layout(&error.caminho),
        codigo: error.regra.to_owned(),
        mensagem: error.mensagem,
        correcao: error.correcao,
        valor: None,
    }
}
