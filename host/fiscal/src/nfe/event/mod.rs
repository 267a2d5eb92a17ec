//! Events of a note and the voiding of numbers: catalogue, pre-flight, XML.
//!
//! - [`catalogue`] lists every event as data: who may send it, to whom, which
//!   fields it takes. `GET /api/v1/reforma/eventos/catalogo` is this list.
//! - [`pre_validar`] judges the fields of a request and what is known of the
//!   note, and tells everything at once.
//! - [`build`] makes the tree `evento`, unsigned; [`write`] has the layout
//!   write it.
//! - [`Inutilizacao`] does the same for numbers that were never used.
//! - [`document_proc`], [`proc_evento`], [`proc_voiding`] join a signed document
//!   and the authority's answer, byte for byte.
//! - [`econf`] counts what is still to be linked of a note paid later.
//!
//! Events of transport documents have the same shape under other names
//! ([`Family`]); their catalogue is that of the crate `freight`.
//!
//! Fields of an event come as JSON (`dados`), each under its official tag or
//! under the Portuguese name the catalogue gives it; groups that repeat are
//! lists of objects, attributes (`nItem`) are members like any other.

mod assemble;
mod catalogue;
mod content;
mod deadline;
pub mod econf;
mod everyday;
mod family;
pub mod fields;
mod join;
mod kind;
mod reform;
mod void;

pub use assemble::{Evento, assemble, layout_name, place_in_request, write};
pub use catalogue::{catalogue, search};
pub use content::{Context, pre_validar};
pub use everyday::{
    Manifestation, cancelamento, cancellation_by_replacement, cce, desfazer_econf, econf_of,
    manifestation,
};
pub use family::Family;
pub use join::{JoinError, document_proc, envi_evento, proc_evento, proc_voiding};
pub use kind::{Author, BASE, Codigo, EventField, Formato, Head, Kind, Receiver};
pub use void::{MAX_RANGE, Voiding, place_of_void};

/// Namespace of all NF-e documents.
pub const NAMESPACE: &str = "http://www.portalfiscal.inf.br/nfe";
