//! QR codes (ISO/IEC 18004) as a grid of modules: byte mode, error correction M.
//!
//! Enough for the addresses printed on fiscal documents and for payment codes,
//! nothing more: versions 1 to 20, which hold up to [`MAX_BYTES`] bytes. The
//! grid has no quiet zone; whoever draws it leaves four modules of white around.

mod correction;
mod grid;
mod png;
mod tables;
#[cfg(test)]
mod tests;

pub use tables::MAX_BYTES;

/// The content does not fit the largest version written here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes do not fit a QR code of version 20-M, which holds {MAX_BYTES}")]
pub struct TooLong {
    /// Bytes that were given.
    pub bytes: usize,
}

/// A square of dark and light modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrCode {
    size: usize,
    dark: Vec<bool>,
}

impl QrCode {
    /// The smallest code that holds `content`.
    ///
    /// # Errors
    /// More than [`MAX_BYTES`] bytes.
    pub fn encode(content: &[u8]) -> Result<QrCode, TooLong> {
        let version = tables::version_for(content.len()).ok_or(TooLong {
            bytes: content.len(),
        })?;
        let codewords = correction::interleave(version, &data_codewords(version, content));
        let (size, dark) = grid::draw(version, &codewords);
        Ok(QrCode { size, dark })
    }

    /// Modules a side: 21 to 97.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Is the module in this column and row dark? Outside the square all is light.
    pub fn is_dark(&self, column: usize, row: usize) -> bool {
        column < self.size
            && row < self.size
            && self
                .dark
                .get(row * self.size + column)
                .is_some_and(|dark| *dark)
    }

    /// Rows from the top, each padded to whole bytes, the most significant bit
    /// first, 1 for light: what a one-bit grey image takes.
    pub fn rows_one_bit(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size * self.size.div_ceil(8));
        for row in 0..self.size {
            for first in (0..self.size).step_by(8) {
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

/// Mode, count, content, terminator and padding (ISO/IEC 18004, §7.4).
fn data_codewords(version: usize, content: &[u8]) -> Vec<u8> {
    let capacity = tables::data_codewords(version);
    let mut bits = Bits::default();
    bits.push(0b0100, 4);
    bits.push(content.len() as u32, if version <= 9 { 8 } else { 16 });
    for byte in content {
        bits.push(u32::from(*byte), 8);
    }
    let room = (capacity * 8).saturating_sub(bits.used);
    bits.push(0, room.min(4) as u32);
    let mut codewords = bits.bytes;
    // The two filler codewords the standard names, in turn.
    let fill = [0xEC, 0x11].into_iter().cycle();
    let missing = capacity.saturating_sub(codewords.len());
    codewords.extend(fill.take(missing));
    codewords
}

/// Bits written from the most significant one on.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: usize,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        for shift in (0..count).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let bit = (value >> shift & 1) as u8;
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << (7 - self.used % 8);
            }
            self.used += 1;
        }
    }
}
