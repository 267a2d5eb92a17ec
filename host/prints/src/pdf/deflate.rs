//! Compression of what goes into a PDF.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Fast rather than small: the pages of a note shrink to a fifth anyway.
pub(super) fn compress(data: &[u8]) -> Option<Vec<u8>> {
    let mut output = ZlibEncoder::new(Vec::with_capacity(data.len() / 4), Compression::fast());
    output.write_all(data).ok()?;
    output.finish().ok()
}
