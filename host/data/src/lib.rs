//! Reference tables: embedded, each with its source and date in its first
//! lines; a newer edition may be installed in the place of some
//! ([`versions::install`]). Pure: no I/O, no clock. `tables/README.md` says how they
//! are kept.

mod authorities;
mod companies;
mod goods;
mod places;
pub mod search;
pub mod services;
mod table;
mod taxes;
pub mod versions;

pub use authorities::{cancellation, cstat, event_kinds, gnre, nfce};
pub use companies::{banks, cnae};
pub use goods::{anp, cest, ncm, tipi};
pub use places::{
    area_codes, areas, cities, countries, municipalities, plates, population, postal, ufs,
};
pub use table::Validity;
pub use taxes::{cbenef, cfop, class_trib, ibs_cbs, icms, monophasic, rates, simples, situations};
