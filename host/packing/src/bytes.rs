//! Reading and writing the bytes of a record: numbers, and pieces that have a length.

/// Most bytes of the texts of a record. Answers of authorities are bounded below it; who
/// reads a record needs this memory at most twice.
pub const MAX_RECORD: usize = 64 * 1024 * 1024;

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("version {0} of records is not known")]
    Version(u8),
    #[error("dictionary {0} is not known")]
    Dictionary(u32),
    #[error("a certificate that it names is not there")]
    Certificate,
    #[error("it says that it has {0} bytes, more than {MAX_RECORD}")]
    TooLarge(u64),
    #[error("it ends early or has bytes that belong to nothing")]
    Shape,
    #[error("zstd: {0}")]
    Zstd(std::io::Error),
    #[error("its SHA-256 is another")]
    Digest,
    #[error("deflate gives other bytes than when it was packed: another version of it")]
    Deflate,
}

/// A number in groups of seven bits, the lowest first (LEB128).
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Bytes that are not read yet.
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Unreadable> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Unreadable::Shape)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Unreadable> {
        let (first, rest) = self.0.split_first().ok_or(Unreadable::Shape)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Unreadable> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let low = u64::from(byte & 0x7f);
            number |= low << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Unreadable::Shape)
    }

    pub(crate) fn length(&mut self) -> Result<usize, Unreadable> {
        usize::try_from(self.number()?).map_err(|_| Unreadable::Shape)
    }
}
