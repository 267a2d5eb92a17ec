//! Questions to outside sources of data: streets of a CEP, companies, vehicles,
//! prices, places, routes, products. The operator names the sources; an adapter speaks to
//! them; answers are kept with their source and date.

pub mod answers;
mod ask;
mod kinds;
pub mod parts;
pub mod resting;
pub mod sources;

pub use ask::{Asked, Found, Looked, LookedResult, ask, asks};
pub use kinds::{Kind, Question};
pub use parts::Lookups;
