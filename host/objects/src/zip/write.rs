//! Writing a ZIP file (PKWARE APPNOTE 6.3.10, sections 4.3 and 4.4) from its
//! first byte to its last, without going back: each file is compressed in
//! memory before its header, so nothing has to be known later.
//!
//! Without ZIP64: below 65,535 files and 4 GiB, which every reader opens.

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::io::{self, Write};
use time::OffsetDateTime;

/// Version needed to extract: 2.0, for DEFLATE.
const VERSION: u16 = 20;
/// Written by 2.0 on Unix, so that the permissions below count.
const MADE_BY: u16 = 3 << 8 | VERSION;
/// A plain file its owner may write and everybody read.
const MODE: u32 = 0o100_644 << 16;
const DEFLATED: u16 = 8;

/// A ZIP being written.
pub struct Zip<W> {
    to: W,
    hash: Sha256,
    written: u32,
    /// The central directory, which goes behind the files.
    directory: Vec<u8>,
    names: HashSet<String>,
}

/// A ZIP that is complete.
pub struct Done<W> {
    /// What it was written to.
    pub to: W,
    /// Length of the whole file.
    pub bytes: u32,
    /// Of the whole file, hexadecimal.
    pub sha256: String,
}

impl<W: Write> Zip<W> {
    /// Begins a ZIP without files.
    pub fn new(to: W) -> Zip<W> {
        Zip {
            to,
            hash: Sha256::new(),
            written: 0,
            directory: Vec::new(),
            names: HashSet::new(),
        }
    }

    /// Whether a file of this name is there.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Adds a file; the name is ASCII with `/` between folders.
    ///
    /// # Errors
    /// The name is there already or too long, the ZIP is full, or it cannot be
    /// written.
    pub fn add(&mut self, name: &str, bytes: &[u8], moment: OffsetDateTime) -> io::Result<()> {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes)?;
        let packed = packed.finish()?;
        let mut crc = Crc::new();
        crc.update(bytes);
        let name_bytes = u16::try_from(name.len()).map_err(|_| full())?;
        if self.names.len() >= usize::from(u16::MAX) - 1 {
            return Err(full());
        }
        if !self.names.insert(name.to_owned()) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "name twice"));
        }
        // What the two headers of a file have in common.
        let mut shared = Vec::with_capacity(26);
        put(&mut shared, &[VERSION, 0, DEFLATED]);
        put(&mut shared, &stamp(moment));
        put32(
            &mut shared,
            &[crc.sum(), fits(packed.len())?, fits(bytes.len())?],
        );
        put(&mut shared, &[name_bytes, 0]);
        let offset = self.written;
        self.write(b"PK\x03\x04")?;
        self.write(&shared)?;
        self.write(name.as_bytes())?;
        self.write(&packed)?;
        self.directory.extend_from_slice(b"PK\x01\x02");
        put(&mut self.directory, &[MADE_BY]);
        self.directory.extend_from_slice(&shared);
        // No comment, the first disk, no internal attributes.
        put(&mut self.directory, &[0, 0, 0]);
        put32(&mut self.directory, &[MODE, offset]);
        self.directory.extend_from_slice(name.as_bytes());
        Ok(())
    }

    /// Writes the directory.
    ///
    /// # Errors
    /// The ZIP is full, or it cannot be written.
    pub fn finish(mut self) -> io::Result<Done<W>> {
        let files = u16::try_from(self.names.len()).map_err(|_| full())?;
        let offset = self.written;
        let directory = std::mem::take(&mut self.directory);
        self.write(&directory)?;
        let mut end = b"PK\x05\x06".to_vec();
        put(&mut end, &[0, 0, files, files]);
        put32(&mut end, &[fits(directory.len())?, offset]);
        put(&mut end, &[0]);
        self.write(&end)?;
        self.to.flush()?;
        Ok(Done {
            to: self.to,
            bytes: self.written,
            sha256: flow::hex(&self.hash.finalize()),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.written.checked_add(fits(bytes.len())?);
        self.written = written.filter(|all| *all < u32::MAX).ok_or_else(full)?;
        self.hash.update(bytes);
        self.to.write_all(bytes)
    }
}

fn full() -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        "the ZIP has no room for more files",
    )
}

fn fits(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(|_| full())
}

fn put(to: &mut Vec<u8>, numbers: &[u16]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put32(to: &mut Vec<u8>, numbers: &[u32]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Time and date as MS-DOS writes them; its years begin with 1980.
fn stamp(moment: OffsetDateTime) -> [u16; 2] {
    let year = u16::try_from(moment.year() - 1980).unwrap_or(0).min(127);
    [
        u16::from(moment.hour()) << 11
            | u16::from(moment.minute()) << 5
            | u16::from(moment.second() / 2),
        year << 9 | u16::from(u8::from(moment.month())) << 5 | u16::from(moment.day()),
    ]
}
