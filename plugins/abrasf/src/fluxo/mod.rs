//! What is asked, in which order, and what each answer means for the note.

pub mod cancelar;
pub mod consultar;
pub mod emitir;

mod busca;
mod lote;
mod ritmo;
mod sessao;
