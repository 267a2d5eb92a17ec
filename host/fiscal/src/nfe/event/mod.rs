//! Events of a note and the voiding of numbers: catalogue, pre-flight, XML.
//!
//! - [`catalogo`] lists every event as data: who may send it, to whom, which
//!   fields it takes. `GET /api/v1/reforma/eventos/catalogo` is this list.
//! - [`pre_validar`] judges the fields of a request and what is known of the
//!   note, and tells everything at once.
//! - [`montar`] makes the tree `evento`, unsigned; [`escrever`] has the layout
//!   write it.
//! - [`Inutilizacao`] does the same for numbers that were never used.
//! - [`nfe_proc`], [`proc_evento`], [`proc_inut`] join a signed document and
//!   the authority's answer, byte for byte.
//! - [`econf`] counts what is still to be linked of a note paid later.
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
mod fields;
mod join;
mod kind;
mod reform;
#[cfg(test)]
pub(crate) mod tests;
mod void;

pub use assemble::{Evento, assemble, escrever, nome_do_layout};
pub use catalogue::{busca, catalogue};
pub use content::{Contexto, pre_validar};
pub use everyday::{
    Manifestacao, cancelamento, cancelamento_por_substituicao, cce, desfazer_econf, econf_de,
    manifestacao,
};
pub use join::{JuntarError, envi_evento, nfe_proc, proc_evento, proc_inut};
pub use kind::{Autor, CampoEvento, Codigo, Formato, Receptor, Tipo};
pub use void::{Inutilizacao, MAX_FAIXA};

/// Namespace of all NF-e documents.
pub const NAMESPACE: &str = "http://www.portalfiscal.inf.br/nfe";
