//! Rules of the registration of events.
//!
//! Source: MOC 7.0, tables 5-35 to 5-42; NT 2018.004 (cancelling by
//! substitution); periods of the states second-hand (2026-11).

use super::super::SYSTEM;
use super::super::chave::{self, Chave};
use super::super::cstat::Refusal;
use super::{Accepted, Asked};
use crate::clock::{self, DAY_MS, HOUR_MS, parse_date_time};
use crate::documents::{cnpj_ok, cpf_ok, same_holder};
use crate::notes::{Event, Nota, Status};
use crate::sefaz::answer::{Place, events};
use crate::sefaz::document::Dfe;
use crate::sefaz::event::types::{self, Author, Kind, Where};
use crate::sefaz::family::NFE;
use crate::sefaz::memory::Call;
use crate::sefaz::rules::ie_ok;
use crate::sefaz::services::Coverage;
use crate::xml::parse;

/// The clocks of company and authority may differ by this much.
const CLOCK_TOLERANCE_MS: i64 = 5 * 60_000;
/// CC-e after authorization.
const CCE_MS: i64 = 720 * HOUR_MS;
/// Cancelling by substitution.
const REPLACEMENT_MS: i64 = 168 * HOUR_MS;

pub(super) fn check(call: &Call<'_>, place: Place, event: &Asked) -> Result<Accepted, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let (code, key) = (event.t("tpEvento"), event.chave());
    if event.inf().attr("Id") != Some(event.id().as_str()) {
        return refuse("572");
    }
    let Some(kind) = types::find(&code) else {
        return refuse("491");
    };
    if event.t("verEvento") != "1.00" {
        return refuse("492");
    }
    crate::sefaz::structure::event(&code, &event.text)?;
    let parts = form(call, place, event, kind, &key)?;
    let local = place.local();
    let nota = call
        .notes
        .note_by_key(&key)
        .filter(|n| n.sistema == SYSTEM && n.local == local);
    let known = events(call, &key);
    let repeated = known
        .iter()
        .any(|e| e.tipo == code && e.sequencia == event.sequence());
    if repeated {
        return refuse("573");
    }
    if !(1..=kind.maximum).contains(&event.sequence()) {
        return refuse("594");
    }
    let Some(nota) = nota else {
        return Err(Refusal::with("494", format!(" [chNFe:{key}]")));
    };
    if nota.disponivel_ms > call.now_ms {
        // The national environment does not have it yet.
        if kind.at_where == Where::National {
            return Ok(Accepted {
                code: "136",
                nota: None,
                name: kind.name,
            });
        }
        return Err(Refusal::with("494", format!(" [chNFe:{key}]")));
    }
    author(kind, event, &nota)?;
    let code = match kind.code {
        "110111" | "110112" => cancelling(call, event, &nota, &known, &parts)?,
        "110110" => correction(call, event, &nota, &known, &parts)?,
        c if c.starts_with("2102") => manifestation(call, kind, &nota, &known)?,
        _ => other(event, kind, &nota, &known)?,
    };
    dates(event, kind, &nota)?;
    Ok(Accepted {
        code,
        nota: Some(nota),
        name: kind.name,
    })
}

/// Checks of an event that need no data of the authority.
fn form<'a>(
    call: &Call<'_>,
    place: Place,
    event: &Asked,
    kind: &Kind,
    key: &'a str,
) -> Result<Chave<'a>, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let national = place.service.is("AN");
    let organ = event.t("cOrgao");
    let right_organ = match kind.at_where {
        Where::National => national && organ == "91",
        Where::Uf => !national && key.get(..2) == Some(organ.as_str()),
        Where::Both => {
            key.get(..2) == Some(organ.as_str()) || matches!(organ.as_str(), "91" | "92")
        }
    };
    // SVRS registers some events for all states, in its own name.
    let for_all = kind.at_where == Where::Both && organ == "92" && place.service.is("SVRS");
    if !right_organ {
        return refuse("250");
    }
    if event.t("tpAmb") != place.tp_amb() {
        return refuse("252");
    }
    let author = event.author();
    if event.inf().child("CNPJ").is_some() {
        if !cnpj_ok(&author) {
            return refuse("489");
        }
    } else if !cpf_ok(&author) {
        return refuse("490");
    }
    let parts = chave::check(key, &NFE, clock::year(call.now_ms))?;
    let served = place.service.serves(parts.model, parts.uf());
    if !for_all && !matches!(served, Coverage::Normal | Coverage::Contingency) {
        return refuse("249");
    }
    if parts.model == "65" && !matches!(kind.code, "110111" | "110112" | "110750" | "110751") {
        return refuse(if kind.code == "110110" { "784" } else { "450" });
    }
    if kind.author == Author::Emitter && author != parts.document() {
        return refuse("574");
    }
    if kind.author == Author::TaxOffice {
        return refuse("576");
    }
    match parse_date_time(&event.t("dhEvento")) {
        Some(at) if at <= call.now_ms.saturating_add(CLOCK_TOLERANCE_MS) => {}
        _ => return refuse("578"),
    }
    let says_state = event.t("detEvento/cOrgaoAutor");
    if kind.code == "110112" && says_state != parts.cuf {
        return refuse("455");
    }
    let author_kind = event.t("detEvento/tpAutor");
    let wanted = match kind.code {
        c if c.starts_with("112") || c == "110112" => "1",
        "211120" => author_kind.as_str(),
        c if c.starts_with("211") => "2",
        _ => author_kind.as_str(),
    };
    if author_kind != wanted {
        return refuse("466");
    }
    Ok(parts)
}

fn author(kind: &Kind, event: &Asked, nota: &Nota) -> Result<(), Refusal> {
    let author = event.author();
    let is = |who: &str| same_holder(&author, who);
    let dest = nota.dados.get("dest").map_or("", String::as_str);
    match kind.author {
        Author::Recipient if !is(dest) => Err("575".into()),
        Author::Parties if !is(dest) && !is(&nota.prestador) => Err("575".into()),
        _ => Ok(()),
    }
}

fn dates(event: &Asked, kind: &Kind, nota: &Nota) -> Result<(), Refusal> {
    let at = parse_date_time(&event.t("dhEvento")).unwrap_or(0);
    let note = parse(&nota.xml).ok();
    let field = |path: &str| {
        note.as_ref()
            .and_then(|n| n.text_at(path))
            .unwrap_or_default()
    };
    let issued = parse_date_time(&field("infNFe/ide/dhEmi")).unwrap_or(0);
    if at < issued {
        return Err("577".into());
    }
    let normal = field("infNFe/ide/tpEmis") == "1" && kind.author == Author::Emitter;
    if normal && at < nota.emitida_ms.saturating_sub(CLOCK_TOLERANCE_MS) {
        return Err("579".into());
    }
    Ok(())
}

/// Periods of a state: in time, and taken late.
///
/// Second-hand: NF-e 24 h, in AL 168 h, SP late up to 480 h; NFC-e 30 min,
/// late at AM, MT, RJ, RO and SE (a day is assumed).
fn periods(model: &str, uf: &str) -> (i64, i64) {
    match (model, uf) {
        ("55", "AL") => (168 * HOUR_MS, 168 * HOUR_MS),
        ("55", "SP") => (24 * HOUR_MS, 480 * HOUR_MS),
        ("55", _) => (24 * HOUR_MS, 24 * HOUR_MS),
        (_, "AM" | "MT" | "RJ" | "RO" | "SE") => (HOUR_MS / 2, 24 * HOUR_MS),
        _ => (HOUR_MS / 2, HOUR_MS / 2),
    }
}

fn cancelling(
    call: &Call<'_>,
    event: &Asked,
    nota: &Nota,
    known: &[Event],
    parts: &Chave<'_>,
) -> Result<&'static str, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    if nota.situacao != Status::Normal {
        return refuse("420");
    }
    let substitution = event.t("tpEvento") == "110112";
    let age = call
        .now_ms
        .saturating_sub(nota.emitida_ms.max(nota.disponivel_ms));
    let (mut in_time, mut late) = periods(parts.model, parts.uf());
    if substitution {
        (in_time, late) = (REPLACEMENT_MS, REPLACEMENT_MS);
    }
    if let Some(hours) = call.cancel_hours {
        in_time = hours.saturating_mul(HOUR_MS);
        late = late.max(in_time);
    }
    if age > late {
        return refuse("501");
    }
    if nota.dados.get("nProt") != Some(&event.t("detEvento/nProt")) {
        return refuse("222");
    }
    let last = known.iter().rev().find(|e| types::conclusive(&e.tipo));
    if last.is_some_and(|e| e.tipo == "210200") {
        return refuse("221");
    }
    if substitution {
        replaced(call, event, nota, parts)?;
    }
    Ok(if age > in_time { "155" } else { "135" })
}

/// The note that takes the place of the cancelled one (P31, 5P31).
fn replaced(call: &Call<'_>, event: &Asked, nota: &Nota, parts: &Chave<'_>) -> Result<(), Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let key = event.t("detEvento/chNFeRef");
    let Ok(other) = chave::check(&key, &NFE, clock::year(call.now_ms)) else {
        return Err(Refusal::with("910", " (Dígito)"));
    };
    for (differs, what) in [
        (key == event.chave(), " (mesma Chave de Acesso)"),
        (other.cuf != parts.cuf, " (Código da UF)"),
        (other.emitter != parts.emitter, " (CNPJ/CPF)"),
        (other.model != parts.model, " (Modelo)"),
    ] {
        if differs {
            return Err(Refusal::with("911", what));
        }
    }
    if parts.tp_emis != "1" || other.tp_emis != "9" {
        return refuse("920");
    }
    let found = call
        .notes
        .note_by_key(&key)
        .filter(|n| n.sistema == SYSTEM && n.local == nota.local && n.disponivel_ms <= call.now_ms);
    let Some(found) = found else {
        return refuse("912");
    };
    if found.situacao != Status::Normal {
        return refuse("913");
    }
    let read = |n: &Nota| {
        let root = parse(&n.xml).ok()?;
        Some(Dfe::note(String::new(), root))
    };
    let (Some(old), Some(new)) = (read(nota), read(&found)) else {
        return refuse("912");
    };
    let issued = |n: &Dfe| parse_date_time(&n.t("ide/dhEmi")).unwrap_or(0);
    if issued(&new).saturating_sub(issued(&old)) > 2 * HOUR_MS {
        return refuse("914");
    }
    if old.n("total/ICMSTot/vNF") != new.n("total/ICMSTot/vNF") {
        return refuse("915");
    }
    if old.n("total/ICMSTot/vICMS") != new.n("total/ICMSTot/vICMS") {
        return refuse("916");
    }
    if !old.recipient().is_empty() && old.recipient() != new.recipient() {
        return refuse("917");
    }
    if old.items().count() != new.items().count() {
        return refuse("918");
    }
    let fields = [
        "cProd", "cEAN", "xProd", "NCM", "CFOP", "uCom", "qCom", "vUnCom", "vProd", "indTot",
    ];
    let same = old.items().zip(new.items()).all(|(a, b)| {
        fields.iter().all(|f| {
            let path = format!("prod/{f}");
            a.text_at(&path) == b.text_at(&path)
        })
    });
    if same { Ok(()) } else { refuse("919") }
}

fn correction(
    call: &Call<'_>,
    event: &Asked,
    nota: &Nota,
    known: &[Event],
    _parts: &Chave<'_>,
) -> Result<&'static str, Refusal> {
    if nota.situacao != Status::Normal {
        return Err("580".into());
    }
    if call.now_ms.saturating_sub(nota.emitida_ms) > CCE_MS {
        return Err(Refusal::with("596", ": 720 horas"));
    }
    // Each letter takes the place of the one before: the numbers grow.
    let last = known
        .iter()
        .filter(|e| e.tipo == "110110")
        .map(|e| e.sequencia)
        .max()
        .unwrap_or(0);
    if event.sequence() <= last {
        return Err("573".into());
    }
    Ok("135")
}

fn manifestation(
    call: &Call<'_>,
    kind: &Kind,
    nota: &Nota,
    known: &[Event],
) -> Result<&'static str, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let cancelled = nota.situacao != Status::Normal;
    let concluded: Vec<_> = known
        .iter()
        .filter(|e| types::conclusive(&e.tipo))
        .collect();
    let age = call.now_ms.saturating_sub(nota.emitida_ms);
    if kind.code == "210210" {
        if cancelled {
            return refuse("650");
        }
        if !concluded.is_empty() {
            return refuse("655");
        }
        if age > 10 * DAY_MS {
            return Err(Refusal::with("596", ": 10 dias"));
        }
        return Ok("135");
    }
    if cancelled && kind.code == "210220" {
        return refuse("651");
    }
    if age > 180 * DAY_MS {
        return Err(Refusal::with("596", ": 180 dias"));
    }
    // A conclusive manifestation may be changed once.
    if concluded.len() >= 2 {
        return refuse("594");
    }
    Ok("135")
}

/// ECONF, delivery, reform: an authorized note, and for a cancelling the
/// event it cancels.
fn other(
    event: &Asked,
    kind: &Kind,
    nota: &Nota,
    known: &[Event],
) -> Result<&'static str, Refusal> {
    if nota.situacao != Status::Normal {
        return Err("580".into());
    }
    let target = match kind.code {
        "110751" => Some(("110750".to_owned(), "nProtEvento")),
        "110131" => Some(("110130".to_owned(), "nProtEvento")),
        "110193" => Some(("110192".to_owned(), "nProtEvento")),
        "110001" => Some((event.t("detEvento/tpEventoAut"), "nProtEvento")),
        _ => None,
    };
    if let Some((of, field)) = target {
        let number = event.t(&format!("detEvento/{field}"));
        let found = known
            .iter()
            .find(|e| e.tipo == of && e.dados.get("nProt") == Some(&number));
        let Some(found) = found else {
            return Err("222".into());
        };
        let same = found
            .dados
            .get("autor")
            .is_some_and(|a| same_holder(a, &event.author()));
        if !same {
            return Err("574".into());
        }
    }
    if let Some(ie) = event.inf().text_at("detEvento/IE") {
        let uf = crate::documents::abbreviation_of(&event.t("cOrgao")).unwrap_or_default();
        if !uf.is_empty() && !ie_ok(uf, &ie) {
            return Err("209".into());
        }
    }
    Ok("135")
}
