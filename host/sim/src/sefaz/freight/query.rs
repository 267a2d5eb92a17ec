//! CTeConsultaV4 and MDFeConsulta.

use super::key;
use super::require::{authorization, holder, served};
use crate::notes::{Event, Status};
use crate::request::Answer;
use crate::sefaz::Incoming;
use crate::sefaz::answer::{VERSION, events, returned};
use crate::sefaz::chave::{Chave, split};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::memory::Call;
use crate::sefaz::query::visible;

/// Situation of a document by its key, with its events.
pub(super) fn protocol(call: &Call<'_>, incoming: &Incoming<'_>) -> Answer {
    match situation(call, incoming) {
        Ok(document) => incoming.answer(call, &document),
        Err(refusal) => incoming.refuse(call, &refusal),
    }
}

fn situation(call: &Call<'_>, incoming: &Incoming<'_>) -> Result<String, Refusal> {
    let (place, family) = (incoming.place, incoming.place.family());
    if incoming.t("tpAmb") != place.tp_amb() {
        return Err("252".into());
    }
    let key = incoming.t(&family.chave());
    let parts = key::named(call, family, &key)?;
    served(place, parts.model, parts.uf())?;
    let found = call
        .notes
        .note_by_key(&key)
        .filter(|n| visible(call, n, place.local()));
    let known = events(call, &key);
    let joined = |of: &[Event]| of.iter().map(|e| e.xml.as_str()).collect::<String>();
    let answer = |refusal: &Refusal, inside: &str| {
        let inside = format!(
            "<tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{}</cStat><xMotivo>{}</xMotivo><cUF>{}</cUF>{inside}",
            place.tp_amb(),
            refusal.code,
            place.reason(refusal),
            parts.cuf,
        );
        returned(place, &inside)
    };
    let Some(nota) = found else {
        let refusal = absent(call, incoming, &parts, &key);
        // EPEC comes before its CT-e (MOC CT-e 4.00, L04).
        let local = place.local();
        let early: Vec<Event> = known
            .into_iter()
            .filter(|e| e.tipo == "110113" && e.dados.get("local").is_some_and(|l| l == local))
            .collect();
        return Ok(answer(&refusal, &joined(&early)));
    };
    let code = match nota.situacao {
        Status::Normal if nota.dados.contains_key("110112") => "132",
        Status::Normal => "100",
        _ => "101",
    };
    let prot = nota.dados.get("prot").map_or("", String::as_str);
    let inside = format!("{prot}{}", joined(&known));
    Ok(answer(&code.into(), &inside))
}

/// Nothing under this key: another key may hold the number (216, 600), which
/// is told to the emitter with the key that is there.
fn absent(call: &Call<'_>, incoming: &Incoming<'_>, parts: &Chave<'_>, key: &str) -> Refusal {
    let place = incoming.place;
    let same_number =
        holder(call, place.local(), parts).filter(|n| visible(call, n, place.local()));
    let there = same_number.and_then(|n| n.chave.clone().map(|key| (n, key)));
    let Some((nota, other)) = there.filter(|(_, other)| other != key) else {
        return "217".into();
    };
    let code = match split(&other) {
        Some(t) if t.cnf != parts.cnf => "216",
        _ => "600",
    };
    let name = place.family().chave();
    Refusal::with(code, format!(" [{name}:{other}]{}", authorization(&nota)))
}
