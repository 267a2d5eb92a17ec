//! From text to [`Registry`]: one pass, all errors at once.

mod checks;
mod municipalities;
mod options;
mod reader;
mod sections;
mod sefaz;
mod systems;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use toml::de::DeTable;

use self::reader::{Entry, Reader};
use super::error::{Lines, RegistryError};
use super::model::{Conflict, Registry, Source};
use super::names;

/// Largest text accepted. The shipped file has about 1.2 MB.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The system `via = "nacional"` points to.
const NACIONAL: &str = "nacional";

const SECTIONS: &str = "registro, fontes, adapters, systems, regras, conflitos, municipios, \
                        autorizadores, ufs, tls";

/// Most entries of a section. Brazil has 5,571 municipalities, the shipped file 313
/// systems and 86 disagreements; a page of coverage shows each of them.
const MOST: [(&str, usize); 9] = [
    ("fontes", 1_000),
    ("adapters", 100),
    ("systems", 2_000),
    ("regras", 100),
    ("conflitos", 1_000),
    ("municipios", 6_000),
    ("autorizadores", 100),
    ("ufs", 27),
    ("tls", 1_000),
];

/// What entries refer to by name.
struct Names {
    sources: BTreeMap<String, Arc<Source>>,
    conflicts: BTreeMap<String, Arc<Conflict>>,
}

impl Registry {
    /// Reads and checks a registry text.
    ///
    /// # Errors
    /// Everything wrong with the text, in the order of its lines; each entry
    /// says what is accepted. At most 100 findings are listed.
    pub fn parse(text: &str) -> Result<Self, Vec<RegistryError>> {
        if text.len() > MAX_BYTES {
            return Err(vec![RegistryError {
                line: 1,
                message: format!(
                    "the file has {} bytes; at most {MAX_BYTES} are read",
                    text.len()
                ),
            }]);
        }
        let (root, syntax) = DeTable::parse_recoverable(text);
        let mut reader = Reader::new(Lines::new(text));
        for error in &syntax {
            let at = error.span().map_or(text.len(), |span| span.start);
            reader.error(at, error.message().to_owned());
        }
        let broken: BTreeSet<usize> = reader.lines_with_errors();
        let registry = read(&mut reader, root.get_ref());
        let errors = reader.finish(&broken);
        match registry {
            Some(registry) if errors.is_empty() => Ok(registry),
            _ if errors.is_empty() => Err(vec![RegistryError {
                line: 1,
                message: "the file lacks [registro]".to_owned(),
            }]),
            _ => Err(errors),
        }
    }
}

/// Sections in the order they refer to each other, whatever their order in
/// the file. None only together with an error.
fn read(reader: &mut Reader, root: &DeTable<'_>) -> Option<Registry> {
    for key in root.keys() {
        if !SECTIONS
            .split(", ")
            .any(|known| known == key.get_ref().as_ref())
        {
            reader.error(
                key.span().start,
                format!(
                    "unknown section \"{}\"; accepted: {SECTIONS}",
                    key.get_ref()
                ),
            );
        }
    }
    if crowded(reader, root) {
        return None;
    }
    let sources = sections::sources(reader, root);
    let conflicts = sections::conflicts(reader, root, &sources);
    let names = Names { sources, conflicts };
    let adapters = sections::adapters(reader, root);
    let systems = systems::read(reader, root, &adapters, &names);
    let regras = sections::regras(reader, root, &systems, &names);
    let municipalities = municipalities::read(reader, root, &adapters, &systems, &names);
    let sefaz = sefaz::read(reader, root, &adapters, &names);
    let header = sections::registry(reader, root, &names)?;

    let mut sorted: Vec<(String, usize)> = municipalities
        .iter()
        .enumerate()
        .map(|(at, m)| (names::fold(&m.name), at))
        .collect();
    sorted.sort_unstable();
    Some(Registry {
        verified: header.verified,
        national_issuer_source: header.national_issuer_source,
        presumed_change: header.presumed_change,
        nacional: systems.get(NACIONAL).cloned(),
        sources: names.sources,
        adapters,
        systems,
        regras,
        sefaz,
        municipalities,
        names: sorted,
    })
}

/// Whether a section has more entries than are read, which is reported. What refers to
/// them is then not looked at.
fn crowded(reader: &mut Reader, root: &DeTable<'_>) -> bool {
    let mut crowded = false;
    for (section, most) in MOST {
        let Some((key, value)) = root.iter().find(|(key, _)| key.get_ref() == section) else {
            continue;
        };
        let entries = value.get_ref().as_table().map_or(0, DeTable::len);
        if entries > most {
            let message = format!("[{section}] has {entries} entries; accepted: at most {most}");
            reader.error(key.span().start, message);
            crowded = true;
        }
    }
    crowded
}

/// The entries of a section of named tables; empty when it is absent.
fn entries<'t, 'i>(
    reader: &mut Reader,
    root: &'t DeTable<'i>,
    section: &str,
) -> Vec<Entry<'t, 'i>> {
    let Some(value) = root.get(section) else {
        return Vec::new();
    };
    let Some(table) = reader.table(section, value) else {
        return Vec::new();
    };
    table
        .iter()
        .map(|(key, value)| Entry {
            name: key.get_ref().as_ref(),
            at: key.span().start,
            value,
        })
        .collect()
}
