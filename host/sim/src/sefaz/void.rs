//! NFeInutilizacao4.
//!
//! Source: MOC 7.0, table 5-12.

use std::ops::ControlFlow;

use super::cstat::Refusal;
use super::{Incoming, NS, SYSTEM};
use crate::clock;
use crate::documents::{abbreviation_of, cnpj_ok};
use crate::engine::Outcome;
use crate::request::Answer;
use crate::sefaz::answer::{VERSION, local_time, protocol};
use crate::sefaz::author::{same_company, signer};
use crate::sefaz::document::document;
use crate::sefaz::memory::{Call, Record as Novo, Voiding, voided};
use crate::sefaz::services::Coverage;

/// Most numbers of a range (I04).
const MAX_NUMBERS: u64 = 10_000;
/// Kinds of emission under which an NFC-e's number may have been used.
const NFCE_EMISSIONS: [&str; 3] = ["1", "4", "9"];

pub(super) fn range(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Outcome {
    let range = match check(call, incoming) {
        Ok(range) => range,
        Err((refusal, protocol)) => {
            let document = ret(call, incoming, &refusal, protocol.as_deref());
            return incoming.answer(call, &document).into();
        }
    };
    match record(call, incoming, range) {
        Ok(outcome) => outcome,
        Err(answer) => answer.into(),
    }
}

fn record(
    call: &mut Call<'_>,
    incoming: &Incoming<'_>,
    mut range: Voiding,
) -> Result<Outcome, Answer> {
    let number = protocol(call, &incoming.t("infInut/cUF"));
    let done = ret(call, incoming, &"102".into(), Some(&number));
    let again = ret(call, incoming, &"563".into(), Some(&number));
    range.protocolo = number;
    range.xml = format!(
        "<ProcInutNFe xmlns=\"{NS}\" versao=\"4.00\">{}{done}</ProcInutNFe>",
        incoming.message.text
    );
    call.keep(Novo::Inutilizada(range))?;
    Ok(Outcome {
        answer: incoming.answer(call, &done),
        if_duplicate: Some(incoming.answer(call, &again)),
        tells_queue: false,
    })
}

/// The range, or the refusal with the protocol of the range that is there.
fn check(call: &Call<'_>, incoming: &Incoming<'_>) -> Result<Voiding, (Refusal, Option<String>)> {
    let range = form(call, incoming).map_err(|r| (r, None))?;
    let series = (
        range.local.as_str(),
        range.cnpj.as_str(),
        range.modelo.as_str(),
        range.serie,
    );
    let numbers = range.inicial..=range.final_;
    if let Some(there) = voided(call.store(), series, &range.ano, numbers) {
        let same = there.inicial == range.inicial && there.final_ == range.final_;
        return Err(if same {
            ("563".into(), Some(there.protocolo))
        } else {
            ("256".into(), None)
        });
    }
    if used(call, &range) {
        return Err(("241".into(), None));
    }
    Ok(range)
}

/// Whether a note of the year has one of the numbers.
fn used(call: &Call<'_>, range: &Voiding) -> bool {
    let issuer = (SYSTEM, range.local.as_str(), range.cnpj.as_str());
    let numbers = range.inicial..=range.final_;
    let series = format!("{}/{}/", range.modelo, range.serie);
    let mut found = false;
    call.notes.numbered(issuer, numbers, i64::MAX, |one| {
        let of_year = one.chave.as_deref().and_then(|c| c.get(2..4)) == Some(range.ano.as_str());
        // An NFC-e has its form of emission behind the number.
        let rest = one.natural.strip_prefix(&series);
        let in_series = rest.is_some_and(|rest| {
            let emission = rest.split_once('/').map(|(_number, emission)| emission);
            emission.is_none_or(|emission| NFCE_EMISSIONS.contains(&emission))
        });
        found = of_year && in_series;
        if found {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    found
}

fn form(call: &Call<'_>, incoming: &Incoming<'_>) -> Result<Voiding, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let Some(inf) = incoming.root().child("infInut") else {
        return refuse("215");
    };
    let t = |name: &str| inf.text_at(name).unwrap_or_default();
    let cnpj = document(Some(inf));
    same_company(&incoming.caller, &cnpj)?;
    let holder = signer(call, incoming.root(), inf)?;
    same_company(&holder, &cnpj)?;
    let place = incoming.place;
    if t("tpAmb") != place.tp_amb() {
        return refuse("252");
    }
    let model = t("mod");
    let served = abbreviation_of(&t("cUF"))
        .is_some_and(|uf| place.service.serves(&model, uf) == Coverage::Normal);
    if !served || !place.service.models.contains(&model.as_str()) {
        return refuse("250");
    }
    if !cnpj_ok(&cnpj) {
        return refuse("207");
    }
    let serie: u16 = t("serie").parse().map_err(|_| Refusal::from("215"))?;
    if (910..=969).contains(&serie) {
        return refuse("266");
    }
    let year: i32 = t("ano").parse().map_err(|_| Refusal::from("215"))?;
    if year + 2000 > clock::year(call.now_ms) {
        return refuse("453");
    }
    if year < 6 {
        return refuse("454");
    }
    let number = |name: &str| t(name).parse::<u64>().map_err(|_| Refusal::from("215"));
    let (first, final_) = (number("nNFIni")?, number("nNFFin")?);
    if first > final_ {
        return refuse("224");
    }
    if final_ - first + 1 > MAX_NUMBERS {
        return refuse("201");
    }
    let id = format!(
        "ID{}{}{cnpj:0>14}{model}{serie:03}{first:09}{final_:09}",
        t("cUF"),
        t("ano")
    );
    if inf.attr("Id") != Some(id.as_str()) {
        return refuse("502");
    }
    Ok(Voiding {
        local: place.local().to_owned(),
        cnpj,
        ano: t("ano"),
        modelo: model,
        serie,
        inicial: first,
        final_,
        protocolo: String::new(),
        registrada_ms: call.now_ms,
        xml: String::new(),
    })
}

/// `retInutNFe`. What the request says wrongly is not repeated.
fn ret(
    call: &Call<'_>,
    incoming: &Incoming<'_>,
    refusal: &Refusal,
    protocol: Option<&str>,
) -> String {
    let place = incoming.place;
    let inf = incoming.root().child("infInut");
    let t = |name: &str| inf.and_then(|i| i.text_at(name)).unwrap_or_default();
    let said = t("cUF");
    let cuf = if abbreviation_of(&said).is_some() {
        said.as_str()
    } else {
        place.cuf()
    };
    let digits = |text: &str, max: usize| {
        (1..=max).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    };
    let part = |name: &str, ok: bool| {
        if ok {
            format!("<{name}>{}</{name}>", t(name))
        } else {
            String::new()
        }
    };
    let known = cnpj_ok(&t("CNPJ"));
    let id = protocol
        .map(|p| format!(" Id=\"ID{p}\""))
        .unwrap_or_default();
    format!(
        "<retInutNFe xmlns=\"{NS}\" versao=\"4.00\"><infInut{id}><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{}</cStat>\
         <xMotivo>{}</xMotivo><cUF>{cuf}</cUF>{}{}{}{}{}{}<dhRecbto>{}</dhRecbto>{}</infInut></retInutNFe>",
        place.tp_amb(),
        refusal.code,
        place.reason(refusal),
        part("ano", t("ano").len() == 2 && digits(&t("ano"), 2)),
        part("CNPJ", known),
        part("mod", matches!(t("mod").as_str(), "55" | "65")),
        part("serie", digits(&t("serie"), 3)),
        part("nNFIni", digits(&t("nNFIni"), 9)),
        part("nNFFin", digits(&t("nNFFin"), 9)),
        local_time(call.now_ms, cuf),
        protocol
            .map(|p| format!("<nProt>{p}</nProt>"))
            .unwrap_or_default(),
    )
}
