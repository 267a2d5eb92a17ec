//! Bytes of a text with lines, watched while another reader takes lines of them.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// Bytes of the longest line, with all of its columns; the official files have some
/// thousand. A line is kept in memory, and a small archive can hold one of gigabytes.
const MOST: u64 = 1 << 20;

/// What was read of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    last: Rc<Cell<Option<u8>>>,
    since: Rc<Cell<u64>>,
}

impl Watch {
    /// Another line was taken.
    pub fn line(&self) {
        self.since.set(0);
    }

    /// The last byte that was read.
    pub fn last(&self) -> Option<u8> {
        self.last.get()
    }

    /// Watches the bytes behind some that were read before.
    pub fn over<R: Read>(&self, bytes: R, before: &[u8]) -> Watched<R> {
        self.last.set(before.last().copied());
        Watched {
            bytes,
            watch: self.clone(),
        }
    }
}

/// The bytes.
pub(crate) struct Watched<R> {
    bytes: R,
    watch: Watch,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let since = self.watch.since.get();
        if since > MOST {
            return Err(io::Error::other(format!(
                "a line has more than {MOST} bytes"
            )));
        }
        let read = self.bytes.read(buffer)?;
        self.watch.since.set(since + read as u64);
        if let Some(byte) = buffer.get(..read).and_then(<[u8]>::last) {
            self.watch.last.set(Some(*byte));
        }
        Ok(read)
    }
}
