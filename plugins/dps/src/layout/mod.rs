//! The DPS 1.01 as data: elements in the order of the official schema, how
//! often they occur and what their text may be.
//!
//! Builders fill a tree of official names in any order; [`escrever`] walks
//! the table and writes it, so order and form are decided in one place.

mod fields;
mod form;
mod table;
mod union;
mod writing;

use fields::campo_da_api;
pub use form::Forma;
pub use table::INF_DPS;
pub use union::unir;
pub use writing::escrever;

/// One element of a sequence.
#[derive(Debug)]
pub struct Elemento {
    pub nome: &'static str,
    pub ocorre: Ocorre,
    pub tipo: Tipo,
}

/// How often an element occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ocorre {
    Um,
    Opcional,
    /// One of the elements with this number in the same group.
    Escolha(u8),
    /// At most one of them.
    EscolhaOpcional(u8),
    /// One to so many.
    Varios(usize),
}

/// What is inside.
#[derive(Debug)]
pub enum Tipo {
    Texto(Forma),
    Grupo(&'static [Elemento]),
}
