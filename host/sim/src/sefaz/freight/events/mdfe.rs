//! Events of an MDF-e: cancelling, closing, drivers and documents.
//!
//! Source: MOC MDF-e 3.00, 6.1, 6.2 and the codes of public lists for the
//! others.

use super::{Context, detail};
use crate::clock::{HOUR_MS, date};
use crate::documents::{cpf_ok, municipality_ok};
use crate::notes::Status;
use crate::sefaz::chave::digit;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::freight::require::{of_event, require};

/// Hours after the authorization in which an MDF-e may be cancelled (K04).
const CANCEL_HOURS: i64 = 24;
/// A journey that ends abroad.
const ABROAD: (&str, &str) = ("99", "9999999");

/// Neither cancelled nor closed (218, 609).
fn open(context: &Context<'_>) -> Result<(), Refusal> {
    let key = context.event.chave();
    if context.nota.situacao != Status::Normal {
        let said = of_event(context.call, &key, "110111", "dhCanc");
        return Err(Refusal::with("218", said));
    }
    if context.has_event("110112") {
        let said = of_event(context.call, &key, "110112", "dhEnc");
        return Err(Refusal::with("609", said));
    }
    Ok(())
}

/// Loaded after the authorization: its documents come by event.
fn loaded_later(context: &Context<'_>) -> bool {
    let indicator = context
        .document()
        .text_at("infMDFe/ide/indCarregaPosterior");
    indicator.as_deref() == Some("1")
}

/// Evento 110111.
pub(super) fn cancelling(context: &Context<'_>) -> Result<(), Refusal> {
    open(context)?;
    let (later, included) = (loaded_later(context), context.has_event("110115"));
    let hours = context.call.cancel_hours.unwrap_or(CANCEL_HOURS);
    let in_time = context.age_ms() <= hours.saturating_mul(HOUR_MS);
    require(in_time || later && !included, "220")?;
    context.protocol()?;
    require(!(later && included), "710")
}

/// Evento 110112.
pub(super) fn closing(context: &Context<'_>) -> Result<(), Refusal> {
    let (state, town) = (context.t("cUF"), context.t("cMun"));
    if state == ABROAD.0 {
        require(town == ABROAD.1, "689")?;
    } else {
        require(municipality_ok(&town), "714")?;
        require(town.get(..2) == Some(state.as_str()), "614")?;
    }
    open(context)?;
    // By day: the date of the event has no hour.
    require(context.t("dtEnc") >= date(context.nota.emitida_ms), "615")?;
    context.protocol()?;
    require(!loaded_later(context) || context.has_event("110115"), "715")
}

/// Evento 110114.
pub(super) fn driver(context: &Context<'_>) -> Result<(), Refusal> {
    open(context)?;
    let own = context.document();
    let road = own.text_at("infMDFe/ide/modal").as_deref() == Some("1");
    require(road, "644")?;
    let cpf = context.t("condutor/CPF");
    require(cpf_ok(&cpf), "645")?;
    let named = format!("<CPF>{cpf}</CPF></condutor>");
    let before = context.known.iter().filter(|e| e.tipo == "110114");
    let twice = context.nota.xml.contains(&named)
        || before.into_iter().any(|event| event.xml.contains(&named));
    require(!twice, "577")
}

/// Evento 110115.
pub(super) fn documents(context: &Context<'_>) -> Result<(), Refusal> {
    open(context)?;
    require(loaded_later(context), "708")?;
    context.protocol()?;
    let included = detail(context.event).into_iter().flat_map(|d| d.elements());
    for document in included.filter(|e| e.name == "infDoc") {
        let key = document.text_at("chNFe").unwrap_or_default();
        let last = key.get(43..).and_then(|d| d.parse().ok());
        let right = key.get(20..22) == Some("55") && key.get(..43).and_then(digit) == last;
        require(right, "709")?;
        let cited = format!("<chNFe>{key}</chNFe>");
        let mut before = context.known.iter().filter(|e| e.tipo == "110115");
        require(!before.any(|event| event.xml.contains(&cited)), "711")?;
    }
    Ok(())
}
