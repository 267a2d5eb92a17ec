//! The journal of earlier versions, which kept all in memory and wrote each
//! change as a line of JSON. It is read once, when its world becomes a file.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::de::DeserializeOwned;

/// Hands the lines of the file to `apply`. What a crash cut off at the end is
/// dropped, as those versions did.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read<L: DeserializeOwned>(
    path: &Path,
    mut apply: impl FnMut(L),
) -> std::io::Result<()> {
    let mut complete = 0u64;
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = String::new();
    loop {
        line.clear();
        let read = reader.read_line(&mut line)?;
        if read == 0 {
            return Ok(());
        }
        match serde_json::from_str::<L>(&line) {
            Ok(record) if line.ends_with('\n') => apply(record),
            _ => {
                tracing::warn!(byte = complete, "journal of the simulator: line dropped");
                return Ok(());
            }
        }
        complete += read as u64;
    }
}
