//! Files of an import: plain, inside of a ZIP, or under gzip; in UTF-8 or Latin-1.

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

    /// The names of the files, without their folders.
    pub fn names(&self) -> String {
        let names = self.paths.iter().map(|path| name(path));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Gives each text in the files to `each`: its name and its bytes.
    ///
    /// # Errors
    /// A file cannot be read to its end, and what `each` says.
    pub fn each(
        &self,
        progress: &Arc<Progress>,
        each: &mut dyn FnMut(&str, &mut dyn Read) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        for path in &self.paths {
            let file = File::open(path).map_err(|error| failed(path, error))?;
            let mut file = Counted {
                file,
                progress: progress.clone(),
            };
            let mut magic = [0; 4];
            let known =
                read_some(&mut file.file, &mut magic).map_err(|error| failed(path, error))?;
            file.file
                .seek(SeekFrom::Start(0))
                .map_err(|error| failed(path, error))?;
            match magic.get(..known).unwrap_or_default() {
                [b'P', b'K', 3, 4] => archive(path, file, each)?,
                [0x1f, 0x8b, ..] => {
                    each(&name(path), &mut MultiGzDecoder::new(BufReader::new(file)))?
                }
                _ => each(&name(path), &mut BufReader::with_capacity(BUFFER, file))?,
            }
        }
        Ok(())
    }
}

fn archive(
    path: &Path,
    mut file: Counted,
    each: &mut dyn FnMut(&str, &mut dyn Read) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let broken =
        |error: io::Error| ImportError::of(&name(path), format!("not a whole ZIP: {error}"));
    let entries = zip::directory(&mut file).map_err(broken)?;
    let mut found = false;
    for entry in entries {
        let inside = entry.name.to_ascii_lowercase();
        if ![".csv", ".txt", ".jsonl"]
            .iter()
            .any(|end| inside.ends_with(end))
        {
            continue;
        }
        found = true;
        let short = entry.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let bytes = zip::open(&mut file, &entry).map_err(broken)?;
        each(short, &mut BufReader::with_capacity(BUFFER, bytes))?;
    }
    if found {
        Ok(())
    } else {
        Err(ImportError::of(
            &name(path),
            "no .csv, .txt or .jsonl inside",
        ))
    }
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
