//! The table as it is put together: equal types are one type.

use std::collections::BTreeMap;

use super::Recipe;
use crate::xmldsig::DSIG_NAMESPACE;

/// Lines of a table.
#[derive(Default)]
pub(super) struct Output {
    /// Name and definition, in order of first use.
    kinds: Vec<(String, String)>,
    /// Definition (with the suggested name) to the name it got.
    by_definition: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
    roots: BTreeMap<String, String>,
}

impl Output {
    /// Name with the prefix of the table; the main namespace has none.
    pub fn qname(&self, ns: &str, name: &str) -> String {
        if ns == DSIG_NAMESPACE {
            format!("ds:{name}")
        } else {
            name.to_owned()
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    pub fn root(&mut self, name: &str, kind: &str) {
        self.roots.entry(name.to_owned()).or_insert(kind.to_owned());
    }

    /// Adds a type unless an equal one is there; gives its name.
    pub fn kind(
        &mut self,
        letter: char,
        suggestion: &str,
        fields: Vec<String>,
        parent: Option<String>,
    ) -> String {
        let mut fields = fields.join("\t");
        if let Some(parent) = parent {
            fields.push_str("\tderiva=");
            fields.push_str(&parent);
        }
        // Named and anonymous types of different names stay apart: the name is
        // what messages are looked up by.
        let definition = format!("{letter}\t{suggestion}\t{fields}");
        if let Some(name) = self.by_definition.get(&definition) {
            return name.clone();
        }
        let mut name = suggestion.to_owned();
        let mut number = 1;
        while self.names.contains_key(&name) {
            number += 1;
            name = format!("{suggestion}~{number}");
        }
        self.names.insert(name.clone(), definition.clone());
        self.by_definition.insert(definition, name.clone());
        self.kinds
            .push((name.clone(), format!("{letter}\t{name}\t{fields}")));
        name
    }

    pub fn text(&self, recipe: &Recipe) -> String {
        let mut text = format!(
            "# Compiled from the official XSDs: do not edit, see layout/compila.\nL\t{}\t{}\n",
            recipe.name, recipe.namespace
        );
        for (name, kind) in &self.roots {
            text.push_str(&format!("R\t{name}\t{kind}\n"));
        }
        for (_, line) in &self.kinds {
            text.push_str(line.trim_end_matches('\t'));
            text.push('\n');
        }
        text
    }
}
