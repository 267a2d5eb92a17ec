//! Append-only file of the changes, one JSON object a line.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The open file.
#[derive(Debug)]
pub(crate) struct Journal(File);

impl Journal {
    /// Hands the lines of the file to `apply` and opens it for appending. A
    /// last line that a crash cut off is dropped.
    pub fn open<L: DeserializeOwned>(
        path: &Path,
        mut apply: impl FnMut(L),
    ) -> std::io::Result<Self> {
        if path.exists() {
            let mut complete = 0u64;
            let mut reader = BufReader::new(File::open(path)?);
            let mut line = String::new();
            loop {
                line.clear();
                let read = reader.read_line(&mut line)?;
                if read == 0 {
                    break;
                }
                match serde_json::from_str::<L>(&line) {
                    Ok(record) if line.ends_with('\n') => apply(record),
                    _ => {
                        tracing::warn!(byte = complete, "journal of the simulator: line dropped");
                        break;
                    }
                }
                complete += read as u64;
            }
            OpenOptions::new()
                .write(true)
                .open(path)?
                .set_len(complete)?;
        }
        if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
            std::fs::create_dir_all(dir)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        // Requests of systems with a login hold it.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self(options.open(path)?))
    }

    pub fn append(&mut self, record: &impl Serialize) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        self.0.write_all(&line)?;
        self.0.flush()
    }
}
