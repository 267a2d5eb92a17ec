//! Structure of requests, by the tables compiled from the official schemas.
//!
//! The tables are the only thing shared with the hub: they are data, held
//! against libxml2 in tests of their own. Every other rule of the simulator
//! is written without the hub's code.

use markup::layout::{Layout, LayoutError};

use super::cstat::Refusal;
use crate::clock;
use crate::sefaz::answer::Place;
use crate::sefaz::services::Op;
use crate::xml::Element;

/// The request against its schema: 225 for a batch of notes, 215 for the rest.
pub(super) fn check(place: Place, root: &Element, text: &str) -> Result<(), Refusal> {
    let (layout, code) = match place.service.op {
        Op::Authorize => (notes(place, root), "225"),
        Op::Receipt => (Layout::get("consReciNFe-4.00"), "215"),
        Op::Query => (Layout::get("consSitNFe-4.00"), "215"),
        Op::Status => (Layout::get("consStatServ-4.00"), "215"),
        Op::Event => (Layout::get("evento"), "215"),
        Op::Void if place.service.is("MT") => (Layout::get("inutNFe-4.00-MT"), "215"),
        Op::Void => (Layout::get("inutNFe-4.00"), "215"),
        Op::Register => (Layout::get("consCad-2.00"), "215"),
        Op::Distribute => (Layout::get("distDFeInt-1.01"), "215"),
    };
    // A layout without table would be a fault of the simulator, told as such.
    let layout = layout.ok_or_else(|| Refusal::from("999"))?;
    first(&layout.validate(text), code)
}

/// An event against the schema of its type: 493.
pub(super) fn event(kind: &str, text: &str) -> Result<(), Refusal> {
    match Layout::get(&format!("evento-{kind}")) {
        Some(layout) => first(&layout.validate(text), "493"),
        // The type itself is refused later.
        None => Ok(()),
    }
}

/// The package in force on the date of the first note.
fn notes(place: Place, root: &Element) -> Option<&'static Layout> {
    let said = root.text_at("NFe/infNFe/ide/dhEmi").unwrap_or_default();
    let date = said.get(..10).and_then(clock::parse_date);
    match date {
        Some(date) if place.tp_amb() == "1" => Some(Layout::nfe(date)),
        Some(date) => Some(Layout::nfe_homologacao(date)),
        None => Layout::get("nfe-010f"),
    }
}

fn first(errors: &[LayoutError], code: &str) -> Result<(), Refusal> {
    match errors.first() {
        None => Ok(()),
        // Authorizers tell the element.
        Some(error) => Err(Refusal::with(
            code,
            format!(" (Elemento: {})", error.caminho),
        )),
    }
}
