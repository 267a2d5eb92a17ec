//! XML for adapters: a writer of canonical text and a small, suspicious
//! reader.

mod reader;
mod standalone;
mod writer;

pub use reader::{Document, Element, MAX_BYTES, MAX_DEPTH, XmlError, decode, parse};
pub use standalone::{Inherited, standalone};
pub use writer::{Writer, escape_attribute, escape_text};
