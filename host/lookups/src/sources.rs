//! The sources the hub can ask: those it knows, and those of the operator.

use crate::kinds::Kind;
use anyhow::{Context as _, ensure};
use base::config::{AuthoritiesMode, Config};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The source of a hub whose authorities are simulated.
pub const SIMULATED: &str = "simulado";
/// Its map: the contents themselves.
const CONTENTS: &str = "hub";

/// Known sources and their addresses; each has a map of its own name.
const KNOWN: [(&str, &str); 8] = [
    ("brasilapi", "https://brasilapi.com.br"),
    ("minha-receita", "https://minhareceita.org"),
    ("nominatim", "https://nominatim.openstreetmap.org"),
    ("opencep", "https://opencep.com"),
    ("openfoodfacts", "https://world.openfoodfacts.org"),
    ("osrm", "https://router.project-osrm.org"),
    ("parallelum", "https://parallelum.com.br"),
    ("viacep", "https://viacep.com.br"),
];

/// A source and how it is asked.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub(crate) base_url: String,
    pub(crate) token: Zeroizing<String>,
    /// Option of the adapter: a known map, or the text of another.
    pub(crate) map: (&'static str, String),
}

/// All sources by name.
#[derive(Debug)]
pub struct Sources {
    all: BTreeMap<String, Source>,
    simulated: bool,
}

/// An entry of `lookups.sources_file`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    base_url: String,
    /// A known map.
    #[serde(default)]
    map: String,
    /// A file with another, beside this one.
    #[serde(default)]
    map_file: PathBuf,
    #[serde(default)]
    token_file: PathBuf,
}

impl Sources {
    /// # Errors
    /// The operator's file cannot be read, or a list names a source that nobody
    /// knows.
    pub fn read(config: &Config) -> anyhow::Result<Sources> {
        let simulated = config.authorities.mode == AuthoritiesMode::Simulator;
        let mut all: BTreeMap<String, Source> = KNOWN
            .iter()
            .map(|(name, base_url)| ((*name).to_owned(), known(name, base_url)))
            .collect();
        let file = &config.lookups.sources_file;
        if !file.as_os_str().is_empty() {
            own(file, &mut all)
                .with_context(|| format!("lookups.sources_file = {}", file.display()))?;
        }
        let sources = Sources { all, simulated };
        let settings = &config.lookups;
        for kind in [
            Kind::Cep,
            Kind::Company,
            Kind::Vehicle,
            Kind::FipePrices,
            Kind::Coordinates,
            Kind::Route,
            Kind::Product,
        ] {
            for name in kind.settings(settings).0 {
                ensure!(
                    sources.all.contains_key(name),
                    "[lookups]: nobody knows the source {name:?}; known are {}",
                    sources.names().join(", ")
                );
            }
        }
        Ok(sources)
    }

    fn names(&self) -> Vec<&str> {
        self.all.keys().map(String::as_str).collect()
    }

    /// Who is asked, in this order.
    pub fn of(&self, kind: Kind, config: &Config) -> Vec<Source> {
        if self.simulated {
            let base_url = format!("https://{}", sim::sources::HOST);
            return vec![Source {
                token: Zeroizing::new(SIMULATED.to_owned()),
                ..known_map(SIMULATED, &base_url, CONTENTS)
            }];
        }
        let (names, _) = kind.settings(&config.lookups);
        let found = names.iter().filter_map(|name| self.all.get(name));
        found.cloned().collect()
    }
}

fn known(name: &str, base_url: &str) -> Source {
    known_map(name, base_url, name)
}

fn known_map(name: &str, base_url: &str, map: &str) -> Source {
    Source {
        name: name.to_owned(),
        base_url: base_url.to_owned(),
        token: Zeroizing::default(),
        map: ("fonte", map.to_owned()),
    }
}

/// Adds the sources of the operator's file.
fn own(file: &Path, all: &mut BTreeMap<String, Source>) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(file)?;
    let entries: BTreeMap<String, Entry> = toml::from_str(&text)?;
    let beside = file.parent().unwrap_or(Path::new("."));
    for (name, entry) in entries {
        let at = || format!("[{name}]");
        ensure!(
            entry.base_url.starts_with("https://"),
            "[{name}]: base_url must begin with https://"
        );
        let maps = (entry.map.is_empty(), entry.map_file.as_os_str().is_empty());
        ensure!(
            maps.0 != maps.1,
            "[{name}]: one of map and map_file says how it is asked"
        );
        let map = if maps.0 {
            let path = beside.join(&entry.map_file);
            let text = std::fs::read_to_string(path).with_context(at)?;
            serde_json::from_str::<serde_json::Value>(&text).with_context(at)?;
            ("mapa", text)
        } else {
            let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
            ensure!(
                names.contains(&entry.map.as_str()) || entry.map == CONTENTS,
                "[{name}]: map is one of {}, {CONTENTS}",
                names.join(", ")
            );
            ("fonte", entry.map)
        };
        let mut token = Zeroizing::default();
        if !entry.token_file.as_os_str().is_empty() {
            let path = beside.join(&entry.token_file);
            let text = Zeroizing::new(std::fs::read_to_string(path).with_context(at)?);
            token = Zeroizing::new(text.trim().to_owned());
        }
        let base_url = entry.base_url;
        let source = Source {
            name: name.clone(),
            base_url,
            token,
            map,
        };
        all.insert(name, source);
    }
    Ok(())
}
