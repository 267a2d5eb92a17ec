//! Documents a table allows: the smallest, the largest, each alternative.

use super::model::{Kind, O, Particle, Table};
use super::sample;

/// What a document is to look like.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Optional parts, repetitions and long values too.
    pub full: bool,
    /// Alternative taken of each choice, value taken of each list (modulo).
    pub branch: usize,
}

/// Repetitions written at most.
const MAX_REPETITIONS: u32 = 2;

pub fn generate(table: &Table, root: &str, kind: &str, plan: Plan) -> String {
    let mut work = Work {
        table,
        plan,
        ids: 0,
        text: String::new(),
    };
    work.element(root, kind, true, 0, &[]);
    work.text
}

/// Alternatives of the widest choice.
pub fn branches(table: &Table) -> usize {
    fn from(particle: &Particle) -> usize {
        match &particle.o {
            O::Choice(parts) => parts.iter().map(from).max().unwrap_or(1).max(parts.len()),
            O::Sequence(parts) => parts.iter().map(from).max().unwrap_or(1),
            _ => 1,
        }
    }
    let tipos = table
        .tipos
        .values()
        .filter_map(|kind| kind.particle.as_ref());
    tipos.map(from).max().unwrap_or(1)
}

struct Work<'t> {
    table: &'t Table,
    plan: Plan,
    ids: usize,
    text: String,
}

impl Work<'_> {
    fn element(
        &mut self,
        qname: &str,
        kind: &str,
        top: bool,
        turn: usize,
        unique_names: &[String],
    ) {
        let (signature, name) = match qname.strip_prefix("ds:") {
            Some(name) => (true, name),
            None => (false, qname),
        };
        self.text.push('<');
        self.text.push_str(name);
        if top || (signature && name == "Signature") {
            let ns = if signature {
                "http://www.w3.org/2000/09/xmldsig#"
            } else {
                &self.table.namespace
            };
            self.text.push_str(&format!(" xmlns=\"{ns}\""));
        }
        let definition = self.table.tipos.get(kind);
        for (name, mandatory, kind, fixed) in definition.map_or(&[][..], |d| &d.attributes) {
            if !mandatory && !self.plan.full {
                continue;
            }
            let value = match fixed {
                Some(fixed) => fixed.clone(),
                None => self.attribute(name, kind, turn, unique_names),
            };
            self.text
                .push_str(&format!(" {name}=\"{}\"", escape(&value)));
        }
        self.text.push('>');
        match definition {
            None => {
                let value = self.value(kind);
                self.text.push_str(&escape(&value));
            }
            Some(definition) if definition.base.is_some() => {
                let value = self.value(kind);
                self.text.push_str(&escape(&value));
            }
            Some(definition) => self.content(definition, unique_names),
        }
        self.text.push_str(&format!("</{name}>"));
    }

    fn content(&mut self, kind: &Kind, inherited: &[String]) {
        if let Some(simples) = &kind.simple_content {
            let value = self.value(simples);
            self.text.push_str(&escape(&value));
        }
        if let Some(particle) = &kind.particle {
            let unique_names = [inherited, &kind.unique_names].concat();
            self.particle(particle, &unique_names);
        }
    }

    fn particle(&mut self, particle: &Particle, unique_names: &[String]) {
        let times = if self.plan.full {
            particle.max.min(MAX_REPETITIONS.max(particle.min))
        } else {
            particle.min
        };
        for turn in 0..times {
            match &particle.o {
                O::Node(name, kind) => self.element(name, kind, false, turn as usize, unique_names),
                O::Wildcard(which) if which.ends_with("strict") => {}
                O::Wildcard(_) => self.text.push_str("<a:q xmlns:a=\"urn:a\">1</a:q>"),
                O::Sequence(parts) => parts.iter().for_each(|p| self.particle(p, unique_names)),
                O::Choice(branches) => {
                    let branch = &branches[(self.plan.branch + turn as usize) % branches.len()];
                    self.particle(branch, unique_names);
                }
            }
        }
    }

    fn attribute(
        &mut self,
        name: &str,
        kind: &str,
        turn: usize,
        unique_names: &[String],
    ) -> String {
        self.ids += 1;
        let definition = self.table.tipos.get(kind);
        let base = definition.and_then(|d| d.base.as_deref()).unwrap_or(kind);
        if unique_names.iter().any(|unique| unique == name) {
            let values: Vec<&String> = definition
                .map_or(&[][..], |d| &d.facets)
                .iter()
                .filter(|(facet, _)| facet == "valor")
                .map(|(_, value)| value)
                .collect();
            if !values.is_empty() {
                return values[turn % values.len()].clone();
            }
            let facets = definition.map_or(&[][..], |d| &d.facets);
            let shortest = facets.iter().find(|(facet, _)| facet == "min");
            let shortest = shortest.map_or(1, |(_, length)| length.parse().expect("a length"));
            // Digits that differ stay first: 10, 20.
            let number = (turn + 1).to_string();
            return format!("{number:0<shortest$}");
        }
        if base == "xs:ID" && definition.is_none_or(|d| d.facets.is_empty()) {
            return format!("i{}", self.ids);
        }
        let mut value = self.value(kind);
        if base == "xs:ID" && value.len() > 4 {
            value.truncate(value.len() - 2);
            value.push_str(&format!("{:02}", self.ids % 100));
        }
        value
    }

    fn value(&mut self, kind: &str) -> String {
        sample::value(self.table, kind, self.plan.full, self.plan.branch)
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
