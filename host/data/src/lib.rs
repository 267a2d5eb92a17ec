//! Reference tables: embedded, each with its source and date in its first
//! lines. Pure: no I/O, no clock. `tables/README.md` says how they are kept.

mod authorities;
mod goods;
mod places;
pub mod services;
mod table;
mod taxes;

pub use authorities::{cancellation, cstat, event_kinds, nfce};
pub use goods::{anp, cest, ncm};
pub use places::{areas, countries, municipalities, ufs};
pub use table::Validity;
pub use taxes::{cbenef, cfop, class_trib, icms, rates, situations};
