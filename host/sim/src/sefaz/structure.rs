//! Structure of requests, by the tables compiled from the official schemas.
//!
//! The tables are the only thing shared with the hub: they are data, held
//! against libxml2 in tests of their own. Every other rule of the simulator
//! is written without the hub's code.

use markup::layout::{Erro, Layout};

use super::cstat::Recusa;
use crate::clock;
use crate::sefaz::answer::Lugar;
use crate::sefaz::services::Op;
use crate::xml::Element;

/// The request against its schema: 225 for a batch of notes, 215 for the rest.
pub(super) fn check(lugar: Lugar, root: &Element, text: &str) -> Result<(), Recusa> {
    let (layout, code) = match lugar.servico.op {
        Op::Autorizar => (notes(lugar, root), "225"),
        Op::Recibo => (Layout::get("consReciNFe-4.00"), "215"),
        Op::Consultar => (Layout::get("consSitNFe-4.00"), "215"),
        Op::Status => (Layout::get("consStatServ-4.00"), "215"),
        Op::Evento => (Layout::get("evento"), "215"),
        Op::Inutilizar if lugar.servico.is("MT") => (Layout::get("inutNFe-4.00-MT"), "215"),
        Op::Inutilizar => (Layout::get("inutNFe-4.00"), "215"),
        Op::Cadastro => (Layout::get("consCad-2.00"), "215"),
        Op::Distribuir => (Layout::get("distDFeInt-1.01"), "215"),
    };
    // A layout without table would be a fault of the simulator, told as such.
    let layout = layout.ok_or_else(|| Recusa::from("999"))?;
    first(&layout.validar(text), code)
}

/// An event against the schema of its type: 493.
pub(super) fn event(tipo: &str, text: &str) -> Result<(), Recusa> {
    match Layout::get(&format!("evento-{tipo}")) {
        Some(layout) => first(&layout.validar(text), "493"),
        // The type itself is refused later.
        None => Ok(()),
    }
}

/// The package in force on the date of the first note.
fn notes(lugar: Lugar, root: &Element) -> Option<&'static Layout> {
    let said = root.text_at("NFe/infNFe/ide/dhEmi").unwrap_or_default();
    let date = said.get(..10).and_then(clock::parse_date);
    match date {
        Some(date) if lugar.tp_amb() == "1" => Some(Layout::nfe(date)),
        Some(date) => Some(Layout::nfe_homologacao(date)),
        None => Layout::get("nfe-010f"),
    }
}

fn first(errors: &[Erro], code: &str) -> Result<(), Recusa> {
    match errors.first() {
        None => Ok(()),
        // Authorizers tell the element.
        Some(error) => Err(Recusa::com(code, format!(" (Elemento: {})", error.caminho))),
    }
}
