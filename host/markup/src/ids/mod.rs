//! Identifiers of people, companies, places and documents.
//!
//! A value of one of these types is valid as far as can be told without asking
//! anybody: shape and check digits. Parse once at the edge, then pass the type.
//! Written and read (also by serde) as text without punctuation.

pub mod chave;
mod chave_nfse;
mod cnpj;
mod cpf;
mod cpf_cnpj;
mod dps;
mod error;
mod gtin;
mod ibge;
mod mask;
mod mistake;
mod text;

pub use gtin::is_valid_gtin;

pub use chave_nfse::ChaveNfse;
pub use cnpj::Cnpj;
pub use cpf::Cpf;
pub use cpf_cnpj::CpfCnpj;
pub use dps::{MAX_NUMBER, MAX_SERIE, id_dps};
pub use error::IdError;
pub use ibge::IbgeMunicipality;
pub use mistake::{Mistake, Takes};
