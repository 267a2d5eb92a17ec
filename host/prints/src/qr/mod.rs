//! QR codes (ISO/IEC 18004) as a grid of modules: byte mode, error correction M.
//!
//! Enough for the addresses printed on fiscal documents and for payment codes,
//! nothing more: versions 1 to 20, which hold up to [`MAX_BYTES`] bytes. The
//! grid has no quiet zone; whoever draws it leaves four modules of white around.

mod png;

use qrcodegen::{QrCodeEcc, QrSegment, Version};
use std::fmt;

/// What version 20 holds at level M (ISO/IEC 18004, table 7).
pub const MAX_BYTES: usize = 666;

/// The content does not fit the largest version written here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes do not fit a QR code of version 20-M, which holds {MAX_BYTES}")]
pub struct TooLong {
    /// Bytes that were given.
    pub bytes: usize,
}

/// A square of dark and light modules.
#[derive(Clone, PartialEq, Eq)]
pub struct QrCode(qrcodegen::QrCode);

impl fmt::Debug for QrCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QrCode({} modules a side)", self.size())
    }
}

impl QrCode {
    /// The smallest code that holds `content`.
    ///
    /// # Errors
    /// More than [`MAX_BYTES`] bytes.
    pub fn encode(content: &[u8]) -> Result<QrCode, TooLong> {
        let bytes = content.len();
        let code = qrcodegen::QrCode::encode_segments_advanced(
            &[QrSegment::make_bytes(content)],
            QrCodeEcc::Medium,
            Version::MIN,
            Version::new(20),
            None,
            // The level stays M where a higher one had room: codes of one
            // length look alike.
            false,
        );
        code.map(QrCode).map_err(|_| TooLong { bytes })
    }

    /// Modules a side: 21 to 97.
    pub fn size(&self) -> usize {
        usize::try_from(self.0.size()).unwrap_or_default()
    }

    /// Is the module in this column and row dark? Outside the square all is light.
    pub fn is_dark(&self, column: usize, row: usize) -> bool {
        let place = |at: usize| i32::try_from(at).unwrap_or(i32::MAX);
        self.0.get_module(place(column), place(row))
    }

    /// Rows from the top, each padded to whole bytes, the most significant bit
    /// first, 1 for light: what a one-bit grey image takes.
    pub fn rows_one_bit(&self) -> Vec<u8> {
        let size = self.size();
        let mut out = Vec::with_capacity(size * size.div_ceil(8));
        for row in 0..size {
            for first in (0..size).step_by(8) {
                let byte = (0..8).fold(0u8, |byte, bit| {
                    byte << 1 | u8::from(!self.is_dark(first + bit, row))
                });
                out.push(byte);
            }
        }
        out
    }

    /// A PNG of the code with its quiet zone, each module `scale` pixels wide.
    ///
    /// # Errors
    /// None in practice: it is written in memory.
    pub fn png(&self, scale: usize) -> std::io::Result<Vec<u8>> {
        png::picture(self, scale)
    }
}
