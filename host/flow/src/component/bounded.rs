//! Files that others put into a folder of the hub.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// The bytes of a regular file of at most `limit` bytes. A pipe or a device may
/// have no end, and nobody at its other side: it is not even opened.
///
/// # Errors
/// There is no such file, it is no regular one, it is larger, or it cannot be
/// read.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        let kind = io::ErrorKind::InvalidInput;
        return Err(io::Error::new(kind, "not a regular file"));
    }
    let mut bytes = Vec::new();
    let mut file = File::open(path)?.take(limit.saturating_add(1));
    file.read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
        let text = format!("more than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}
