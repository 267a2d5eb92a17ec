//! Tables of fields, of any document: for each element of an official layout
//! the API's name and how its value is read and written.
//!
//! A table is a slice of [`Field`], one line for each child and attribute of an
//! element, in official order. [`Reader`] makes the API's members of a document
//! by it, [`place_by`] tells which member of a request became an element.
//! NF-e and NFC-e have theirs in [`crate::nfe::fields`].

pub mod field;
mod path;
mod reader;
mod value;

pub use field::{Field, Form, Kind, Plain};
pub use path::place_by;
pub use reader::{MAX_OTHERS, Reader};
pub use value::{FieldValue, Group, Other};
