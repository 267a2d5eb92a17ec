//! The names of the members of Focus NFe's bodies, and where each stands in a
//! body of this API: tables, nothing else.
//!
//! Facts are of the service's public documentation (`FocusNFe/api-doc`,
//! February 2026) and of public clients of it. A name that is in no table is
//! refused by its name.

mod goods;
mod item;
mod national;
mod note;
mod parties;
mod reform;
mod row;
mod service;
mod small;
mod taxes;
mod totals;

pub use item::ITEM;
pub use national::NATIONAL;
pub use note::NOTE;
pub use row::{Form, Row, Rows, lines};
pub use service::SERVICE;
pub use small::{EMAILS, VOID};
pub use totals::{Counted, SUMS, Sum};
