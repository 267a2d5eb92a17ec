//! The files of one case, in a folder or built into a program.

use crate::Mode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest file of a case, in bytes: the sandbox's limit for an answer is
/// half of it.
const FILE_BYTES: u64 = 16 << 20;
/// Files of one case: 64 steps have at most four each.
const FILES: usize = 400;

/// Names and contents of files that are built into a program.
pub type Given = &'static [(&'static str, &'static [u8])];

/// One case.
pub struct Case {
    files: Files,
}

enum Files {
    Folder(PathBuf),
    Given(Given),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    title: String,
    origin: String,
    city: Option<String>,
    #[serde(default)]
    hosts: Vec<String>,
}

impl Case {
    /// # Errors
    /// No `case.toml`, or one that says nothing.
    pub fn open(folder: &Path) -> Result<Case, String> {
        Case::checked(Files::Folder(folder.to_owned()))
    }

    /// A case whose files are built into the program.
    ///
    /// # Errors
    /// No `case.toml`, or one that says nothing.
    pub fn given(files: Given) -> Result<Case, String> {
        Case::checked(Files::Given(files))
    }

    fn checked(files: Files) -> Result<Case, String> {
        let case = Case { files };
        case.names()?;
        let about = case.about()?;
        if about.title.trim().is_empty() || about.origin.trim().is_empty() {
            return Err("case.toml: title and origin must say something".to_owned());
        }
        Ok(case)
    }

    fn about(&self) -> Result<About, String> {
        self.toml("case.toml")
    }

    /// Where its messages come from: `synthetic`, a manual, a public sample, or `real`
    /// for those of an exchange with the authority.
    ///
    /// # Errors
    /// `case.toml` cannot be read.
    pub fn origin(&self) -> Result<String, String> {
        self.about().map(|about| about.origin)
    }

    /// The municipal system whose protocol the case shows; None where the
    /// simulator is not to learn from it.
    ///
    /// # Errors
    /// `case.toml` cannot be read.
    pub fn city(&self) -> Result<Option<String>, String> {
        self.about().map(|about| about.city)
    }

    /// Ends of the host names at which that system is; none: any.
    ///
    /// # Errors
    /// `case.toml` cannot be read.
    pub fn hosts(&self) -> Result<Vec<String>, String> {
        self.about().map(|about| about.hosts)
    }

    /// A file of the folder itself, by its plain name.
    ///
    /// # Errors
    /// It is missing, too large, or not in this folder.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(format!("{name}: not a plain file name"));
        }
        if !self.has(name) {
            return Err(format!("{name} is missing"));
        }
        let folder = match &self.files {
            Files::Folder(folder) => folder,
            Files::Given(files) => {
                let content = files.iter().find(|(known, _)| *known == name);
                return Ok(content.map(|(_, bytes)| bytes.to_vec()).unwrap_or_default());
            }
        };
        let path = folder.join(name);
        let size = fs::metadata(&path)
            .map_err(|error| format!("{name}: {error}"))?
            .len();
        if size > FILE_BYTES {
            return Err(format!("{name}: {size} bytes, the limit is {FILE_BYTES}"));
        }
        fs::read(path).map_err(|error| format!("{name}: {error}"))
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<(), String> {
        let path = self.path(name)?;
        fs::write(path, content).map_err(|error| format!("{name}: {error}"))
    }

    /// Where a file is or would be written.
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        match &self.files {
            Files::Folder(folder) => Ok(folder.join(name)),
            Files::Given(_) => Err(format!("{name}: the case is built into the program")),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        match &self.files {
            Files::Folder(folder) => folder.join(name).is_file(),
            Files::Given(files) => files.iter().any(|(known, _)| *known == name),
        }
    }

    /// Names of the files, sorted: a recording adds some.
    pub(crate) fn names(&self) -> Result<Vec<String>, String> {
        let folder = match &self.files {
            Files::Folder(folder) => folder,
            Files::Given(files) => return Ok(files.iter().map(|(n, _)| (*n).to_owned()).collect()),
        };
        let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .take(FILES + 1)
            .collect();
        if names.len() > FILES {
            return Err(format!("more than {FILES} files"));
        }
        names.sort();
        Ok(names)
    }

    pub(crate) fn toml<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let text = String::from_utf8(self.read(name)?).map_err(|_| format!("{name}: not UTF-8"))?;
        toml::from_str(&text).map_err(|error| format!("{name}: {error}"))
    }

    /// The body that goes with `<stem>.toml`: `<stem>.<ext>`, any extension
    /// but toml. Empty when there is no such file.
    pub(crate) fn body(&self, stem: &str) -> Result<Vec<u8>, String> {
        let is_body = |name: &&String| {
            name.strip_prefix(stem)
                .and_then(|rest| rest.strip_prefix('.'))
                .is_some_and(|extension| extension != "toml" && !extension.contains('.'))
        };
        self.names()?
            .iter()
            .find(is_body)
            .map_or(Ok(Vec::new()), |name| self.read(name))
    }

    /// The file with exactly these bytes; a recording writes one.
    ///
    /// # Errors
    /// There is none, or it cannot be written.
    pub fn name_of(&self, bytes: &[u8], mode: Mode) -> Result<String, String> {
        let names = self.names()?;
        let same = |name: &&String| self.read(name).is_ok_and(|content| content == bytes);
        if let Some(name) = names.iter().find(same) {
            return Ok(name.clone());
        }
        if mode == Mode::Play {
            return Err("the document of the outcome is in no file of the folder".to_owned());
        }
        let taken = names.iter().filter(|name| name.starts_with("outcome-"));
        let name = format!("outcome-{}.xml", taken.count() + 1);
        self.write(&name, bytes)?;
        Ok(name)
    }

    /// Removes what a recording writes again: requests, waits, outcome.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn forget_requests(&self) -> Result<(), String> {
        for name in self.names()? {
            let step = name.get(2..).unwrap_or_default();
            let written = step.starts_with("-request.")
                || step.starts_with("-wait.")
                || name.starts_with("outcome");
            if written {
                fs::remove_file(self.path(&name)?).map_err(|error| format!("{name}: {error}"))?;
            }
        }
        Ok(())
    }
}
