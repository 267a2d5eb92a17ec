//! The file `leiaute.txt`: sections of keys and values, in lines.

use crate::names::{Known, Scope};
use crate::template::{Condition, Mistake};

/// One `[name]` or `[name se condição]` with its lines.
#[derive(Clone, Debug)]
pub struct Section {
    pub name: String,
    pub line: usize,
    /// The section counts only where this holds.
    pub condition: Option<Condition>,
    pub entries: Vec<Entry>,
}

/// `key = value`
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub value: String,
    pub line: usize,
}

/// The variants that a layout declares; they must be known before conditions
/// are read.
pub fn variants(text: &str) -> Vec<String> {
    let declared = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "variantes").then_some(value)
    });
    declared
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

/// Reads the file.
///
/// # Errors
/// The first line that is neither a section, an entry, a comment nor blank, or
/// a condition that cannot be read.
pub fn parse(text: &str, variants: &[String]) -> Result<Vec<Section>, Mistake> {
    let names = Known {
        scope: Scope::Registry,
        variants,
    };
    let mut sections: Vec<Section> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let text = raw.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Some(head) = text.strip_prefix('[') {
            let Some(head) = head.strip_suffix(']') else {
                return Err(Mistake::new(line, "falta ] no fim da seção"));
            };
            let (name, condition) = match head.split_once(" se ") {
                Some((name, condition)) => (name, Some(Condition::parse(condition, line, &names)?)),
                None => (head, None),
            };
            sections.push(Section {
                name: name.trim().to_owned(),
                line,
                condition,
                entries: Vec::new(),
            });
            continue;
        }
        let entry = text.split_once('=').map(|(key, value)| Entry {
            key: key.trim().to_owned(),
            value: value.trim().to_owned(),
            line,
        });
        match (entry, sections.last_mut()) {
            (Some(entry), Some(section)) => section.entries.push(entry),
            (None, _) => return Err(Mistake::new(line, "linha sem =")),
            (Some(_), None) => return Err(Mistake::new(line, "linha antes da primeira seção")),
        }
    }
    Ok(sections)
}

/// The entries of a section that count: those of a later section of the same
/// name take the place of all earlier ones with their keys.
pub fn merged<'s>(sections: &[&'s Section], names: &[&str]) -> Vec<&'s Entry> {
    let mut found: Vec<&Entry> = Vec::new();
    for name in names {
        for section in sections.iter().filter(|section| section.name == *name) {
            found.retain(|entry| !section.entries.iter().any(|new| new.key == entry.key));
            found.extend(&section.entries);
        }
    }
    found
}
