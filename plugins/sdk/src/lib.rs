//! What an adapter author imports: one straight-line `async fn` becomes a
//! component that the hub starts and resumes.
//!
//! ```text
//! async fn run(flow: sdk::Flow, op: sdk::Operacao) -> sdk::Outcome { ... }
//! sdk::export_nfse!(describe, permissions, run);
//! ```
//!
//! See `README.md` for the guide and `CASSETTES.md` for the test format.

mod adapter;
pub mod b64;
pub mod bindings;
#[cfg(not(target_arch = "wasm32"))]
pub mod cassette;
mod context;
mod decimal;
mod deflate;
mod describe;
mod export;
mod failure;
mod flow;
pub mod gzip;
pub mod host;
#[cfg(target_arch = "wasm32")]
mod memory;
pub mod nfse;
mod outcome;
pub mod permissions;
pub mod replay;
mod request;
#[cfg(any(target_arch = "wasm32", test))]
mod small;
pub mod soap;
mod state;
pub mod xml;

/// Option that says of an authority that it refuses a second copy of a document
/// by itself; the hub reads it as well.
pub const REFUSES_DUPLICATES: &str = "recusa_duplicata";

pub use adapter::Adapter;
pub use bindings::control::{
    Ambiente, Conteudo, Context, Documento, Effect, Emitente, Event, Exchange, Failure,
    FailureReason, FieldError, HttpRequest, HttpResponse as Response, Mensagem, Municipio, Named,
    Operacao, Outcome, Pause, SignError, Situacao, Step, Success, Target, TransportFault,
    TransportKind, Unavailable,
};
pub use bindings::signer::{
    Algorithm, Canonicalization, Certificate, Options as SignOptions, Placement,
};
pub use bindings::{diagnostics::Level, secrets::Encoding};
pub use decimal::Decimal;
pub use describe::{Description, EndpointSpec, OperationInfo, OptionKind, OptionSpec};
pub use failure::Fault;
pub use flow::Flow;
pub use nfse::read as read_conteudo;
pub use permissions::{Characters, Namespace, Permissions};
pub use request::Request;
