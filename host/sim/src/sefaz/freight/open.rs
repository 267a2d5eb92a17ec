//! MDFeConsNaoEnc: manifests of an emitter that nobody closed.

use super::require::require;
use crate::documents::{cnpj_ok, cpf_ok, same_holder};
use crate::notes::Nota;
use crate::request::Answer;
use crate::sefaz::Incoming;
use crate::sefaz::answer::{VERSION, returned};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::document;
use crate::sefaz::memory::Call;
use crate::sefaz::query::visible;
use crate::sefaz::search;

/// Most manifests of one answer.
const MAX_ITEMS: usize = 500;

pub(super) fn query(call: &Call<'_>, incoming: &Incoming<'_>) -> Answer {
    match list(call, incoming) {
        Ok(document) => incoming.answer(call, &document),
        Err(refusal) => incoming.refuse(call, &refusal),
    }
}

fn list(call: &Call<'_>, incoming: &Incoming<'_>) -> Result<String, Refusal> {
    let place = incoming.place;
    require(incoming.t("tpAmb") == place.tp_amb(), "252")?;
    let emitter = document(Some(incoming.root()));
    if incoming.root().child("CPF").is_some() {
        require(cpf_ok(&emitter), "210")?;
    } else {
        require(cnpj_ok(&emitter), "207")?;
    }
    require(same_holder(&incoming.caller.document, &emitter), "213")?;
    let items: String = of_emitter(call, place.local(), &emitter)
        .iter()
        .take(MAX_ITEMS)
        .filter_map(|nota| {
            let (key, protocol) = (nota.chave.as_deref()?, nota.dados.get("nProt")?);
            Some(format!(
                "<infMDFe><chMDFe>{key}</chMDFe><nProt>{protocol}</nProt></infMDFe>"
            ))
        })
        .collect();
    let code = if items.is_empty() { "112" } else { "111" };
    let inside = format!(
        "<tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat><xMotivo>{}</xMotivo><cUF>{}</cUF>{items}",
        place.tp_amb(),
        place.text(code),
        place.cuf(),
    );
    Ok(returned(place, &inside))
}

/// The open manifests of an emitter (same CPF, or same company), oldest first.
pub(super) fn of_emitter(call: &Call<'_>, local: &str, emitter: &str) -> Vec<Nota> {
    let open = call.notes.marked(&search::open_of(local, emitter));
    open.into_iter()
        .filter_map(|seq| call.notes.note_at(seq))
        .filter(|nota| visible(call, nota, local) && same_holder(&nota.prestador, emitter))
        .collect()
}
