//! Groups A and B: key, state, environment, dates, kind of emission.

use super::{Context, refuse, require};
use crate::clock::{DAY_MS, HOUR_MS, parse_date_time};
use crate::documents::{abbreviation_of, municipality_ok};
use crate::sefaz::chave::digit;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::services::{Coverage, contingency};

/// The clocks of company and authority may differ by this much.
const CLOCK_TOLERANCE_MS: i64 = 5 * 60_000;
/// Emission from this age on is answered with 150.
const DELAY_MS: i64 = 7 * DAY_MS;
/// Emission from this age on is refused.
const LIMIT_MS: i64 = 30 * DAY_MS;

pub(super) fn check(ctx: &Context<'_>) -> Result<(), Refusal> {
    key(ctx)?;
    place(ctx)?;
    dates(ctx)?;
    kind(ctx)
}

/// The key against the fields it is made of (A03-10, B23-10, B03-10).
fn key(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let id = nfe.inf().attr("Id").unwrap_or_default();
    if !id.starts_with("NFe") {
        return refuse("227");
    }
    let key = nfe.chave();
    let padded = |path: &str, n: usize| format!("{:0>n$}", nfe.t(path));
    let dh = nfe.t("ide/dhEmi");
    let aamm = format!(
        "{}{}",
        dh.get(2..4).unwrap_or_default(),
        dh.get(5..7).unwrap_or_default()
    );
    let body = format!(
        "{}{aamm}{:0>14}{}{}{}{}{}",
        nfe.t("ide/cUF"),
        nfe.emitter(),
        nfe.model(),
        padded("ide/serie", 3),
        padded("ide/nNF", 9),
        nfe.t("ide/tpEmis"),
        padded("ide/cNF", 8)
    );
    if key.get(..43) != Some(body.as_str()) {
        return refuse("502");
    }
    let cdv = nfe.t("ide/cDV");
    if digit(&body).map(|d| d.to_string()).as_deref() != Some(cdv.as_str()) {
        return refuse("253");
    }
    if key.get(43..) != Some(cdv.as_str()) {
        return refuse("502");
    }
    let cnf = padded("ide/cNF", 8);
    require(
        !forbidden(&cnf) && cnf.trim_start_matches('0') != nfe.t("ide/nNF"),
        "897",
    )
}

/// True when a numeric code (`cNF`) may not be used: repeated and running digits
/// (NT 2019.001).
pub fn forbidden(cnf: &str) -> bool {
    let digits: Vec<u32> = cnf.chars().filter_map(|c| c.to_digit(10)).collect();
    let pairs = || {
        digits
            .windows(2)
            .filter_map(|w| Some((*w.first()?, *w.last()?)))
    };
    pairs().all(|(a, b)| a == b) || pairs().all(|(a, b)| (a + 1) % 10 == b)
}

fn place(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let (model, uf, tp_emis) = (nfe.model(), nfe.uf(), nfe.t("ide/tpEmis"));
    if !ctx.place.service.models.contains(&model.as_str()) {
        return refuse(if model == "65" { "450" } else { "775" });
    }
    match ctx.place.service.serves(&model, uf) {
        Coverage::Normal if matches!(tp_emis.as_str(), "3" | "6" | "7") => return refuse("570"),
        Coverage::Normal => {}
        Coverage::Contingency if model == "65" => return refuse("783"),
        Coverage::Contingency => {
            let wanted = if contingency(&model, uf) == "SVC-RS" {
                "7"
            } else {
                "6"
            };
            require(tp_emis == wanted, "713")?;
        }
        Coverage::OtherContingency | Coverage::Elsewhere => return refuse("226"),
    }
    require(nfe.t("ide/tpAmb") == ctx.place.tp_amb(), "252")?;
    let fg = nfe.t("ide/cMunFG");
    require(municipality_ok(&fg), "270")?;
    require(fg.get(..2).and_then(abbreviation_of) == Some(uf), "271")
}

fn dates(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let Some(issued) = parse_date_time(&nfe.t("ide/dhEmi")) else {
        return refuse("225");
    };
    let normal = matches!(nfe.t("ide/tpEmis").as_str(), "1" | "6" | "7");
    let age = ctx.now_ms.saturating_sub(issued);
    require(age >= -CLOCK_TOLERANCE_MS, "703")?;
    if nfe.nfce() {
        require(!(normal && age > CLOCK_TOLERANCE_MS), "704")?;
        require(!nfe.has("ide/dhSaiEnt"), "705")?;
        return Ok(());
    }
    require(!(normal && age > LIMIT_MS), "228")?;
    if let Some(moved) = parse_date_time(&nfe.t("ide/dhSaiEnt")) {
        require(!(nfe.t("ide/tpNF") == "1" && moved < issued), "506")?;
        require(moved.saturating_sub(ctx.now_ms) <= LIMIT_MS, "504")?;
        require(ctx.now_ms.saturating_sub(moved) <= LIMIT_MS, "505")?;
    }
    Ok(())
}

/// Authorized after the deadline: seven days, for the NFC-e issued off line a day.
pub(super) fn late(ctx: &Context<'_>) -> bool {
    let issued = parse_date_time(&ctx.nfe.t("ide/dhEmi")).unwrap_or(ctx.now_ms);
    let limit = if ctx.nfe.nfce() {
        24 * HOUR_MS
    } else {
        DELAY_MS
    };
    ctx.now_ms.saturating_sub(issued) > limit
}

fn kind(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let (tp_emis, tp_imp) = (nfe.t("ide/tpEmis"), nfe.t("ide/tpImp"));
    let consumer_print = matches!(tp_imp.as_str(), "4" | "5");
    let pres = nfe.t("ide/indPres");
    if nfe.nfce() {
        require(nfe.t("ide/tpNF") == "1", "706")?;
        require(nfe.t("ide/idDest") == "1", "707")?;
        require(consumer_print, "709")?;
        require(!matches!(tp_emis.as_str(), "2" | "5"), "714")?;
        require(nfe.t("ide/finNFe") == "1", "715")?;
        require(nfe.t("ide/indFinal") == "1", "716")?;
        require(matches!(pres.as_str(), "1" | "4" | "5"), "717")?;
        require(!nfe.has("ide/NFref"), "708")?;
    } else {
        require(!consumer_print, "710")?;
        // NT 2026.002: off line only with the simplified DANFE.
        require(tp_emis != "9" || tp_imp == "6", "711")?;
        require(pres != "4", "794")?;
        references(ctx)?;
    }
    let intermediary = nfe.has("ide/indIntermed");
    let distance = matches!(pres.as_str(), "2" | "3" | "4" | "9");
    require(intermediary || !distance, "434")?;
    require(!intermediary || distance, "435")?;
    let by_company = matches!(nfe.t("ide/procEmi").as_str(), "0" | "3");
    let serie: u16 = nfe.t("ide/serie").parse().unwrap_or(0);
    require(
        !by_company || serie <= 889 || (920..=969).contains(&serie),
        "244",
    )?;
    let reason = nfe.has("ide/dhCont") || nfe.has("ide/xJust");
    require(!(tp_emis == "1" && reason), "556")?;
    let contingency = matches!(tp_emis.as_str(), "2" | "4" | "5" | "9");
    require(
        !contingency || nfe.has("ide/dhCont") && nfe.has("ide/xJust"),
        "557",
    )?;
    if let Some(entered) = parse_date_time(&nfe.t("ide/dhCont")) {
        require(
            entered <= ctx.now_ms.saturating_add(CLOCK_TOLERANCE_MS),
            "558",
        )?;
    }
    Ok(())
}

/// Complementary notes and devolutions name the note they belong to.
fn references(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let references: Vec<_> = nfe
        .inf()
        .child("ide")
        .into_iter()
        .flat_map(|i| i.elements().filter(|e| e.name == "NFref"))
        .collect();
    match nfe.t("ide/finNFe").as_str() {
        "2" => {
            require(!references.is_empty(), "254")?;
            require(references.len() == 1, "255")?;
        }
        // Since NT 2025.002 an item may name the document it gives back.
        "4" => {
            let by_item = nfe.items().any(|i| i.child("DFeReferenciado").is_some());
            require(by_item || !references.is_empty(), "321")?;
        }
        _ => {}
    }
    for (n, reference) in references.iter().enumerate() {
        let Some(key) = reference.text_at("refNFe") else {
            continue;
        };
        let place = format!(" [nOcor:{}]", n + 1);
        let last = key.get(43..).and_then(|d| d.parse().ok());
        if key.get(..43).and_then(digit) != last {
            return Err(Refusal::with("547", place));
        }
        if key == nfe.chave() {
            return Err(Refusal::with("316", place));
        }
    }
    Ok(())
}
