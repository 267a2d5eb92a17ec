//! Registration of events of CT-e and MDF-e.
//!
//! Source: MOC CT-e 4.00, 5.1.5; MOC MDF-e 3.00, 6.

mod cte;
mod mdfe;

use super::key;
use super::require::{CLOCK_TOLERANCE_MS, authorization, holder, require, served};
use crate::clock::parse_date_time;
use crate::documents::{cnpj_ok, cpf_ok};
use crate::notes::{Event, Nota};
use crate::sefaz::SYSTEM;
use crate::sefaz::answer::{Place, local_time};
use crate::sefaz::chave::{Chave, split};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::event::{Accepted, Asked};
use crate::sefaz::memory::Call;
use crate::sefaz::services::Coverage;
use crate::sefaz::structure;
use crate::xml::{Element, parse};

/// A kind of event.
struct Kind {
    /// `tpEvento`.
    code: &'static str,
    /// `xEvento`.
    name: &'static str,
    /// Greatest `nSeqEvento`.
    maximum: u32,
}

const fn kind(code: &'static str, name: &'static str, maximum: u32) -> Kind {
    Kind {
        code,
        name,
        maximum,
    }
}

static CTE: [Kind; 3] = [
    kind("110110", "Carta de Correção", 20),
    kind("110111", "Cancelamento", 1),
    kind("110113", "EPEC", 1),
];
static MDFE: [Kind; 4] = [
    kind("110111", "Cancelamento", 1),
    kind("110112", "Encerramento", 1),
    kind("110114", "Inclusao Condutor", 99),
    kind("110115", "Inclusao DF-e", 99),
];

/// What the rules of one kind look at.
struct Context<'a> {
    call: &'a Call<'a>,
    place: Place,
    event: &'a Asked,
    nota: &'a Nota,
    /// Events of the document so far.
    known: &'a [Event],
}

impl Context<'_> {
    /// Text at a path of what the event says: below `evCancCTe` and so on.
    fn t(&self, path: &str) -> String {
        detail(self.event)
            .and_then(|detail| detail.text_at(path))
            .unwrap_or_default()
    }

    /// Time since the document was authorized.
    fn age_ms(&self) -> i64 {
        let from = self.nota.emitida_ms.max(self.nota.disponivel_ms);
        self.call.now_ms.saturating_sub(from)
    }

    /// The protocol it names is the document's: 222.
    fn protocol(&self) -> Result<(), Refusal> {
        let own = self.nota.dados.get("nProt");
        require(own == Some(&self.t("nProt")), "222")
    }

    /// The document itself.
    fn document(&self) -> Element {
        parse(&self.nota.xml).unwrap_or_default()
    }

    fn has_event(&self, kind: &str) -> bool {
        self.known.iter().any(|event| event.tipo == kind)
    }
}

/// The part of an event that its kind defines.
fn detail(event: &Asked) -> Option<&Element> {
    event.inf().child("detEvento")?.elements().next()
}

/// Judges an event whose signature holds.
pub(super) fn check(call: &Call<'_>, place: Place, event: &Asked) -> Result<Accepted, Refusal> {
    let family = place.family();
    let key = event.chave();
    let kinds: &[Kind] = if family.name == "CTe" { &CTE } else { &MDFE };
    let kind = form(place, event, kinds, &key)?;
    let parts = key::named(call, family, &key)?;
    let served = served(place, parts.model, parts.uf())?;
    let early = kind.code == "110113";
    if served == Coverage::Contingency {
        // Rules N08 and N09; EPEC has a form of emission of its own.
        require(early || matches!(parts.tp_emis, "7" | "8"), "516")?;
        require(early || kind.code == "110111", "530")?;
    }
    structure::freight_event(family.event, kind.code, &event.text)?;
    let mut known = call.notes.events_of(&key);
    known.retain(|e| {
        e.sistema == SYSTEM && e.dados.get("local").is_some_and(|l| l == place.local())
    });
    again(event, &known, kind)?;
    require(event.author() == parts.document(), "632")?;
    moment(call, event)?;
    require((1..=kind.maximum).contains(&event.sequence()), "636")?;
    if early {
        cte::epec(call, place, event, &parts, served)?;
        return Ok(accepted("136", kind, None));
    }
    let nota = found(call, place, &key, &parts)?;
    after(event, &nota)?;
    let context = Context {
        call,
        place,
        event,
        nota: &nota,
        known: &known,
    };
    match (family.name, kind.code) {
        ("CTe", "110110") => cte::correction(&context)?,
        ("CTe", _) => cte::cancelling(&context)?,
        (_, "110111") => mdfe::cancelling(&context)?,
        (_, "110112") => mdfe::closing(&context)?,
        (_, "110114") => mdfe::driver(&context)?,
        _ => mdfe::documents(&context)?,
    }
    Ok(accepted("135", kind, Some(nota)))
}

fn accepted(code: &'static str, kind: &Kind, nota: Option<Nota>) -> Accepted {
    let name = kind.name;
    Accepted { code, nota, name }
}

/// Checks that need no data of the authority (N01 to N07).
fn form<'k>(
    place: Place,
    event: &Asked,
    kinds: &'k [Kind],
    key: &str,
) -> Result<&'k Kind, Refusal> {
    require(event.t("tpAmb") == place.tp_amb(), "252")?;
    require(key.get(..2) == Some(event.t("cOrgao").as_str()), "677")?;
    let serie: u16 = key.get(22..25).and_then(|s| s.parse().ok()).unwrap_or(0);
    require(!(890..=899).contains(&serie), "670")?;
    let author = event.author();
    if event.inf().child("CNPJ").is_some() {
        require(cnpj_ok(&author), "627")?;
    } else {
        let code = if place.family().name == "CTe" {
            "905"
        } else {
            "700"
        };
        require(cpf_ok(&author), code)?;
    }
    let code = event.t("tpEvento");
    // The schema of MDF-e takes two digits of the sequence here, and three.
    let wide = format!("ID{code}{key}{:03}", event.sequence());
    let id = event.inf().attr("Id");
    require(
        id == Some(event.id().as_str()) || id == Some(wide.as_str()),
        "628",
    )?;
    let found = kinds.iter().find(|kind| kind.code == code);
    found.ok_or_else(|| "629".into())
}

/// The same event again: 631 with its registration.
fn again(event: &Asked, known: &[Event], kind: &Kind) -> Result<(), Refusal> {
    let mut same = known.iter();
    let Some(there) = same.find(|e| e.tipo == kind.code && e.sequencia == event.sequence()) else {
        return Ok(());
    };
    let protocol = there.dados.get("nProt").map_or("", String::as_str);
    let cuf = there.chave.get(..2).unwrap_or_default();
    let at = local_time(there.registrado_ms, cuf);
    let said = format!(" [nProt:{protocol}][dhRegEvento:{at}]");
    Err(Refusal::with("631", said))
}

/// Not later than now (N25).
fn moment(call: &Call<'_>, event: &Asked) -> Result<(), Refusal> {
    match parse_date_time(&event.t("dhEvento")) {
        Some(at) => require(at <= call.now_ms.saturating_add(CLOCK_TOLERANCE_MS), "635"),
        None => Err("215".into()),
    }
}

/// The document of the event (N20 to N22).
fn found(call: &Call<'_>, place: Place, key: &str, parts: &Chave<'_>) -> Result<Nota, Refusal> {
    let nota = holder(call, place.local(), parts).filter(|n| n.disponivel_ms <= call.now_ms);
    let Some(nota) = nota else {
        return Err("217".into());
    };
    let there = nota.chave.clone().unwrap_or_default();
    if there != key {
        let same_code = split(&there).is_some_and(|t| t.cnf == parts.cnf);
        let code = if same_code { "600" } else { "216" };
        let name = place.family().chave();
        let cited = format!(" [{name}:{there}]{}", authorization(&nota));
        return Err(Refusal::with(code, cited));
    }
    Ok(nota)
}

/// Not before the document was issued and authorized (N23, N24).
fn after(event: &Asked, nota: &Nota) -> Result<(), Refusal> {
    let at = parse_date_time(&event.t("dhEvento")).unwrap_or(0);
    let root = parse(&nota.xml).unwrap_or_default();
    let issued = root
        .elements()
        .find_map(|inf| inf.text_at("ide/dhEmi"))
        .and_then(|text| parse_date_time(&text))
        .unwrap_or(0);
    let late = at.saturating_add(CLOCK_TOLERANCE_MS);
    require(late >= issued, "634")?;
    require(late >= nota.emitida_ms, "637")
}
