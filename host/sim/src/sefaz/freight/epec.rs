//! EPEC of a CT-e: announced at the contingency authority, issued later at the
//! ordinary one (MOC CT-e 4.00, 6.1; annex I, G184 to G192).

use super::require::{payer, require};
use crate::notes::Event;
use crate::sefaz::answer::Place;
use crate::sefaz::chave::Chave;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::{Dfe, document, number, only};
use crate::sefaz::memory::Call;
use crate::sefaz::search;
use crate::xml::{Element, parse};

/// The EPEC of a number, whatever its key is.
pub(super) fn of_number(call: &Call<'_>, local: &str, parts: &Chave<'_>) -> Option<Event> {
    let found = call.notes.marked(&search::announced(local, parts));
    found.first().and_then(|seq| call.notes.event_at(*seq))
}

/// A CT-e against the EPEC of its number.
pub(super) fn conciliation(
    call: &Call<'_>,
    place: Place,
    cte: &Dfe,
    parts: &Chave<'_>,
) -> Result<(), Refusal> {
    let key = cte.chave();
    let found = of_number(call, place.local(), parts);
    if cte.t("ide/tpEmis") != "4" {
        return match found {
            Some(event) => Err(Refusal::with("640", format!(" [chCTe: {}]", event.chave))),
            None => Ok(()),
        };
    }
    require(cte.t("ide/tpCTe") == "0", "720")?;
    let Some(event) = found.filter(|event| event.chave == key) else {
        return Err("641".into());
    };
    let Some(root) = parse(&event.xml).ok() else {
        return Err("641".into());
    };
    let Some(said) = root.at("eventoCTe/infEvento/detEvento/evEPECCTe") else {
        return Err("641".into());
    };
    let icms = only(cte.inf(), "imp/ICMS").map_or_else(Default::default, |icms| {
        number(&icms, "vICMS") + number(&icms, "vICMSOutraUF")
    });
    let same_values = number(said, "vICMS") == icms
        && number(said, "vTPrest") == cte.n("vPrest/vTPrest")
        && number(said, "vCarga") == cte.n("infCTeNorm/infCarga/vCarga");
    require(same_values, "642")?;
    let (role, party) = payer(cte);
    let t = |path: &str| said.text_at(path).unwrap_or_default();
    let same_payer = t("toma4/toma") == role
        && document(said.child("toma4")) == document(party)
        && t("toma4/IE") == party.and_then(ie).unwrap_or_default();
    require(same_payer, "643")?;
    require(t("modal") == cte.t("ide/modal"), "644")?;
    let same_way = t("UFIni") == cte.t("ide/UFIni") && t("UFFim") == cte.t("ide/UFFim");
    require(same_way, "645")?;
    require(t("dhEmi") == cte.t("ide/dhEmi"), "756")
}

fn ie(party: &Element) -> Option<String> {
    party.text_at("IE")
}
