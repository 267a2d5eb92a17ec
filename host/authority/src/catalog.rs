//! The components this process can run, by name and by digest.
//!
//! New flows take the current component of a name; a flow in progress keeps
//! the digest that started it, which stays on disk in `store/`.

use flow::component::write_atomically;
use flow::{LoadError, Loaded, Runtime};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub struct Catalog {
    runtime: Arc<Runtime>,
    folder: PathBuf,
    cache: PathBuf,
    current: HashMap<String, Arc<Loaded>>,
    by_digest: Mutex<HashMap<String, Arc<Loaded>>>,
}

/// A component that could not be loaded; the others can.
#[derive(Debug)]
pub struct Refused {
    pub file: PathBuf,
    pub reason: String,
}

impl Catalog {
    /// Loads every `*.wasm` of a folder; damaged ones are listed, not fatal.
    ///
    /// # Errors
    /// The folder cannot be read, or its `store/` cannot be written: the error
    /// names the file.
    pub fn open(
        runtime: Arc<Runtime>,
        folder: &Path,
        cache: &Path,
    ) -> std::io::Result<(Catalog, Vec<Refused>)> {
        let store = folder.join("store");
        base::files::folder(&store).map_err(about(&store))?;
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .map_err(about(folder))?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .collect();
        files.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        });
        files.sort();
        let mut catalog = Catalog {
            runtime,
            folder: folder.to_owned(),
            cache: cache.to_owned(),
            current: HashMap::new(),
            by_digest: Mutex::default(),
        };
        let mut refused = Vec::new();
        for file in files {
            match catalog
                .load(&file)
                .and_then(|(bytes, loaded)| Ok((bytes, named_as(&file, loaded)?)))
            {
                Ok((bytes, loaded)) => {
                    let kept = store.join(format!("{}.wasm", loaded.digest));
                    keep(&bytes, &kept).map_err(about(&kept))?;
                    catalog.remember(&loaded);
                    catalog
                        .current
                        .insert(loaded.description.name.clone(), loaded);
                }
                Err(reason) => refused.push(Refused { file, reason }),
            }
        }
        Ok((catalog, refused))
    }

    /// The component new flows of this name use.
    pub fn current(&self, name: &str) -> Option<Arc<Loaded>> {
        self.current.get(name).cloned()
    }

    /// All current components, by name.
    pub fn all(&self) -> Vec<Arc<Loaded>> {
        let mut all: Vec<_> = self.current.values().cloned().collect();
        all.sort_by(|a, b| a.description.name.cmp(&b.description.name));
        all
    }

    /// The component a flow began with; if it is gone, the current one of the
    /// same name, whose replay notices when it would do something else.
    pub fn pinned(&self, digest: &str, name: &str) -> Option<Arc<Loaded>> {
        let known = self
            .by_digest
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .get(digest)
            .cloned();
        if known.is_some() {
            return known;
        }
        let plain = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
        if plain
            && let Ok((_, loaded)) =
                self.load(&self.folder.join("store").join(format!("{digest}.wasm")))
            && loaded.digest == digest
        {
            self.remember(&loaded);
            return Some(loaded);
        }
        self.current(name)
    }

    /// The component of a file, and the bytes of the file.
    fn load(&self, file: &Path) -> Result<(Vec<u8>, Arc<Loaded>), String> {
        let limit = self.runtime.limits().component_bytes;
        let size = std::fs::metadata(file)
            .map_err(|error| error.to_string())?
            .len();
        if size > limit as u64 {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            return Err(LoadError::TooLarge { size, limit }.to_string());
        }
        let bytes = flow::component::bounded::read(file, limit as u64)
            .map_err(|error| error.to_string())?;
        let loaded = self.runtime.load(&bytes, Some(&self.cache));
        let loaded = loaded.map_err(|error| error.to_string())?;
        Ok((bytes, Arc::new(loaded)))
    }

    fn remember(&self, loaded: &Arc<Loaded>) {
        let mut by_digest = self
            .by_digest
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        by_digest.insert(loaded.digest.clone(), loaded.clone());
    }
}

/// Keeps a component in the store, also over a copy that is damaged. Several
/// hubs may do so at once: each writes a file of its own and renames it.
fn keep(bytes: &[u8], kept: &Path) -> std::io::Result<()> {
    if flow::component::bounded::read(kept, bytes.len() as u64).is_ok_and(|copy| copy == bytes) {
        return Ok(());
    }
    write_atomically(kept, bytes)
}

/// Names the file in an error of the system, which does not.
fn about(path: &Path) -> impl FnOnce(std::io::Error) -> std::io::Error {
    let path = path.display().to_string();
    move |error| std::io::Error::new(error.kind(), format!("{path}: {error}"))
}

/// The operator names the adapter by its file: a component cannot take the
/// place of another by saying its name.
fn named_as(file: &Path, loaded: Arc<Loaded>) -> Result<Arc<Loaded>, String> {
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if stem == loaded.description.name {
        Ok(loaded)
    } else {
        Err(format!(
            "says that it is {}, so its file must be {}.wasm",
            loaded.description.name, loaded.description.name
        ))
    }
}
