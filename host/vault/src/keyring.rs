//! The key-encryption keys of an installation, in one small file.
//!
//! `{"active": "<id>", "keys": {"<id>": "<base64 of 32 bytes>"}}`, readable by
//! its owner alone. Whoever loses it loses every sealed secret; whoever copies
//! it together with the database can read them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize as _, Zeroizing};

use base::random::{OsRandom, Random, RandomError};

/// Largest file read, in bytes: some 800 keys.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// Longest key id, in characters.
pub(super) const MAX_ID_CHARS: usize = 32;

/// Why there is no keyring.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    #[error("keyring {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    /// The file must belong to its owner alone: `chmod 600`.
    #[error("keyring {path}: mode {mode:03o} lets others read it, expected 600")]
    Permissions { path: PathBuf, mode: u32 },
    /// The file exists and is not a keyring. It is never overwritten.
    #[error("keyring {path}: {problem}")]
    Malformed {
        path: PathBuf,
        problem: &'static str,
    },
    #[error(transparent)]
    Random(#[from] RandomError),
}

/// Key-encryption keys by id; new secrets are sealed under the active one. No
/// `Debug`: it holds keys.
pub struct Keyring {
    path: Option<PathBuf>,
    active: String,
    keys: BTreeMap<String, Kek>,
    /// Keys that another process added since this one loaded, found when a
    /// secret asked for them.
    later: RwLock<BTreeMap<String, Kek>>,
    pub(super) random: Arc<dyn Random>,
}

/// A key-encryption key.
pub(super) type Kek = Zeroizing<[u8; 32]>;

impl Keyring {
    /// Reads the keyring at `path`; creates one with a single key if the file
    /// does not exist. The folder must exist.
    pub fn load_or_create(path: &Path) -> Result<Self, KeyringError> {
        Self::load_or_create_with(path, Arc::new(OsRandom))
    }

    /// The same with a given source of randomness, used from then on.
    pub fn load_or_create_with(path: &Path, random: Arc<dyn Random>) -> Result<Self, KeyringError> {
        if let Some(keyring) = Self::load(path, &random)? {
            return Ok(keyring);
        }
        let _lock = lock(path)?;
        // Another process may have been first.
        if let Some(keyring) = Self::load(path, &random)? {
            return Ok(keyring);
        }
        let mut keyring = Self::ephemeral(random)?;
        keyring.path = Some(path.to_owned());
        keyring.store(path)?;
        Ok(keyring)
    }

    /// A keyring with one new key that lives in memory only.
    pub fn ephemeral(random: Arc<dyn Random>) -> Result<Self, KeyringError> {
        let mut keyring = Self {
            path: None,
            active: String::new(),
            keys: BTreeMap::new(),
            later: RwLock::default(),
            random,
        };
        keyring.add_active()?;
        Ok(keyring)
    }

    /// Adds a new key and makes it the active one. Older keys stay, so that
    /// what they sealed can be opened and re-wrapped. The file is complete on
    /// disk before this returns; other processes see it when they load again.
    pub fn rotate(&mut self) -> Result<(), KeyringError> {
        let Some(path) = self.path.clone() else {
            return self.add_active();
        };
        let _lock = lock(&path)?;
        // Keep what another process added since this one loaded.
        let mut next = match Self::load(&path, &self.random)? {
            Some(on_disk) => on_disk,
            None => Self {
                path: Some(path.clone()),
                active: self.active.clone(),
                keys: self.keys.clone(),
                later: RwLock::default(),
                random: self.random.clone(),
            },
        };
        next.add_active()?;
        next.store(&path)?;
        *self = next;
        Ok(())
    }

    /// Id of the key that seals new secrets.
    pub fn active_id(&self) -> &str {
        &self.active
    }

    /// Ids of all keys, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    /// A key by its id. One this process does not know may have been added by
    /// `hub vault rotate` while it ran, so the file is asked before giving up.
    pub(super) fn get(&self, id: &str) -> Option<Kek> {
        if let Some(kek) = self.keys.get(id) {
            return Some(kek.clone());
        }
        if let Some(kek) = self
            .later
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
        {
            return Some(kek.clone());
        }
        let on_disk = match Self::load(self.path.as_ref()?, &self.random) {
            Ok(on_disk) => on_disk?,
            Err(error) => {
                tracing::error!(%error, "keyring not readable");
                return None;
            }
        };
        let mut later = self.later.write().unwrap_or_else(PoisonError::into_inner);
        *later = on_disk.keys;
        later.get(id).cloned()
    }

    fn add_active(&mut self) -> Result<(), KeyringError> {
        let mut id = [0u8; 8];
        self.random.fill(&mut id)?;
        let id = format!("{:016x}", u64::from_be_bytes(id));
        if self.keys.contains_key(&id) {
            // 64 random bits came twice: the source is broken.
            return Err(RandomError.into());
        }
        let mut key = Zeroizing::new([0u8; 32]);
        self.random.fill(key.as_mut_slice())?;
        self.keys.insert(id.clone(), key);
        self.active = id;
        Ok(())
    }

    fn load(path: &Path, random: &Arc<dyn Random>) -> Result<Option<Self>, KeyringError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(KeyringError::Io {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        let json = read_private(path, file)?;
        let (active, keys) = parse(&json).map_err(|problem| KeyringError::Malformed {
            path: path.to_owned(),
            problem,
        })?;
        let random = random.clone();
        Ok(Some(Self {
            path: Some(path.to_owned()),
            active,
            keys,
            later: RwLock::default(),
            random,
        }))
    }

    fn store(&self, path: &Path) -> Result<(), KeyringError> {
        let encode = |(id, key): (&String, &Kek)| (id.clone(), BASE64.encode(key.as_slice()));
        let document = Document {
            active: self.active.clone(),
            keys: self.keys.iter().map(encode).collect(),
        };
        let written = serde_json::to_vec_pretty(&document)
            .map_err(io::Error::from)
            .and_then(|json| replace(path, &Zeroizing::new(json)));
        written.map_err(|source| KeyringError::Io {
            path: path.to_owned(),
            source,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    active: String,
    keys: BTreeMap<String, String>,
}

impl Drop for Document {
    fn drop(&mut self) {
        self.keys.values_mut().for_each(|key| key.zeroize());
    }
}

fn parse(json: &[u8]) -> Result<(String, BTreeMap<String, Kek>), &'static str> {
    let document: Document = serde_json::from_slice(json).map_err(|_| "not a keyring document")?;
    let mut keys = BTreeMap::new();
    for (id, text) in &document.keys {
        if !is_id(id) {
            return Err("a key id is not 1 to 32 letters, digits, '-' or '_'");
        }
        let bytes = Zeroizing::new(BASE64.decode(text).map_err(|_| "a key is not base64")?);
        let key = <[u8; 32]>::try_from(bytes.as_slice()).map_err(|_| "a key is not 32 bytes")?;
        keys.insert(id.clone(), Zeroizing::new(key));
    }
    if !keys.contains_key(&document.active) {
        return Err("the active key is not among the keys");
    }
    Ok((document.active.clone(), keys))
}

pub(super) fn is_id(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    (1..=MAX_ID_CHARS).contains(&text.len()) && text.bytes().all(allowed)
}

/// Reads a file that only its owner may read. The mode is asked of the open
/// file, so that it cannot be exchanged in between.
fn read_private(path: &Path, file: File) -> Result<Zeroizing<Vec<u8>>, KeyringError> {
    let io = |source| KeyringError::Io {
        path: path.to_owned(),
        source,
    };
    let metadata = file.metadata().map_err(io)?;
    let malformed = |problem| KeyringError::Malformed {
        path: path.to_owned(),
        problem,
    };
    if !metadata.is_file() {
        return Err(malformed("not a regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyringError::Permissions {
                path: path.to_owned(),
                mode,
            });
        }
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(malformed("larger than 64 KiB"));
    }
    // Room for all of it at once: a growing buffer leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES as usize + 1));
    file.take(MAX_FILE_BYTES)
        .read_to_end(&mut bytes)
        .map_err(io)?;
    Ok(bytes)
}

/// Writes beside the file, syncs, then takes its place in one step: a crash
/// leaves the old file or the new one, never half of one.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = beside(path, ".tmp");
    match fs::remove_file(&draft) {
        // Left behind by a crash; the lock says nobody is writing it now.
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut file = private().write(true).create_new(true).open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// Held while the keyring is created or changed; freed when dropped or when
/// the process dies.
fn lock(path: &Path) -> Result<File, KeyringError> {
    let open = || {
        let file = private()
            .write(true)
            .create(true)
            .truncate(false)
            .open(beside(path, ".lock"))?;
        match file.lock() {
            // A file system without locks: one process at a time is then the
            // operator's part.
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(file),
            Err(error) => Err(error),
            Ok(()) => Ok(file),
        }
    };
    open().map_err(|source| KeyringError::Io {
        path: path.to_owned(),
        source,
    })
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Options that create files for the owner alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::super::testkit::TempDir;
    use super::*;

    fn ids(keyring: &Keyring) -> Vec<String> {
        keyring.ids().map(str::to_owned).collect()
    }

    #[test]
    fn a_created_keyring_is_read_back_and_private() {
        let folder = TempDir::new();
        let path = folder.path().join("keyring.json");
        let created = Keyring::load_or_create(&path).unwrap();
        let read = Keyring::load_or_create(&path).unwrap();
        assert_eq!(created.active_id(), read.active_id());
        let id = created.active_id();
        assert_eq!(
            created.get(id).unwrap().as_slice(),
            read.get(id).unwrap().as_slice()
        );
        assert!(!beside(&path, ".tmp").exists());

        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            for loose in [0o640, 0o604, 0o660, 0o620] {
                fs::set_permissions(&path, fs::Permissions::from_mode(loose)).unwrap();
                let error = Keyring::load_or_create(&path).err();
                assert!(
                    matches!(error, Some(KeyringError::Permissions { mode, .. }) if mode == loose)
                );
            }
        }
    }

    #[test]
    fn rotation_keeps_old_keys_and_those_of_others() {
        let folder = TempDir::new();
        let path = folder.path().join("keyring.json");
        let mut mine = Keyring::load_or_create(&path).unwrap();
        let mut other = Keyring::load_or_create(&path).unwrap();
        let first = mine.active_id().to_owned();
        other.rotate().unwrap();
        mine.rotate().unwrap();
        assert_eq!(ids(&mine).len(), 3);
        for id in [first.as_str(), other.active_id()] {
            assert!(mine.get(id).is_some());
        }
        assert_ne!(mine.active_id(), other.active_id());
        let read = Keyring::load_or_create(&path).unwrap();
        assert_eq!(
            (ids(&read), read.active_id()),
            (ids(&mine), mine.active_id())
        );

        // A vanished file is written again, with all keys.
        fs::remove_file(&path).unwrap();
        mine.rotate().unwrap();
        assert_eq!(ids(&Keyring::load_or_create(&path).unwrap()).len(), 4);
    }

    #[test]
    fn a_running_process_learns_of_keys_added_by_another() {
        let folder = TempDir::new();
        let path = folder.path().join("keyring.json");
        let running = Keyring::load_or_create(&path).unwrap();
        let mut other = Keyring::load_or_create(&path).unwrap();
        other.rotate().unwrap();
        let added = other.active_id();
        assert_ne!(running.active_id(), added);
        assert_eq!(
            running.get(added).unwrap().as_slice(),
            other.get(added).unwrap().as_slice()
        );
        assert!(running.get("0000000000000000").is_none());
        // Even when the file is gone again.
        fs::remove_file(&path).unwrap();
        assert!(running.get(added).is_some());
    }

    #[test]
    fn the_leftovers_of_a_crash_do_no_harm() {
        let folder = TempDir::new();
        let path = folder.path().join("keyring.json");
        fs::write(beside(&path, ".tmp"), b"half").unwrap();
        let created = Keyring::load_or_create(&path).unwrap();
        assert_eq!(
            Keyring::load_or_create(&path).unwrap().active_id(),
            created.active_id()
        );
    }

    #[test]
    fn racing_creators_agree() {
        let folder = TempDir::new();
        let path = folder.path().join("keyring.json");
        let actives = std::thread::scope(|scope| {
            let create = || {
                Keyring::load_or_create(&path)
                    .unwrap()
                    .active_id()
                    .to_owned()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
            threads
                .into_iter()
                .map(|t| t.join().unwrap())
                .collect::<std::collections::BTreeSet<_>>()
        });
        assert_eq!(actives.len(), 1);
    }

    #[test]
    fn damaged_files_are_refused_and_left_alone() {
        let folder = TempDir::new();
        let path = folder.path().join("keyring.json");
        let key = BASE64.encode([1u8; 32]);
        let bad = [
            String::new(),
            "{}".to_owned(),
            format!(r#"{{"active":"b","keys":{{"a":"{key}"}}}}"#),
            r#"{"active":"a","keys":{"a":"AAAA"}}"#.to_owned(),
            r#"{"active":"a","keys":{"a":"*"}}"#.to_owned(),
            format!(r#"{{"active":"á","keys":{{"á":"{key}"}}}}"#),
            format!(r#"{{"active":"a","keys":{{"a":"{key}"}},"more":1}}"#),
            " ".repeat(MAX_FILE_BYTES as usize + 1),
        ];
        for text in bad {
            fs::write(&path, &text).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            }
            let error = Keyring::load_or_create(&path).err();
            assert!(
                matches!(error, Some(KeyringError::Malformed { .. })),
                "{text:.60}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_missing_folder_or_dead_source_is_an_error() {
        let folder = TempDir::new();
        let nowhere = folder.path().join("no/such/keyring.json");
        assert!(matches!(
            Keyring::load_or_create(&nowhere).err(),
            Some(KeyringError::Io { .. })
        ));
        let dead = |_: &mut [u8]| Err(RandomError);
        let path = folder.path().join("keyring.json");
        let error = Keyring::load_or_create_with(&path, Arc::new(dead)).err();
        assert!(matches!(error, Some(KeyringError::Random(_))));
        assert!(!path.exists());
        let stuck = |out: &mut [u8]| {
            out.fill(1);
            Ok(())
        };
        let mut keyring = Keyring::ephemeral(Arc::new(stuck)).unwrap();
        assert!(matches!(keyring.rotate(), Err(KeyringError::Random(_))));
    }
}
