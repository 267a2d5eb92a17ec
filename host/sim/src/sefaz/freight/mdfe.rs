//! The rules of authorization of an MDF-e. The first one that is broken is the
//! refusal.
//!
//! Source: annex I of the MOC MDF-e 3.00b and NT 2020.001 in public
//! repositories, second hand; numbers of rules are theirs.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use super::key;
use super::open::of_emitter;
use super::qrcode;
use super::require::{CLOCK_TOLERANCE_MS, require, unused};
use crate::clock::{DAY_MS, parse_date_time};
use crate::documents::{cnpj_ok, code_of, cpf_ok, municipality_ok};
use crate::notes::Nota;
use crate::sefaz::answer::Place;
use crate::sefaz::chave::digit;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::Dfe;
use crate::sefaz::memory::Call;
use crate::sefaz::rules::ie_ok;
use crate::xml::{Element, parse};

/// Emission from this age on is refused, unless it was offline.
const LIMIT_MS: i64 = DAY_MS;
/// An open manifest of this age blocks every new one of the emitter (G072).
const OPEN_MS: i64 = 30 * DAY_MS;
/// The same for the vehicle of a short journey (G073).
const SHORT_MS: i64 = 5 * DAY_MS;
/// States on the way of a short journey.
const SHORT_STATES: usize = 2;

/// Judges an MDF-e whose signature holds.
pub(super) fn rules(call: &Call<'_>, place: Place, mdfe: &Dfe) -> Result<&'static str, Refusal> {
    require(mdfe.t("ide/tpAmb") == place.tp_amb(), "252")?;
    require(mdfe.t("emit/enderEmit/UF") == mdfe.uf(), "247")?;
    key::made_of_fields(mdfe)?;
    dates(call, mdfe)?;
    emitter(mdfe)?;
    journey(mdfe)?;
    documents(mdfe)?;
    drivers(mdfe)?;
    let key = mdfe.chave();
    let parts = key::named(call, mdfe.family, &key)?;
    unused(call, place, mdfe, &parts)?;
    open_ones(call, place, mdfe)?;
    readers(mdfe)?;
    qrcode::check(place, mdfe, mdfe.t("ide/tpEmis") == "2")?;
    Ok("100")
}

fn dates(call: &Call<'_>, mdfe: &Dfe) -> Result<(), Refusal> {
    let Some(issued) = parse_date_time(&mdfe.t("ide/dhEmi")) else {
        return Err("215".into());
    };
    let age = call.now_ms.saturating_sub(issued);
    require(age >= -CLOCK_TOLERANCE_MS, "212")?;
    require(mdfe.t("ide/tpEmis") != "1" || age <= LIMIT_MS, "228")
}

fn emitter(mdfe: &Dfe) -> Result<(), Refusal> {
    let serie: u16 = mdfe.t("ide/serie").parse().unwrap_or(0);
    let person = (920..=969).contains(&serie);
    if mdfe.has("emit/CPF") {
        require(cpf_ok(&mdfe.emitter()), "210")?;
        require(person, "233")?;
        require(mdfe.t("ide/tpEmit") == "2", "234")?;
    } else {
        require(cnpj_ok(&mdfe.emitter()), "207")?;
        require(!person, "232")?;
    }
    let (uf, mun) = (mdfe.t("emit/enderEmit/UF"), mdfe.t("emit/enderEmit/cMun"));
    let ie = mdfe.t("emit/IE");
    require(ie.chars().any(|c| c != '0'), "229")?;
    require(ie_ok(&uf, &ie), "209")?;
    require(mun.get(..2) == code_of(&uf), "407")?;
    require(municipality_ok(&mun), "408")
}

/// Where the cargo is loaded and unloaded.
fn journey(mdfe: &Dfe) -> Result<(), Refusal> {
    let of_state = |mun: &str, uf: &str| uf == "EX" || mun.get(..2) == code_of(uf);
    let towns = |path: &str, name: &str, field: &str| -> Vec<String> {
        let parent = mdfe.inf().child(path);
        let found = parent.into_iter().flat_map(Element::elements);
        found
            .filter(|e| e.name == name)
            .filter_map(|e| e.text_at(field))
            .collect()
    };
    let rules = [
        (
            towns("ide", "infMunCarrega", "cMunCarrega"),
            mdfe.t("ide/UFIni"),
            ["405", "456", "685"],
        ),
        (
            towns("infDoc", "infMunDescarga", "cMunDescarga"),
            mdfe.t("ide/UFFim"),
            ["406", "612", "680"],
        ),
    ];
    for (towns, uf, [unknown, elsewhere, twice]) in rules {
        let mut seen = BTreeSet::new();
        for town in towns {
            require(uf == "EX" || municipality_ok(&town), unknown)?;
            require(of_state(&town, &uf), elsewhere)?;
            require(seen.insert(town), twice)?;
        }
    }
    let later = mdfe.has("ide/indCarregaPosterior");
    let within = mdfe.t("ide/UFIni") == mdfe.t("ide/UFFim");
    require(!later || within, "704")?;
    require(!later || mdfe.t("ide/modal") == "1", "705")?;
    require(!later || mdfe.t("ide/tpEmit") == "2", "707")
}

/// Documents of a manifest: the field of their keys, the model, and the codes
/// of a wrong and of a repeated one.
const DOCUMENTS: [(&str, &str, &str, &str, &str); 3] = [
    ("infCTe", "chCTe", "57", "601", "668"),
    ("infNFe", "chNFe", "55", "604", "669"),
    ("infMDFeTransp", "chMDFe", "58", "649", "649"),
];

fn documents(mdfe: &Dfe) -> Result<(), Refusal> {
    let towns = mdfe.inf().child("infDoc");
    let later = mdfe.has("ide/indCarregaPosterior");
    let own_cargo = mdfe.t("ide/tpEmit") == "2";
    let mut counts = [0u64; 3];
    let mut seen = BTreeSet::new();
    for town in towns.into_iter().flat_map(Element::elements) {
        let mut any = false;
        for document in town.elements() {
            let row = DOCUMENTS.iter().zip(&mut counts);
            let mut row = row.filter(|((name, ..), _)| *name == document.name);
            let Some(((name, field, model, wrong, twice), count)) = row.next() else {
                continue;
            };
            any = true;
            *count += 1;
            require(!later, "706")?;
            require(!(own_cargo && *name == "infCTe"), "639")?;
            require(own_cargo || *name != "infNFe", "638")?;
            let key = document.text_at(field).unwrap_or_default();
            let cited = format!(" [{field}:{key}]");
            let last = key.get(43..).and_then(|d| d.parse().ok());
            let model_of_key = key.get(20..22);
            // CT-e OS travels as CT-e.
            let right =
                model_of_key == Some(*model) || *name == "infCTe" && model_of_key == Some("67");
            if !right || key.get(..43).and_then(digit) != last {
                return Err(Refusal::with(wrong, cited));
            }
            if !seen.insert(key) {
                return Err(Refusal::with(twice, cited));
            }
        }
        require(any || later, "616")?;
    }
    let total = |name: &str| mdfe.n(&format!("tot/{name}"));
    let right = ["qCTe", "qNFe", "qMDFe"]
        .iter()
        .zip(counts)
        .all(|(name, count)| total(name) == Decimal::from(count));
    require(right, "667")
}

/// Drivers and the plate (road only).
fn drivers(mdfe: &Dfe) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    let vehicle = mdfe.inf().at("infModal/rodo/veicTracao");
    for driver in vehicle.into_iter().flat_map(Element::elements) {
        if driver.name == "condutor" {
            let cpf = driver.text_at("CPF").unwrap_or_default();
            require(cpf_ok(&cpf), "645")?;
            require(seen.insert(cpf), "577")?;
        }
    }
    Ok(())
}

/// Open manifests that block a new one (G071 to G074).
fn open_ones(call: &Call<'_>, place: Place, mdfe: &Dfe) -> Result<(), Refusal> {
    let emitter = mdfe.emitter();
    let new = Journey::of(&mdfe.root);
    for nota in of_emitter(call, place.local(), &emitter) {
        let Some(old) = parse(&nota.xml).ok().map(|root| Journey::of(&root)) else {
            continue;
        };
        let age = call.now_ms.saturating_sub(nota.emitida_ms);
        let same_vehicle = !new.plate.is_empty() && old.plate == new.plate;
        let same_kind = same_vehicle && old.kind == new.kind;
        let opposite = old.from == new.to && old.to == new.from && old.from != old.to;
        let code = match () {
            () if same_kind && old.to == new.to => "611",
            () if age > OPEN_MS => "686",
            () if same_vehicle && age > SHORT_MS && old.between <= SHORT_STATES => "462",
            () if same_kind && opposite => "662",
            () => continue,
        };
        return Err(Refusal::with(code, cited(&nota)));
    }
    Ok(())
}

fn cited(nota: &Nota) -> String {
    let protocol = nota.dados.get("nProt").map_or("", String::as_str);
    let key = nota.chave.as_deref().unwrap_or_default();
    format!(" [chMDFe:{key}][nProt:{protocol}]")
}

/// What decides whether one manifest blocks another.
struct Journey {
    plate: String,
    /// `tpEmit`.
    kind: String,
    from: String,
    to: String,
    /// States on the way.
    between: usize,
}

impl Journey {
    fn of(root: &Element) -> Self {
        let t = |path: &str| root.text_at(&format!("infMDFe/{path}")).unwrap_or_default();
        let ide = root.at("infMDFe/ide");
        let states = ide.into_iter().flat_map(Element::elements);
        Self {
            plate: t("infModal/rodo/veicTracao/placa"),
            kind: t("ide/tpEmit"),
            from: t("ide/UFIni"),
            to: t("ide/UFFim"),
            between: states.filter(|e| e.name == "infPercurso").count(),
        }
    }
}

/// Who may read it, and who made the program.
fn readers(mdfe: &Dfe) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    for reader in mdfe.inf().elements().filter(|e| e.name == "autXML") {
        let (cnpj, cpf) = (reader.text_at("CNPJ"), reader.text_at("CPF"));
        require(cnpj.as_deref().is_none_or(cnpj_ok), "660")?;
        require(cpf.as_deref().is_none_or(cpf_ok), "661")?;
        require(seen.insert(cnpj.or(cpf)), "459")?;
    }
    let maker = mdfe.inf().at("infRespTec/CNPJ").map(Element::text);
    require(maker.is_none_or(|cnpj| cnpj_ok(&cnpj)), "713")
}
