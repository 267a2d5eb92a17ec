//! The operations: a folder per path segment, a file per operation.

pub mod attachments;
pub mod authorizer;
pub mod chaves;
pub mod creditos;
pub mod cte;
pub mod dere;
pub mod documentos;
pub mod emitters;
pub mod event;
pub mod eventos;
pub mod issuance;
pub mod mdfe;
pub mod nfce;
pub mod nfe;
pub mod nfe_entrada;
pub mod nfse;
pub mod party_id;
pub mod pessoas;
pub mod product;
pub mod psp;
pub mod reforma;
pub mod storage;
pub mod stored;
pub mod system;
mod transport;
pub mod usage;
pub mod webhooks;
