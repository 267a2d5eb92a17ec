//! The components this process can run, by name and by digest.
//!
//! New flows take the component that is chosen for a name now: the one of the
//! folder, or a release that took its place while the process runs. A flow in
//! progress keeps the digest that started it, which stays on disk in `store/`.

use arc_swap::ArcSwap;
use flow::component::write_atomically;
use flow::{LoadError, Loaded, Runtime};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use store::ids::EmitterId;

pub struct Catalog {
    runtime: Arc<Runtime>,
    folder: PathBuf,
    cache: PathBuf,
    /// Of the files of the folder.
    of_folder: HashMap<String, Arc<Loaded>>,
    /// What new flows take: replaced whole, never changed.
    chosen: ArcSwap<HashMap<String, Choice>>,
    by_digest: Mutex<HashMap<String, Arc<Loaded>>>,
}

/// What new flows of a name take.
#[derive(Clone, Default)]
struct Choice {
    active: Option<Arc<Loaded>>,
    canary: Option<(Arc<Loaded>, u8)>,
}

/// A release that takes part: in the place of the folder's component, or beside it.
pub struct Release {
    pub component: Arc<Loaded>,
    /// Of a canary: how many in a hundred emitters use it. `None`: it is active.
    pub percent: Option<u8>,
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
            of_folder: HashMap::new(),
            chosen: ArcSwap::default(),
            by_digest: Mutex::default(),
        };
        let mut refused = Vec::new();
        let loaded = side_by_side(&files, |file| catalog.taken(file, &store));
        for (file, loaded) in files.into_iter().zip(loaded) {
            match loaded? {
                Ok(loaded) => {
                    catalog.remember(&loaded);
                    catalog
                        .of_folder
                        .insert(loaded.description.name.clone(), loaded);
                }
                Err(reason) => refused.push(Refused { file, reason }),
            }
        }
        catalog.serve(Vec::new());
        Ok((catalog, refused))
    }

    /// The active component of this name.
    pub fn current(&self, name: &str) -> Option<Arc<Loaded>> {
        self.chosen.load().get(name)?.active.clone()
    }

    /// The component a new flow of an emitter uses: the canary for its part of the
    /// emitters, always the same ones, and the active one for all others.
    pub fn chosen(&self, name: &str, emitter: &EmitterId) -> Option<Arc<Loaded>> {
        let chosen = self.chosen.load();
        let choice = chosen.get(name)?;
        match &choice.canary {
            Some((canary, percent)) if share(emitter) < *percent => Some(canary.clone()),
            _ => choice.active.clone(),
        }
    }

    /// Loads a component that is not a file of the folder, and keeps it in `store/`:
    /// flows that begin with it end with it after a restart, too.
    ///
    /// # Errors
    /// A sentence that says why the sandbox refuses it, or the disk.
    pub fn admit(&self, bytes: &[u8]) -> Result<Arc<Loaded>, String> {
        let loaded = self.runtime.load(bytes, Some(&self.cache));
        let loaded = loaded.map_err(|error| error.to_string())?;
        loaded.declared().map_err(|error| error.to_string())?;
        let loaded = Arc::new(loaded);
        let kept = self
            .folder
            .join("store")
            .join(format!("{}.wasm", loaded.digest));
        keep(bytes, &kept).map_err(|error| format!("{}: {error}", kept.display()))?;
        self.remember(&loaded);
        Ok(loaded)
    }

    /// A component with this digest that this process loaded or finds on its disk.
    pub fn known(&self, digest: &str) -> Option<Arc<Loaded>> {
        let by_digest = self.by_digest.lock();
        let known = by_digest
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .get(digest)
            .cloned();
        known.or_else(|| self.stored(digest))
    }

    /// The folder's component of this name.
    pub fn in_folder(&self, name: &str) -> Option<Arc<Loaded>> {
        self.of_folder.get(name).cloned()
    }

    /// Puts releases in use for new flows, all at once; names without a release use
    /// the component of the folder.
    pub fn serve(&self, releases: Vec<Release>) {
        let active = |component: &Arc<Loaded>| Choice {
            active: Some(component.clone()),
            canary: None,
        };
        let of_folder = self.of_folder.iter();
        let mut chosen: HashMap<String, Choice> = of_folder
            .map(|(name, component)| (name.clone(), active(component)))
            .collect();
        for release in releases {
            let name = release.component.description.name.clone();
            let choice = chosen.entry(name).or_default();
            match release.percent {
                None => choice.active = Some(release.component),
                Some(percent) => choice.canary = Some((release.component, percent)),
            }
        }
        self.chosen.store(Arc::new(chosen));
    }

    /// All active components, by name.
    pub fn all(&self) -> Vec<Arc<Loaded>> {
        let chosen = self.chosen.load();
        let mut all: Vec<_> = chosen
            .values()
            .filter_map(|choice| choice.active.clone())
            .collect();
        all.sort_by(|a, b| a.description.name.cmp(&b.description.name));
        all
    }

    /// The component a flow began with; if it is gone, the current one of the
    /// same name, whose replay notices when it would do something else.
    pub fn pinned(&self, digest: &str, name: &str) -> Option<Arc<Loaded>> {
        self.known(digest).or_else(|| self.current(name))
    }

    fn stored(&self, digest: &str) -> Option<Arc<Loaded>> {
        let plain = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
        let file = self.folder.join("store").join(format!("{digest}.wasm"));
        let (_, loaded) = plain.then(|| self.load(&file).ok()).flatten()?;
        if loaded.digest != digest {
            return None;
        }
        self.remember(&loaded);
        Some(loaded)
    }

    /// The component of a file of the folder, its copy kept in `store`; or why it is
    /// not usable.
    fn taken(&self, file: &Path, store: &Path) -> std::io::Result<Result<Arc<Loaded>, String>> {
        let usable = self
            .load(file)
            .and_then(|(bytes, loaded)| Ok((bytes, fit(file, loaded)?)));
        let (bytes, loaded) = match usable {
            Ok(usable) => usable,
            Err(reason) => return Ok(Err(reason)),
        };
        let kept = store.join(format!("{}.wasm", loaded.digest));
        keep(&bytes, &kept).map_err(about(&kept))?;
        Ok(Ok(loaded))
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

/// What a function gives for each file, in the order of the files. As many run at once
/// as there are processors: a start reads, checks and maps megabytes of compiled code.
fn side_by_side<T: Send>(files: &[PathBuf], work: impl Fn(&Path) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let one_after_another = || {
        std::iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            files.get(index).map(|file| (index, work(file)))
        })
        .collect::<Vec<_>>()
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(files.len()))
            .map(|_| scope.spawn(one_after_another))
            .collect();
        let mut done = one_after_another();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, given)| given).collect()
}

/// Where an emitter stands among a hundred, the same on every node.
fn share(emitter: &EmitterId) -> u8 {
    let digest = openssl::sha::sha256(emitter.as_str().as_bytes());
    let number = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    u8::try_from(number % 100).unwrap_or_default()
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

/// Whether the component of a file may be used. The operator names the adapter by
/// its file: a component cannot take the place of another by saying its name. And it
/// says what it may do; one of before that ends its flows from `store/`.
fn fit(file: &Path, loaded: Arc<Loaded>) -> Result<Arc<Loaded>, String> {
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    loaded.declared().map_err(|error| error.to_string())?;
    if stem == loaded.description.name {
        Ok(loaded)
    } else {
        Err(format!(
            "says that it is {}, so its file must be {}.wasm",
            loaded.description.name, loaded.description.name
        ))
    }
}
