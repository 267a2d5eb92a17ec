//! Reference tables: embedded, each with its source and date in its first
//! lines. Pure: no I/O, no clock. `tables/README.md` says how they are kept.

pub mod aliquotas;
pub mod anp;
pub mod areas;
pub mod cancelamento;
pub mod cbenef;
pub mod cest;
pub mod cfop;
pub mod class_trib;
pub mod cstat;
pub mod eventos;
pub mod icms;
pub mod municipios;
pub mod ncm;
pub mod nfce;
pub mod paises;
pub mod servicos;
pub mod situacoes;
mod tabela;
pub mod ufs;

pub use tabela::Vigencia;
