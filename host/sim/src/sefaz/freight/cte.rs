//! The rules of authorization of a CT-e, in the order of annex I of the MOC
//! CT-e 4.00. The first one that is broken is the refusal.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use super::epec;
use super::key;
use super::qrcode;
use super::require::{
    CLOCK_TOLERANCE_MS, PartyCodes, party, payer, place_of_service, require, served, unused,
};
use crate::clock::{HOUR_MS, parse_date_time};
use crate::documents::{cnpj_ok, code_of, cpf_ok, municipality_ok};
use crate::notes::{Nota, Status};
use crate::sefaz::SYSTEM;
use crate::sefaz::answer::Place;
use crate::sefaz::chave::digit;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::{Dfe, document, number, only};
use crate::sefaz::memory::Call;
use crate::sefaz::rules::ie_ok;
use crate::sefaz::services::{Coverage, contingency};
use crate::xml::Element;

/// Name of the parties in the homologation environment.
const HOMOLOGACAO: &str = "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
/// Emission from this age on is refused (G103).
const LIMIT_MS: i64 = 168 * HOUR_MS;
/// States that know no taxpayer without registration (G024).
const NO_EXEMPTION: [&str; 11] = [
    "AM", "BA", "CE", "GO", "MG", "MS", "MT", "PE", "RN", "SE", "SP",
];
/// Parties, their addresses, and the codes of what is wrong with them.
const PARTIES: [(&str, &str, PartyCodes); 5] = [
    (
        "rem",
        "enderReme",
        PartyCodes("415", "416", "418", "532", "419"),
    ),
    (
        "dest",
        "enderDest",
        PartyCodes("208", "237", "424", "533", "210"),
    ),
    (
        "exped",
        "enderExped",
        PartyCodes("428", "429", "431", "534", "432"),
    ),
    (
        "receb",
        "enderReceb",
        PartyCodes("436", "437", "439", "535", "440"),
    ),
    (
        "ide/toma4",
        "enderToma",
        PartyCodes("444", "445", "447", "536", "448"),
    ),
];

/// Judges a CT-e whose signature holds.
pub(super) fn rules(call: &Call<'_>, place: Place, cte: &Dfe) -> Result<&'static str, Refusal> {
    environment(place, cte)?;
    emission(place, cte)?;
    key::made_of_fields(cte)?;
    kind(cte)?;
    payer_rules(cte)?;
    cargo(cte)?;
    values(cte)?;
    operation(cte)?;
    roles(cte)?;
    dates(call, cte)?;
    emitter(cte)?;
    parties(cte)?;
    let key = cte.chave();
    let parts = key::named(call, cte.family, &key)?;
    unused(call, place, cte, &parts)?;
    complemented(call, place, cte)?;
    for (mun, uf, codes) in [
        ("ide/cMunEnv", "ide/UFEnv", ("493", "537")),
        ("ide/cMunIni", "ide/UFIni", ("456", "541")),
        ("ide/cMunFim", "ide/UFFim", ("414", "542")),
    ] {
        place_of_service(cte, mun, uf, codes)?;
    }
    epec::conciliation(call, place, cte, &parts)?;
    readers(cte)?;
    qrcode::check(place, cte, cte.t("ide/tpEmis") == "4")?;
    Ok("100")
}

fn environment(place: Place, cte: &Dfe) -> Result<(), Refusal> {
    require(cte.t("ide/tpAmb") == place.tp_amb(), "252")?;
    if place.tp_amb() == "2" {
        for (name, code) in [
            ("rem", "646"),
            ("exped", "647"),
            ("receb", "648"),
            ("dest", "649"),
        ] {
            let right = !cte.has(name) || cte.t(&format!("{name}/xNome")) == HOMOLOGACAO;
            require(right, code)?;
        }
    }
    let serie: u16 = cte.t("ide/serie").parse().unwrap_or(0);
    require(!(890..=899).contains(&serie), "670")?;
    require(cte.t("emit/enderEmit/UF") == cte.uf(), "247")
}

/// Form of emission against the environment (G008 to G012).
fn emission(place: Place, cte: &Dfe) -> Result<(), Refusal> {
    let kind = cte.t("ide/tpEmis");
    // The layout has these fields for every form of emission but the normal
    // one, the MOC only for a form that is no more.
    require(kind != "1" || !cte.has("ide/dhCont"), "586")?;
    let moment = |path: &str| parse_date_time(&cte.t(path));
    if let (Some(since), Some(issued)) = (moment("ide/dhCont"), moment("ide/dhEmi")) {
        require(since <= issued, "588")?;
    }
    let model = cte.model();
    match served(place, &model, cte.uf())? {
        Coverage::Contingency => {
            let own = if contingency(&model, cte.uf()) == "SVC-RS" {
                "7"
            } else {
                "8"
            };
            require(kind == own, "516")?;
            require(cte.t("ide/tpCTe") == "0", "517")
        }
        _ => require(!matches!(kind.as_str(), "7" | "8"), "515"),
    }
}

fn normal(cte: &Dfe) -> bool {
    matches!(cte.t("ide/tpCTe").as_str(), "0" | "3")
}

/// Redespacho intermediário, serviço vinculado a multimodal.
fn intermediate(cte: &Dfe) -> bool {
    matches!(cte.t("ide/tpServ").as_str(), "3" | "4")
}

fn kind(cte: &Dfe) -> Result<(), Refusal> {
    require(!normal(cte) || cte.has("infCTeNorm"), "458")?;
    let complement = cte.t("ide/tpCTe") == "1";
    require(!complement || cte.has("infCteComp"), "459")
}

fn payer_rules(cte: &Dfe) -> Result<(), Refusal> {
    let (role, party) = payer(cte);
    let missing = match role.as_str() {
        "0" => "460",
        "1" => "461",
        "2" => "462",
        _ => "463",
    };
    let Some(party) = party else {
        return Err(missing.into());
    };
    let ie = party.text_at("IE").unwrap_or_default();
    let address = party.elements().find(|e| e.name.starts_with("ender"));
    let uf = address.and_then(|a| a.text_at("UF")).unwrap_or_default();
    match cte.t("ide/indIEToma").as_str() {
        "1" => require(!ie.is_empty() && ie != "ISENTO", "481"),
        "2" => {
            require(ie == "ISENTO", "482")?;
            require(!NO_EXEMPTION.contains(&uf.as_str()), "617")
        }
        _ => Ok(()),
    }
}

/// Modal and transported documents (G025 to G040).
fn cargo(cte: &Dfe) -> Result<(), Refusal> {
    if !normal(cte) {
        return Ok(());
    }
    let modal = cte.inf().at("infCTeNorm/infModal");
    let version = modal.and_then(|m| m.attr("versaoModal"));
    require(version == Some("4.00"), "579")?;
    let pipeline = cte.t("ide/modal") == "05";
    require(pipeline || cte.has("infCTeNorm/infCarga/vCarga"), "581")?;
    let documents = cte.inf().at("infCTeNorm/infDoc");
    if intermediate(cte) {
        require(documents.is_none(), "694")?;
    } else {
        require(documents.is_some(), "693")?;
    }
    let mut seen = BTreeSet::new();
    for note in documents
        .into_iter()
        .flat_map(Element::elements)
        .filter(|e| e.name == "infNFe")
    {
        let key = note.text_at("chave").unwrap_or_default();
        let cited = format!(" [chNFe: {key}]");
        let last = key.get(43..).and_then(|d| d.parse().ok());
        if key.get(..43).and_then(digit) != last || key.get(20..22) != Some("55") {
            return Err(Refusal::with("843", cited));
        }
        if !seen.insert(key) {
            return Err(Refusal::with("527", cited));
        }
    }
    Ok(())
}

/// Values and ICMS (G046 to G048).
fn values(cte: &Dfe) -> Result<(), Refusal> {
    let total = cte.n("vPrest/vTPrest");
    require(total <= Decimal::new(999_999_999, 2), "650")?;
    if let Some(icms) = only(cte.inf(), "imp/ICMS") {
        let end = if icms.name == "ICMSOutraUF" {
            "OutraUF"
        } else {
            ""
        };
        let of = |name: &str| number(&icms, &format!("{name}{end}"));
        let expected = of("vBC") * of("pICMS") / Decimal::ONE_HUNDRED;
        let difference = (expected - of("vICMS")).abs();
        require(difference <= Decimal::new(1, 2), "675")?;
    }
    require(cte.n("vPrest/vRec") <= total, "531")
}

/// CFOP against the way of the cargo (G050 to G052).
fn operation(cte: &Dfe) -> Result<(), Refusal> {
    let (from, to, cfop) = (cte.t("ide/UFIni"), cte.t("ide/UFFim"), cte.t("ide/CFOP"));
    let first = match (to.as_str(), from == to) {
        ("EX", _) => "7",
        (_, true) => "5",
        _ => "6",
    };
    require(cfop.starts_with(first), "519")?;
    if from == "EX" || to == "EX" {
        return Ok(());
    }
    let elsewhere = matches!(cfop.as_str(), "5932" | "6932");
    if from == cte.uf() {
        require(!elsewhere, "908")
    } else {
        require(elsewhere, "524")
    }
}

/// Who must be named for the kind of service (G053 to G060).
fn roles(cte: &Dfe) -> Result<(), Refusal> {
    if intermediate(cte) {
        require(cte.has("exped"), "474")?;
        require(cte.has("receb"), "475")?;
    } else {
        require(cte.has("rem"), "469")?;
        require(cte.has("dest"), "470")?;
    }
    if normal(cte) {
        let before = cte.has("infCTeNorm/docAnt");
        match cte.t("ide/tpServ").as_str() {
            "1" | "2" | "3" => require(before, "521")?,
            "0" => require(!before, "747")?,
            _ => {}
        }
    }
    Ok(())
}

fn dates(call: &Call<'_>, cte: &Dfe) -> Result<(), Refusal> {
    let Some(issued) = parse_date_time(&cte.t("ide/dhEmi")) else {
        return Err("215".into());
    };
    let age = call.now_ms.saturating_sub(issued);
    require(age >= -CLOCK_TOLERANCE_MS, "212")?;
    require(cte.t("ide/tpEmis") == "4" || age <= LIMIT_MS, "228")
}

fn emitter(cte: &Dfe) -> Result<(), Refusal> {
    let own = cte.emitter();
    require(cnpj_ok(&own) || cpf_ok(&own), "207")?;
    let ie = cte.t("emit/IE");
    require(ie.chars().any(|c| c != '0'), "229")?;
    let (uf, mun) = (cte.t("emit/enderEmit/UF"), cte.t("emit/enderEmit/cMun"));
    require(ie_ok(&uf, &ie), "209")?;
    require(mun.get(..2) == code_of(&uf), "712")?;
    require(municipality_ok(&mun), "713")
}

fn parties(cte: &Dfe) -> Result<(), Refusal> {
    for (path, address, codes) in &PARTIES {
        if let Some(found) = cte.inf().at(path) {
            party(found, address, codes)?;
        }
    }
    // G156: a payer of their own is none of the others.
    let Some(other) = cte.inf().at("ide/toma4") else {
        return Ok(());
    };
    let who = |party: &Element| (document(Some(party)), party.text_at("IE"));
    let mut named = ["rem", "dest", "exped", "receb"]
        .iter()
        .filter_map(|name| cte.inf().child(name));
    require(!named.any(|party| who(party) == who(other)), "799")
}

/// CT-e that a complement or a substitute names (G076 to G081, G160 to G165).
fn complemented(call: &Call<'_>, place: Place, cte: &Dfe) -> Result<(), Refusal> {
    let found = |key: &str, broken: &str, absent: &str| -> Result<Nota, Refusal> {
        let cited = format!(" [chCTe: {key}]");
        if key::named(call, cte.family, key).is_err() {
            return Err(Refusal::with(broken, cited));
        }
        let nota = call.notes.note_by_key(key);
        nota.filter(|n| n.sistema == SYSTEM && n.local == place.local())
            .ok_or_else(|| Refusal::with(absent, cited))
    };
    match cte.t("ide/tpCTe").as_str() {
        "1" => {
            let mut seen = BTreeSet::new();
            for complement in cte.inf().elements().filter(|e| e.name == "infCteComp") {
                let key = complement.text_at("chCTe").unwrap_or_default();
                let nota = found(&key, "849", "267")?;
                require(nota.prestador == cte.emitter(), "269")?;
                require(nota.situacao == Status::Normal, "655")?;
                require(seen.insert(key), "907")?;
            }
            Ok(())
        }
        "3" => {
            require(cte.t("ide/tpEmis") == "1", "503")?;
            require(cte.has("infCTeNorm/infCteSub"), "505")?;
            let nota = found(&cte.t("infCTeNorm/infCteSub/chCte"), "847", "568")?;
            require(nota.situacao == Status::Normal, "569")?;
            require(nota.prestador == cte.emitter(), "510")
        }
        _ => Ok(()),
    }
}

/// Who may read it, and who made the program (G193 to G196, G210).
fn readers(cte: &Dfe) -> Result<(), Refusal> {
    let named: BTreeSet<String> = PARTIES
        .iter()
        .filter_map(|(path, ..)| cte.inf().at(path))
        .map(|party| document(Some(party)))
        .collect();
    let mut seen = BTreeSet::new();
    for reader in cte.inf().elements().filter(|e| e.name == "autXML") {
        let who = document(Some(reader));
        if reader.child("CNPJ").is_some() {
            require(cnpj_ok(&who), "699")?;
        } else {
            require(cpf_ok(&who), "700")?;
        }
        require(!named.contains(&who), "828")?;
        require(seen.insert(who), "715")?;
    }
    let maker = cte.inf().at("infRespTec/CNPJ").map(Element::text);
    require(maker.is_none_or(|cnpj| cnpj_ok(&cnpj)), "836")
}
