//! Files of an import: plain, inside of a ZIP, or under gzip; in UTF-8 or Latin-1;
//! workbooks.

pub(crate) mod watched;
pub mod xlsx;
mod zip;

use crate::ImportError;
use crate::progress::Progress;
use encoding_rs::WINDOWS_1252;
use flate2::read::MultiGzDecoder;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const BUFFER: usize = 1 << 16;
/// How the names of texts end.
const TEXTS: [&str; 3] = [".csv", ".txt", ".jsonl"];
/// How deep files of a folder are looked for.
const DEPTH: u32 = 3;

/// What an import reads.
#[derive(Clone, Debug)]
pub struct Files {
    pub paths: Vec<PathBuf>,
    /// Of all of them, hexadecimal.
    pub sha256: String,
    /// Together.
    pub bytes: u64,
}

impl Files {
    /// Looks at the files and takes their digest.
    ///
    /// # Errors
    /// One cannot be read, or there is none.
    pub fn open(paths: &[PathBuf]) -> Result<Files, ImportError> {
        if paths.is_empty() {
            return Err(ImportError::Refused("name the file to import".to_owned()));
        }
        let (mut sha, mut bytes) = (Sha256::new(), 0);
        for path in paths {
            let failed = |error| failed(path, error);
            let mut file = File::open(path).map_err(failed)?;
            if !file.metadata().map_err(failed)?.is_file() {
                return Err(ImportError::of(&name(path), "is no regular file"));
            }
            let mut buffer = vec![0; BUFFER];
            loop {
                let read = file.read(&mut buffer).map_err(failed)?;
                if read == 0 {
                    break;
                }
                sha.update(buffer.get(..read).unwrap_or_default());
                bytes += read as u64;
            }
        }
        let digest = sha.finalize();
        Ok(Files {
            paths: paths.to_vec(),
            sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            bytes,
        })
    }

    /// Whether the files still are what was judged: to be asked once all was read,
    /// before it is believed.
    ///
    /// # Errors
    /// They are not, or one cannot be read.
    pub fn unchanged(&self) -> Result<(), ImportError> {
        if Files::open(&self.paths)?.sha256 == self.sha256 {
            return Ok(());
        }
        Err(ImportError::Refused(
            "a file changed while it was read".to_owned(),
        ))
    }

    /// The names of the files, without their folders.
    pub fn names(&self) -> String {
        let names = self.paths.iter().map(|path| name(path));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Gives each text in the files to `each`: its name and its bytes. Of an archive
    /// these are its files that end as texts do.
    ///
    /// # Errors
    /// A file cannot be read to its end, and what `each` says.
    pub fn each(
        &self,
        progress: &Arc<Progress>,
        each: &mut dyn FnMut(&str, &mut dyn Read) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        for path in &self.paths {
            let mut found = false;
            read_path(path, progress, &mut |inside, bytes| {
                let wanted = inside.is_none_or(|name| {
                    let small = name.to_ascii_lowercase();
                    TEXTS.iter().any(|end| small.ends_with(end))
                });
                if !wanted {
                    return Ok(false);
                }
                found = true;
                if let Some(bytes) = bytes {
                    each(inside.unwrap_or(&name(path)), bytes)?;
                }
                Ok(true)
            })?;
            if !found {
                return Err(ImportError::of(
                    &name(path),
                    "no .csv, .txt or .jsonl inside",
                ));
            }
        }
        Ok(())
    }

    /// Gives those texts to `each` that `wanted` says, with the name of the file and
    /// the name inside of an archive; how many.
    ///
    /// # Errors
    /// As [`Files::each`].
    pub(crate) fn each_wanted(
        &self,
        progress: &Arc<Progress>,
        wanted: &dyn Fn(&str, &str) -> bool,
        each: EachText<'_>,
    ) -> Result<usize, ImportError> {
        let mut count = 0;
        for path in &self.paths {
            let outside = name(path);
            read_path(path, progress, &mut |inside, bytes| {
                let inside = inside.unwrap_or_default();
                if !wanted(&outside, inside) {
                    return Ok(false);
                }
                if let Some(bytes) = bytes {
                    count += 1;
                    each(&outside, inside, bytes)?;
                }
                Ok(true)
            })?;
        }
        Ok(count)
    }
}

/// Takes a text: the name of its file, its name inside of an archive, its bytes.
pub(crate) type EachText<'t> =
    &'t mut dyn FnMut(&str, &str, &mut dyn Read) -> Result<(), ImportError>;

/// Files of folders, three deep and in the order of their names, in the place of
/// the folders: archives, and those that `wanted` says.
///
/// # Errors
/// A folder cannot be read.
pub(crate) fn inside_folders(
    paths: &[PathBuf],
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<PathBuf>, ImportError> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            folder(path, DEPTH, wanted, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn folder(
    path: &Path,
    depth: u32,
    wanted: &dyn Fn(&str) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<(), ImportError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(path)?;
        entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect()
    };
    let mut paths = read().map_err(|error| failed(path, error))?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if depth > 1 {
                folder(&path, depth - 1, wanted, found)?;
            }
        } else if name(&path).to_ascii_lowercase().ends_with(".zip") || wanted(&name(&path)) {
            found.push(path);
        }
    }
    Ok(())
}

/// Takes a text: its name inside of an archive, and its bytes. It is first asked
/// without the bytes whether it wants them.
type TakeText<'t> =
    &'t mut dyn FnMut(Option<&str>, Option<&mut dyn Read>) -> Result<bool, ImportError>;

fn read_path(path: &Path, progress: &Arc<Progress>, take: TakeText<'_>) -> Result<(), ImportError> {
    let file = File::open(path).map_err(|error| failed(path, error))?;
    let mut file = Counted {
        file,
        progress: progress.clone(),
    };
    let mut magic = [0; 4];
    let known = read_some(&mut file.file, &mut magic).map_err(|error| failed(path, error))?;
    file.file
        .seek(SeekFrom::Start(0))
        .map_err(|error| failed(path, error))?;
    match magic.get(..known).unwrap_or_default() {
        [b'P', b'K', 3, 4] => archive(path, file, take),
        _ if !take(None, None)? => Ok(()),
        [0x1f, 0x8b, ..] => {
            let mut bytes = MultiGzDecoder::new(BufReader::new(file));
            take(None, Some(&mut bytes)).map(drop)
        }
        _ => {
            let mut bytes = BufReader::with_capacity(BUFFER, file);
            take(None, Some(&mut bytes)).map(drop)
        }
    }
}

fn archive(path: &Path, mut file: Counted, take: TakeText<'_>) -> Result<(), ImportError> {
    let broken =
        |error: io::Error| ImportError::of(&name(path), format!("not a whole ZIP: {error}"));
    let entries = zip::directory(&mut file).map_err(broken)?;
    if xlsx::is_workbook(&entries) {
        file.seek(SeekFrom::Start(0))
            .map_err(|error| failed(path, error))?;
        // A workbook is one text: its reader opens the archive itself.
        if take(None, None)? {
            take(None, Some(&mut BufReader::with_capacity(BUFFER, file)))?;
        }
        return Ok(());
    }
    for entry in entries {
        let short = entry.name.rsplit(['/', '\\']).next().unwrap_or_default();
        if short.is_empty() || !take(Some(short), None)? {
            continue;
        }
        let bytes = zip::open(&mut file, &entry).map_err(broken)?;
        take(
            Some(short),
            Some(&mut BufReader::with_capacity(BUFFER, bytes)),
        )?;
    }
    Ok(())
}

/// A file whose bytes are counted as they are read.
struct Counted {
    file: File,
    progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn read_some(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut known = 0;
    while let Some(rest) = buffer.get_mut(known..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            read => known += read,
        }
    }
    Ok(known)
}

fn failed(path: &Path, error: io::Error) -> ImportError {
    ImportError::File {
        path: path.to_owned(),
        error,
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A field as text. What is no UTF-8 is Latin-1, as official files are; Windows
/// fills the gap of Latin-1 (0x80 to 0x9F) with signs.
///
/// # Errors
/// It has characters that no text has: it is in another encoding, or was turned
/// from one into another twice.
pub fn text(field: &[u8]) -> Result<Cow<'_, str>, String> {
    // Most fields: nothing else is to be looked for in them.
    if field.is_ascii() && !field.contains(&0) {
        return Ok(String::from_utf8_lossy(field));
    }
    let text = match std::str::from_utf8(field) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(field).0,
    };
    if text.contains(['\0', '\u{fffd}']) {
        return Err("characters of another encoding".to_owned());
    }
    // UTF-8 that was read as Latin-1 and written as UTF-8 again.
    let twice = ["Ã§", "Ã£", "Ã©", "Ã¡", "Ãª", "Ã³", "Ãº", "Ã‡", "Ã¢"];
    if twice.iter().any(|sign| text.contains(sign)) {
        return Err("UTF-8 that was encoded twice".to_owned());
    }
    Ok(text)
}
