//! What the rules of CT-e and MDF-e share: who is served, who is named, and
//! which document holds a number.

use crate::documents::{cnpj_ok, code_of, cpf_ok, municipality_ok};
use crate::notes::{Nota, Status, note_id};
use crate::sefaz::SYSTEM;
use crate::sefaz::answer::{Place, local_time};
use crate::sefaz::chave::{Chave, natural};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::Dfe;
use crate::sefaz::memory::Call;
use crate::sefaz::rules::ie_ok;
use crate::sefaz::services::Coverage;
use crate::xml::Element;

/// Address of a foreign place.
const ABROAD: &str = "EX";
/// The clocks of company and authority may differ by this much.
pub(super) const CLOCK_TOLERANCE_MS: i64 = 5 * 60_000;

/// Refuses when a condition does not hold.
pub(super) fn require(holds: bool, code: &str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(code.into()) }
}

/// Whether the address serves a state (MOC CT-e 4.00, C07 and C08).
pub(super) fn served(place: Place, model: &str, uf: &str) -> Result<Coverage, Refusal> {
    match place.service.serves(model, uf) {
        Coverage::Elsewhere => Err("410".into()),
        Coverage::OtherContingency => Err("513".into()),
        served => Ok(served),
    }
}

/// Codes of a party: CNPJ, CPF, municipality not of the state, municipality
/// unknown, IE.
pub(super) struct PartyCodes(
    pub &'static str,
    pub &'static str,
    pub &'static str,
    pub &'static str,
    pub &'static str,
);

/// A party with its address (`enderReme` and so on).
pub(super) fn party(party: &Element, address: &str, codes: &PartyCodes) -> Result<(), Refusal> {
    if let Some(cnpj) = party.text_at("CNPJ").filter(|t| !t.is_empty()) {
        // A company abroad is written with zeros.
        let abroad = cnpj.bytes().all(|b| b == b'0');
        require(abroad || cnpj_ok(&cnpj), codes.0)?;
    }
    if let Some(cpf) = party.text_at("CPF") {
        require(cpf_ok(&cpf), codes.1)?;
    }
    let t = |name: &str| {
        party
            .text_at(&format!("{address}/{name}"))
            .unwrap_or_default()
    };
    let (mun, uf) = (t("cMun"), t("UF"));
    if uf != ABROAD {
        require(mun.get(..2) == code_of(&uf), codes.2)?;
        require(municipality_ok(&mun), codes.3)?;
    }
    match party.text_at("IE") {
        Some(ie) if !ie.is_empty() && ie != "ISENTO" && uf != ABROAD => {
            require(ie_ok(&uf, &ie), codes.4)
        }
        _ => Ok(()),
    }
}

/// Who pays for a CT-e: the role, and the party that has it.
pub(super) fn payer(cte: &Dfe) -> (String, Option<&Element>) {
    if let Some(other) = cte.inf().at("ide/toma4") {
        return ("4".to_owned(), Some(other));
    }
    let role = cte.t("ide/toma3/toma");
    let party = match role.as_str() {
        "0" => "rem",
        "1" => "exped",
        "2" => "receb",
        _ => "dest",
    };
    (role, cte.inf().child(party))
}

/// A municipality of the service: of its state, and known.
pub(super) fn place_of_service(
    dfe: &Dfe,
    mun: &str,
    uf: &str,
    codes: (&str, &str),
) -> Result<(), Refusal> {
    let (mun, uf) = (dfe.t(mun), dfe.t(uf));
    if uf == ABROAD {
        return Ok(());
    }
    require(mun.get(..2) == code_of(&uf), codes.0)?;
    require(municipality_ok(&mun), codes.1)
}

/// The document that holds the number of a key, from the moment on that it
/// can be seen or not.
pub(super) fn holder(call: &Call<'_>, local: &str, parts: &Chave<'_>) -> Option<Nota> {
    let id = note_id(SYSTEM, local, parts.document(), &natural(parts));
    call.notes.note(&id)
}

/// ` [nProt:…][dhAut:…]` of a document.
pub(super) fn authorization(nota: &Nota) -> String {
    let cuf = nota.chave.as_deref().and_then(|key| key.get(..2));
    let protocol = nota.dados.get("nProt").map_or("", String::as_str);
    let moment = local_time(nota.emitida_ms, cuf.unwrap_or_default());
    format!("[nProt:{protocol}][dhAut:{moment}]")
}

/// ` [nProt:…][dhCanc:…]` of the event of this kind.
pub(super) fn of_event(call: &Call<'_>, key: &str, kind: &str, moment: &str) -> String {
    let mut known = call.notes.events_of(key).into_iter();
    let found = known.find(|event| event.tipo == kind);
    found.map_or_else(String::new, |event| {
        let protocol = event.dados.get("nProt").map_or("", String::as_str);
        let at = local_time(event.registrado_ms, key.get(..2).unwrap_or_default());
        format!(" [nProt:{protocol}][{moment}:{at}]")
    })
}

/// The data base: a number is used once (539, 204, 218, 609).
pub(super) fn unused(
    call: &Call<'_>,
    place: Place,
    dfe: &Dfe,
    parts: &Chave<'_>,
) -> Result<(), Refusal> {
    let key = dfe.chave();
    let Some(there) = holder(call, place.local(), parts) else {
        return Ok(());
    };
    let other = there.chave.clone().unwrap_or_default();
    let authorized = authorization(&there);
    if other != key {
        let name = dfe.family.chave();
        return Err(Refusal::with(
            "539",
            format!(" [{name}:{other}]{authorized}"),
        ));
    }
    if there.situacao != Status::Normal {
        return Err(Refusal::with(
            "218",
            of_event(call, &key, "110111", "dhCanc"),
        ));
    }
    if there.dados.contains_key("110112") {
        return Err(Refusal::with(
            "609",
            of_event(call, &key, "110112", "dhEnc"),
        ));
    }
    Err(Refusal::with("204", format!(" {authorized}")))
}
