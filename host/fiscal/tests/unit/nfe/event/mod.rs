//! Events built from generated fields, judged by the official schemas and by
//! `xmlsec1`; rules by example.

mod join;
mod keyring;
mod official;
mod rules;

use fiscal::nfe::event::{EventField, Evento, Formato, NAMESPACE, search};
use markup::ids::CpfCnpj;
use markup::ids::chave::{Chave, Parts};
use markup::tree::{ElementContent, Node};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use time::macros::datetime;

/// Small deterministic numbers for generated fields.
pub(crate) struct Die(pub u64);

impl Die {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub fn digits(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| char::from(b'0' + u8::try_from(self.below(10)).unwrap()))
            .collect()
    }
}

pub(crate) fn chave(model: u8) -> Chave {
    let parts = Parts {
        uf: 35,
        year: 2026,
        month: 11,
        documento: CpfCnpj::parse("11222333000181").unwrap(),
        model,
        serie: 1,
        number: 1523,
        tp_emis: 1,
        c_nf: 31_415_926,
    };
    parts.chave().unwrap()
}

fn evento(codigo: &str, model: u8, data: Value) -> Evento {
    Evento {
        kind: search(codigo).unwrap(),
        chave: chave(model),
        sequence: 1,
        author: CpfCnpj::parse("11222333000181").unwrap(),
        role: None,
        agency: None,
        author_agency: None,
        production: false,
        at: datetime!(2026-11-20 10:15:00 -3),
        ver_aplic: "hub 0.1".to_owned(),
        data,
    }
}

/// Fields the catalogue allows, all of them or only the required ones.
fn generate(fields: &[EventField], official: bool, everything: bool, die: &mut Die) -> Value {
    let mut object = Map::new();
    let chosen: Vec<&EventField> = fields
        .iter()
        .filter(|field| everything || field.obrigatorio)
        .filter(|field| !matches!(field.formato, Formato::Fixo { .. }))
        .collect();
    for field in chosen {
        let name = if official { field.tag } else { field.nome };
        let value = match (field.formato, field.ocorrencias) {
            (Formato::Grupo, 1) => generate(field.campos, official, everything, die),
            (Formato::Grupo, _) => {
                let list = (1..=2).map(|item| {
                    let mut group = generate(field.campos, official, everything, die);
                    if let Some(name) = ["item", "nItem"]
                        .iter()
                        .find(|name| group.get(**name).is_some())
                    {
                        group[*name] = json!(item);
                    }
                    group
                });
                list.collect()
            }
            // Without a description it may not be "others".
            _ if field.tag == "tPag" && !everything => json!("01"),
            (formato, _) => value(formato, die),
        };
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

fn value(formato: Formato, die: &mut Die) -> Value {
    match formato {
        Formato::Texto {
            tamanho_minimo: min_length,
            tamanho_maximo: max_length,
        } => {
            let minimum = u64::from(min_length);
            let length = minimum + die.below(u64::from(max_length) - minimum + 1);
            let letters = ['a', 'ç', 'É', '&', '<', '"', '\'', 'ÿ', '!', '9'];
            let text: String = (0..length)
                .map(|_| letters[usize::try_from(die.below(10)).unwrap()])
                .collect();
            json!(text)
        }
        Formato::Decimal {
            inteiros: integers,
            decimais: fraction,
        } => {
            let count = 1 + usize::try_from(die.below(u64::from(integers))).unwrap();
            let text = format!("{}.{}", die.digits(count), die.digits(fraction as usize));
            let number: Decimal = text.parse().unwrap();
            json!(number.to_string())
        }
        Formato::Opcao { opcoes: options } => {
            let option = &options[usize::try_from(die.below(options.len() as u64)).unwrap()];
            json!(if die.below(2) == 0 {
                option.valor
            } else {
                option.nome
            })
        }
        Formato::Digitos { tamanho: length } => json!(die.digits(usize::from(length))),
        Formato::Data => json!(format!(
            "20{:02}-02-{:02}",
            die.below(100),
            1 + die.below(28)
        )),
        Formato::Chave => json!(chave(65).as_str()),
        Formato::Protocolo => {
            let length = [15, 17][usize::try_from(die.below(2)).unwrap()];
            json!(die.digits(length))
        }
        Formato::Cnpj => json!("11.222.333/0001-81"),
        Formato::Uf => json!("sp"),
        Formato::Item => json!(1 + die.below(990)),
        Formato::Fixo { .. } | Formato::Grupo => Value::Null,
    }
}

/// Canonical XML of a tree as it stands, apart from the layout's writer.
fn canonical(element: &Node, root: bool, output: &mut String) {
    output.push('<');
    output.push_str(&element.name);
    if root {
        output.push_str(&format!(" xmlns=\"{NAMESPACE}\""));
    }
    for (name, value) in &element.attributes {
        output.push_str(&format!(" {name}=\"{value}\""));
    }
    output.push('>');
    match &element.content {
        ElementContent::Text(text) => {
            output.push_str(
                &text
                    .replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;"),
            );
        }
        ElementContent::Children(children) => {
            for child in children {
                canonical(child, false, output);
            }
        }
    }
    output.push_str(&format!("</{}>", element.name));
}

pub(crate) fn write_out(element: &Node) -> String {
    let mut output = String::new();
    canonical(element, true, &mut output);
    output
}
