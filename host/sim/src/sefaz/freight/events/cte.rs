//! Events of a CT-e: cancelling, correction letter, EPEC.
//!
//! Source: MOC CT-e 4.00, 6.1, 6.2, 6.4 and 13.1.

use super::{Context, detail};
use crate::clock::{self, HOUR_MS, parse_date_time};
use crate::notes::Status;
use crate::sefaz::answer::Place;
use crate::sefaz::chave::Chave;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::event::Asked;
use crate::sefaz::freight::epec::of_number;
use crate::sefaz::freight::require::{CLOCK_TOLERANCE_MS, holder, of_event, require};
use crate::sefaz::memory::Call;
use crate::sefaz::rules::ie_ok;
use crate::sefaz::search;
use crate::sefaz::services::Coverage;

/// Hours after the authorization in which a CT-e may be cancelled (O06).
const CANCEL_HOURS: i64 = 168;
/// Days an EPEC may wait for its CT-e (O07).
const EPEC_MS: i64 = 168 * HOUR_MS;

/// Group and field that a letter may not correct (13.1, mandatory ones).
#[rustfmt::skip]
const UNCHANGEABLE: [(&str, &[&str]); 15] = [
    ("infcte", &["versao", "id"]),
    ("ide", &["cuf", "cct", "mod", "serie", "nct", "tpemis", "cdv", "tpamb", "dhemi", "modal"]),
    ("toma3", &["toma"]),
    ("emit", &["cnpj", "ie"]),
    ("vprest", &["vtprest"]),
    ("comp", &["vcomp"]),
    ("vprescomp", &["vtprest"]),
    ("compcomp", &["vcomp"]),
    ("infnfe", &["chave"]),
    ("icms00", &["cst", "vbc", "picms", "vicms"]),
    ("icms20", &["cst", "predbc", "vbc", "picms", "vicms"]),
    ("icms45", &["cst"]),
    ("icms60", &["cst", "vbcstret", "vicmsstret", "picmsstret", "vcred"]),
    ("icms90", &["cst", "predbc", "vbc", "picms", "vicms", "vcred"]),
    ("icmsoutrauf", &["cst", "predbcoutrauf", "vbcoutrauf", "picmsoutrauf", "vicmsoutrauf"]),
];

/// Evento 110111.
pub(super) fn cancelling(context: &Context<'_>) -> Result<(), Refusal> {
    let (call, nota) = (context.call, context.nota);
    let key = context.event.chave();
    if nota.situacao != Status::Normal {
        let said = of_event(call, &key, "110111", "dhCanc");
        return Err(Refusal::with("218", said));
    }
    let hours = call.cancel_hours.unwrap_or(CANCEL_HOURS);
    require(context.age_ms() <= hours.saturating_mul(HOUR_MS), "220")?;
    context.protocol()?;
    let own = context.document();
    require(
        own.text_at("infCte/ide/tpCTe").as_deref() != Some("3"),
        "574",
    )?;
    let substituted = format!("<chCte>{key}</chCte>");
    require(!named(context, "57", &substituted), "576")?;
    let complemented = format!("<infCteComp><chCTe>{key}</chCTe>");
    require(!named(context, "57", &complemented), "660")?;
    require(!context.has_event("110110"), "523")?;
    let carried = format!("<chCTe>{key}</chCTe>");
    require(!named(context, "58", &carried), "528")
}

/// Whether a document of a model that was not cancelled names the CT-e like this.
fn named(context: &Context<'_>, model: &str, text: &str) -> bool {
    let notes = &context.call.notes;
    let key = context.event.chave();
    let naming = notes.marked(&search::naming(context.place.local(), model, &key));
    naming
        .into_iter()
        .filter_map(|seq| notes.note_at(seq))
        .any(|nota| nota.situacao == Status::Normal && nota.xml.contains(text))
}

/// Evento 110110.
pub(super) fn correction(context: &Context<'_>) -> Result<(), Refusal> {
    if context.nota.situacao != Status::Normal {
        let key = context.event.chave();
        let said = of_event(context.call, &key, "110111", "dhCanc");
        return Err(Refusal::with("218", said));
    }
    let corrections = detail(context.event).into_iter().flat_map(|d| d.elements());
    for one in corrections.filter(|e| e.name == "infCorrecao") {
        let t = |name: &str| one.text_at(name).unwrap_or_default().to_lowercase();
        let (group, field) = (t("grupoAlterado"), t("campoAlterado"));
        let fixed = UNCHANGEABLE
            .iter()
            .any(|(g, fields)| *g == group && fields.contains(&field.as_str()));
        require(!fixed, "681")?;
        let item = one.text_at("nroItemAlterado");
        let right = item.is_none_or(|n| n.parse().is_ok_and(|n: u8| (1..=99).contains(&n)));
        require(right, "522")?;
    }
    Ok(())
}

/// Evento 110113: only at the contingency authority, and before its CT-e.
pub(super) fn epec(
    call: &Call<'_>,
    place: Place,
    event: &Asked,
    parts: &Chave<'_>,
    served: Coverage,
) -> Result<(), Refusal> {
    require(served == Coverage::Contingency, "653")?;
    require(parts.tp_emis == "4", "680")?;
    let t = |path: &str| {
        let found = detail(event).and_then(|detail| detail.text_at(path));
        found.unwrap_or_default()
    };
    let now = clock::date_time_in(call.now_ms, parts.uf());
    let month = format!("20{}-{}", parts.year, parts.month);
    require(now.get(..7).is_some_and(|now| month.as_str() >= now), "695")?;
    require(holder(call, place.local(), parts).is_none(), "638")?;
    if let Some(other) = of_number(call, place.local(), parts) {
        let cited = format!(" [chCTe: {}]", other.chave);
        return Err(Refusal::with("638", cited));
    }
    let announced = search::announced_by(place.local(), parts.document());
    let waiting = call
        .notes
        .marked(&announced)
        .into_iter()
        .filter_map(|seq| call.notes.event_at(seq))
        .take_while(|old| call.now_ms.saturating_sub(old.registrado_ms) > EPEC_MS)
        .any(|old| call.notes.note_by_key(&old.chave).is_none());
    require(!waiting, "639")?;
    let issued = parse_date_time(&t("dhEmi")).unwrap_or(i64::MAX);
    require(
        issued <= call.now_ms.saturating_add(CLOCK_TOLERANCE_MS),
        "212",
    )?;
    let (ie, uf) = (t("toma4/IE"), t("toma4/UF"));
    let plain = ie.is_empty() || ie == "ISENTO" || uf == "EX";
    require(plain || ie_ok(&uf, &ie), "448")
}
