//! Which elements a request may have, and in which order: what the recorded
//! requests of the same operation show.

use std::collections::{BTreeMap, BTreeSet};

use super::message::{Group, Message};

/// What was seen inside the elements of a path.
#[derive(Debug, Clone, Default)]
struct Seen {
    names: BTreeSet<String>,
    /// Names of which the first was seen before the second.
    before: BTreeSet<(String, String)>,
}

/// The structure of the requests of one operation.
#[derive(Debug, Clone, Default)]
pub(super) struct Structure {
    groups: BTreeMap<String, Seen>,
    attributes: BTreeSet<String>,
}

impl Structure {
    pub fn learn(&mut self, message: &Message) {
        for group in &message.groups {
            let seen = self.groups.entry(group.path.clone()).or_default();
            seen.before.extend(pairs(group));
            seen.names.extend(group.names.iter().cloned());
        }
        let attributes = message.names.iter().filter(|name| name.contains("/@"));
        self.attributes.extend(attributes.cloned());
    }

    /// The first thing that no recorded request shows, as a sentence.
    pub fn check(&self, message: &Message) -> Result<(), String> {
        for group in &message.groups {
            self.group(group)?;
        }
        let attributes = message.names.iter().filter(|name| name.contains("/@"));
        let unknown = attributes
            .into_iter()
            .find(|name| !self.attributes.contains(*name));
        match unknown.and_then(|name| name.rsplit_once("/@")) {
            Some((element, name)) => Err(format!("Atributo {name} não previsto em {element}.")),
            None => Ok(()),
        }
    }

    fn group(&self, group: &Group) -> Result<(), String> {
        let inside = if group.path.is_empty() {
            "na requisição".to_owned()
        } else {
            format!("em {}", group.path)
        };
        let seen = self.groups.get(&group.path);
        let known = |name: &String| seen.is_some_and(|seen| seen.names.contains(name));
        if let Some(name) = group.names.iter().find(|name| !known(name)) {
            return Err(format!("Elemento {name} não previsto {inside}."));
        }
        let Some(seen) = seen.filter(|_| group.ordered) else {
            return Ok(());
        };
        let turned = |(first, second): &(String, String)| {
            let there = (first.clone(), second.clone());
            let back = (second.clone(), first.clone());
            seen.before.contains(&back) && !seen.before.contains(&there)
        };
        match pairs(group).into_iter().find(turned) {
            Some((first, second)) => Err(format!(
                "Elemento {second} fora de ordem {inside}: vem antes de {first}."
            )),
            None => Ok(()),
        }
    }
}

/// Names of which one stands before another one. A name that repeats counts
/// where it stands first.
fn pairs(group: &Group) -> BTreeSet<(String, String)> {
    let mut order: Vec<&String> = Vec::new();
    for name in &group.names {
        if !order.contains(&name) {
            order.push(name);
        }
    }
    let mut pairs = BTreeSet::new();
    for (at, second) in order.iter().enumerate() {
        for first in order.iter().take(at) {
            pairs.insert(((*first).clone(), (*second).clone()));
        }
    }
    pairs
}
