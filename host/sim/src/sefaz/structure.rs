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
        _ if !place.family().is_nfe() => (Layout::get(freight(place)), "215"),
        // MDF-e alone has it.
        Op::Open => (None, "215"),
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

/// Table of a message of CT-e or MDF-e.
fn freight(place: Place) -> &'static str {
    match (place.service.op, place.family().name) {
        (Op::Authorize, "CTe") => "cte-4.00",
        (Op::Query, "CTe") => "consSitCTe-4.00",
        (Op::Status, "CTe") => "consStatServCTe-4.00",
        (Op::Event, "CTe") => "eventoCTe",
        (Op::Authorize, _) => "mdfe-3.00",
        (Op::Query, _) => "consSitMDFe-3.00",
        (Op::Status, _) => "consStatServMDFe-3.00",
        (Op::Event, _) => "eventoMDFe",
        _ => "consMDFeNaoEnc-3.00",
    }
}

/// An event of CT-e or MDF-e against the schema of its type: 630.
pub(super) fn freight_event(root: &str, kind: &str, text: &str) -> Result<(), Refusal> {
    match Layout::get(&format!("{root}-{kind}")) {
        Some(layout) => first(&layout.validate(text), "630"),
        None => Ok(()),
    }
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
        // Authorizers tell the element; the modal's part has its own code.
        Some(error) => {
            let modal = code == "215" && error.caminho.contains("infModal/");
            let code = if modal { "580" } else { code };
            let place = format!(" (Elemento: {})", error.caminho);
            Err(Refusal::with(code, place))
        }
    }
}
