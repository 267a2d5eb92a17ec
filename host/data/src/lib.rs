//! Reference tables: embedded, each with its source and date in its first
//! lines. Pure: no I/O, no clock. `tables/README.md` says how they are kept.

mod authorities;
mod goods;
mod places;
pub mod servicos;
mod tabela;
mod taxes;

pub use authorities::{cancelamento, cstat, eventos, nfce};
pub use goods::{anp, cest, ncm};
pub use places::{areas, municipios, paises, ufs};
pub use tabela::Vigencia;
pub use taxes::{aliquotas, cbenef, cfop, class_trib, icms, situacoes};
