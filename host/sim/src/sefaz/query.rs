//! NFeConsultaProtocolo4 and NFeStatusServico4; the status of CT-e and MDF-e.

use super::cstat::Refusal;
use super::family::NFE;
use super::{Incoming, NS, SYSTEM, chave};
use crate::clock;
use crate::documents::abbreviation_of;
use crate::notes::{Nota, Status};
use crate::request::Answer;
use crate::sefaz::answer::{VERSION, events, local_time};
use crate::sefaz::memory::Call;
use crate::sefaz::services::Coverage;

/// Situation of a note by its key, with its events.
pub(super) fn protocol(call: &Call<'_>, incoming: &Incoming<'_>) -> Answer {
    match situation(call, incoming) {
        Ok(document) => incoming.answer(call, &document),
        Err(refusal) => incoming.refuse(call, &refusal),
    }
}

fn situation(call: &Call<'_>, incoming: &Incoming<'_>) -> Result<String, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let place = incoming.place;
    if incoming.t("tpAmb") != place.tp_amb() {
        return refuse("252");
    }
    let key = incoming.t("chNFe");
    let parts = chave::check(&key, &NFE, clock::year(call.now_ms))?;
    if matches!(
        place.service.serves(parts.model, parts.uf()),
        Coverage::Elsewhere | Coverage::OtherContingency
    ) {
        return refuse("226");
    }
    // Emission more than six months ago (rule J03, 526 at some authorizers).
    let found = call
        .notes
        .note_by_key(&key)
        .filter(|n| visible(call, n, place.local()));
    let Some(nota) = found else {
        return other(call, &parts, place.local(), &key);
    };
    let events = events(call, &key);
    let code = match (nota.situacao, cancelled_late(&events)) {
        (Status::Normal, _) => nota.dados.get("cStat").map_or("100", String::as_str),
        (_, true) => "151",
        (_, false) => "101",
    };
    let procs: String = events
        .iter()
        .filter(|e| e.dados.get("orgao").is_none_or(|o| o != "91"))
        .map(|e| e.xml.as_str())
        .collect();
    let prot = nota.dados.get("prot").map_or("", String::as_str);
    Ok(format!(
        "<retConsSitNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
         <xMotivo>{}</xMotivo><cUF>{}</cUF><dhRecbto>{}</dhRecbto><chNFe>{key}</chNFe>{prot}{procs}</retConsSitNFe>",
        place.tp_amb(),
        place.text(code),
        parts.cuf,
        local_time(call.now_ms, parts.cuf),
    ))
}

/// Nothing under this key: another key may hold the number (562, 613), which
/// is told with the key that is there.
fn other(
    call: &Call<'_>,
    parts: &chave::Chave<'_>,
    local: &str,
    key: &str,
) -> Result<String, Refusal> {
    let natural = chave::natural(parts);
    let id = crate::notes::note_id(SYSTEM, local, parts.document(), &natural);
    let same_number = call.notes.note(&id).filter(|n| visible(call, n, local));
    let Some(nota) = same_number else {
        return Err("217".into());
    };
    let there = nota.chave.clone().unwrap_or_default();
    let code = match chave::split(&there) {
        Some(t) if t.year != parts.year || t.month != parts.month => "561",
        Some(t) if t.cnf != parts.cnf && there.get(..35) == key.get(..35) => "562",
        _ => "613",
    };
    Err(Refusal::with(code, format!(" [chNFe:{there}]")))
}

pub(super) fn visible(call: &Call<'_>, nota: &Nota, local: &str) -> bool {
    nota.sistema == SYSTEM && nota.local == local && nota.disponivel_ms <= call.now_ms
}

fn cancelled_late(events: &[crate::notes::Event]) -> bool {
    events.iter().any(|e| {
        matches!(e.tipo.as_str(), "110111" | "110112")
            && e.dados.get("cStat").is_some_and(|c| c == "155")
    })
}

/// The status of the service, in any family.
pub(super) fn status(call: &Call<'_>, incoming: &Incoming<'_>) -> Answer {
    let place = incoming.place;
    if incoming.t("tpAmb") != place.tp_amb() {
        return incoming.refuse(call, &"252".into());
    }
    let family = place.family();
    // MDF-e names no state: SVRS answers for all.
    let cuf = if incoming.root().child("cUF").is_none() {
        place.cuf().to_owned()
    } else {
        incoming.t("cUF")
    };
    let served = abbreviation_of(&cuf).is_some_and(|uf| {
        place.service.models.iter().any(|m| {
            matches!(
                place.service.serves(m, uf),
                Coverage::Normal | Coverage::Contingency
            )
        })
    });
    if !served {
        let code = if family.is_nfe() { "289" } else { "410" };
        return incoming.refuse(call, &code.into());
    }
    let (root, ns, version) = (place.service.names.3, family.ns, family.version);
    let document = format!(
        "<{root} xmlns=\"{ns}\" versao=\"{version}\"><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cStat>107</cStat>\
         <xMotivo>{}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{}</dhRecbto><tMed>1</tMed></{root}>",
        place.tp_amb(),
        place.text("107"),
        local_time(call.now_ms, &cuf),
    );
    incoming.answer(call, &document)
}
