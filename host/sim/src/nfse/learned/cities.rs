//! The systems that cases teach: those built into the program, and those of a
//! folder of the contributor's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use cassette::{Case, Given};

use super::case::{self, Recorded};
use super::city::City;
use super::message::Message;

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// Most cases of a folder.
const MAX_CASES: usize = 5_000;
/// Most folders that are looked into for cases.
const MAX_FOLDERS: usize = 20_000;
/// Folders inside the given one that are looked into.
const MAX_DEPTH: usize = 4;

/// What the cases built into the program teach.
static BUILT_IN: LazyLock<Arc<Learned>> = LazyLock::new(|| Arc::new(Learned::of(built_in())));

/// The learned systems. Clones share what is read again. Those built in are
/// learned when the first request needs them.
#[derive(Clone, Default)]
pub struct Cities {
    folder: Option<PathBuf>,
    /// What was learned of the folder.
    learned: Arc<RwLock<Option<Arc<Learned>>>>,
}

/// Systems, in the order of their names, and what could not be learned.
pub(super) struct Learned {
    cities: Vec<Arc<City>>,
    problems: Vec<String>,
}

/// A live request of a learned system.
#[derive(Clone)]
pub(crate) struct Recognized {
    learned: Arc<Learned>,
    city: usize,
    sample: usize,
    pub(super) message: Arc<Message>,
}

impl Cities {
    /// Those of a folder beside the ones built in; a system that both have is
    /// learned from the folder alone.
    pub fn with(folder: &Path) -> Self {
        let cities = Cities {
            folder: Some(folder.to_owned()),
            ..Cities::default()
        };
        cities.read_again();
        cities
    }

    /// Reads the folder once more.
    pub fn read_again(&self) {
        let Some(folder) = &self.folder else { return };
        let mut cases = Vec::new();
        let mut left = MAX_FOLDERS;
        folders(folder, MAX_DEPTH, &mut left, &mut cases);
        let own = Learned::of(cases.iter().map(|path| opened(path)));
        let learned = Arc::new(own.beside(&BUILT_IN));
        *self.learned.write().unwrap_or_else(PoisonError::into_inner) = Some(learned);
    }

    /// Names of the systems whose cases suffice.
    pub fn names(&self) -> Vec<String> {
        let learned = self.current();
        let usable = learned.cities.iter().filter(|city| city.lacks.is_empty());
        usable.map(|city| city.name.clone()).collect()
    }

    /// What could not be learned, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.current().problems.clone()
    }

    /// The system and the recorded request that a live one to a host is of.
    pub(super) fn recognize(&self, host: &str, message: Message) -> Option<Recognized> {
        let learned = self.current();
        let cities = learned.cities.iter().enumerate();
        let cities = cities.filter(|(_, city)| city.is_at(host));
        let alike = cities.filter_map(|(at, city)| {
            let (likeness, sample) = city.recognize(&message)?;
            Some((likeness, at, sample))
        });
        let (_, city, sample) =
            alike.max_by_key(|(likeness, at, _)| (*likeness, usize::MAX - at))?;
        Some(Recognized {
            learned,
            city,
            sample,
            message: Arc::new(message),
        })
    }

    /// Whether there is any system.
    pub(super) fn is_empty(&self) -> bool {
        self.current().cities.is_empty()
    }

    fn current(&self) -> Arc<Learned> {
        let own = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(own.as_ref().unwrap_or_else(|| &*BUILT_IN))
    }
}

impl Recognized {
    pub(super) fn city(&self) -> Option<&City> {
        self.learned.cities.get(self.city).map(Arc::as_ref)
    }

    pub(super) fn sample(&self) -> Option<&super::city::Sample> {
        self.city()?.samples.get(self.sample)
    }

    /// Name of the system.
    pub(crate) fn name(&self) -> &str {
        self.city().map_or("", |city| city.name.as_str())
    }
}

type Read = Result<Option<Recorded>, String>;

impl Learned {
    fn of(cases: impl Iterator<Item = Read>) -> Learned {
        let mut by_city: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
        let mut problems = Vec::new();
        for case in cases {
            match case {
                Ok(Some(case)) => by_city.entry(case.city.clone()).or_default().push(case),
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
        let cities = by_city
            .into_iter()
            .map(|(name, cases)| Arc::new(City::learn(&name, cases, &mut problems)))
            .collect();
        Learned { cities, problems }
    }

    /// These systems, and of the others those with names of their own.
    fn beside(mut self, others: &Learned) -> Learned {
        let mut own: Vec<Arc<City>> = others.cities.clone();
        own.retain(|other| self.cities.iter().all(|city| city.name != other.name));
        self.cities.append(&mut own);
        self.cities.sort_by(|one, other| one.name.cmp(&other.name));
        self.problems.splice(0..0, others.problems.iter().cloned());
        self
    }
}

fn built_in() -> impl Iterator<Item = Read> {
    CASES.iter().map(|(name, files)| {
        let case = Case::given(files).map_err(|error| format!("{name}: {error}"))?;
        case::read(name, &case)
    })
}

fn opened(folder: &Path) -> Read {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let case = Case::open(folder).map_err(|error| format!("{name}: {error}"))?;
    case::read(&name, &case)
}

/// Folders with a `case.toml`, in the order of their names.
fn folders(folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    if folder.join("case.toml").is_file() {
        if found.len() < MAX_CASES {
            found.push(folder.to_owned());
        }
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let inside = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut inside: Vec<PathBuf> = inside.filter(|path| path.is_dir()).take(*left).collect();
    inside.sort();
    for path in inside {
        *left = left.saturating_sub(1);
        if depth > 0 && *left > 0 {
            folders(&path, depth - 1, left, found);
        }
    }
}
