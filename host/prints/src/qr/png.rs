//! A QR code as a picture of its own (PNG, 3rd edition).

use super::QrCode;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write as _;

/// White modules around the code (ISO/IEC 18004, §9.1).
const QUIET: usize = 4;

/// A grey picture of one bit a pixel, each module a square of `scale` pixels.
pub(super) fn picture(code: &QrCode, scale: usize) -> std::io::Result<Vec<u8>> {
    let side = (code.size() + 2 * QUIET) * scale;
    let dark = |x: usize, y: usize| {
        let module = |pixel: usize| (pixel / scale).checked_sub(QUIET);
        matches!((module(x), module(y)), (Some(column), Some(row)) if code.is_dark(column, row))
    };
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    for y in 0..side {
        // Each line begins with its filter: none.
        let mut line = vec![0];
        for first in (0..side).step_by(8) {
            line.push((first..first + 8).fold(0_u8, |byte, x| byte << 1 | u8::from(!dark(x, y))));
        }
        packed.write_all(&line)?;
    }
    let side = u32::try_from(side).map_err(std::io::Error::other)?;
    let mut header = [side.to_be_bytes(), side.to_be_bytes()].concat();
    // One bit, grey; deflate, the standard's filters, not interlaced.
    header.extend([1, 0, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &packed.finish()?);
    chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    // The whole picture is some kilobytes.
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let mut sum = Crc::new();
    sum.update(&kind);
    sum.update(content);
    file.extend(length.to_be_bytes());
    file.extend(kind);
    file.extend_from_slice(content);
    file.extend(sum.sum().to_be_bytes());
}
