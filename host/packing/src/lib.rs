//! The texts of a settled document as one record: what was asked, what was sent, what came
//! back, the document itself. They repeat each other, so they are compressed together
//! (zstd, RFC 8878), with a dictionary of their layout where there is one, and are the same
//! bytes when they are read. Old rows of a table as one page, too ([`Page`]).

mod bytes;
mod certificates;
mod dictionaries;
mod frame;
mod pieces;
mod rows;
mod token;
mod train;

pub use bytes::{MAX_RECORD, Unreadable};
pub use certificates::{Certificate, CertificateId};
pub use dictionaries::{Dictionaries, Dictionary, Layout};
pub use frame::{PackError, Packed, certificates_of};
pub use rows::{Column, Page, Values};
pub use train::{MAX_DICTIONARY, TrainError, train};

/// A text of a record and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Unique in its record.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Texts that are kept together, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    parts: Vec<Part>,
}

impl Record {
    /// The text of a name; None: the record has none.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let part = self.parts.iter().find(|part| part.name == name)?;
        Some(&part.bytes)
    }

    /// Adds a text, in the place of the one that has its name.
    pub fn set(&mut self, name: String, bytes: Vec<u8>) {
        match self.parts.iter_mut().find(|part| part.name == name) {
            Some(part) => part.bytes = bytes,
            None => self.parts.push(Part { name, bytes }),
        }
    }

    /// Its texts, in their order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Keeps the texts that `wanted` says, and returns the others.
    pub fn split(&mut self, wanted: impl Fn(&str) -> bool) -> Record {
        let all = std::mem::take(&mut self.parts);
        let (kept, others) = all.into_iter().partition(|part| wanted(&part.name));
        self.parts = kept;
        Record { parts: others }
    }

    /// Bytes of all its texts.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.bytes.len()).sum()
    }

    /// It has no text.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The record as it is kept, with the newest dictionary of the layout. Certificates inside
    /// of texts whose names are `aside` are not in it: it names them
    /// ([`Packed::certificates`]).
    ///
    /// # Errors
    /// It is larger than [`MAX_RECORD`].
    pub fn pack(
        &self,
        dictionaries: &Dictionaries,
        layout: Layout,
        aside: impl Fn(&str) -> bool,
    ) -> Result<Packed, PackError> {
        frame::pack(self, dictionaries.newest(layout), aside)
    }

    /// The record of what [`Record::pack`] made, with the certificates that it names
    /// ([`certificates_of`]).
    ///
    /// # Errors
    /// A byte is not what was written, or its dictionary or a certificate is not there: never
    /// a part of it.
    pub fn unpack(
        bytes: &[u8],
        dictionaries: &Dictionaries,
        certificates: &[Certificate],
    ) -> Result<Record, Unreadable> {
        frame::unpack(bytes, dictionaries, certificates, |_| true)
    }

    /// The same, of the texts whose names are `wanted` alone: no other text is copied, nothing
    /// inside of it is packed again, and its certificates are not needed. All are checked by
    /// the digest.
    ///
    /// # Errors
    /// As [`Record::unpack`], but for what a text that is not wanted has inside.
    pub fn unpack_some(
        bytes: &[u8],
        dictionaries: &Dictionaries,
        certificates: &[Certificate],
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Record, Unreadable> {
        frame::unpack(bytes, dictionaries, certificates, wanted)
    }
}
