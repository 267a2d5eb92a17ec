//! Compression of what goes into a PDF.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Fast rather than small: the pages of a note shrink to a fifth anyway.
pub(super) fn comprimir(dados: &[u8]) -> Option<Vec<u8>> {
    let mut saida = ZlibEncoder::new(Vec::with_capacity(dados.len() / 4), Compression::fast());
    saida.write_all(dados).ok()?;
    saida.finish().ok()
}
