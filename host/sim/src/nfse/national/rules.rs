//! Rules of the DPS beyond its structure: Anexo I v1.01 of 2026-02-09, those
//! that need no register outside the document.

use rust_decimal::Decimal;

use super::Ambiente;
use super::codes::Refusal;
use super::dps::Dps;
use super::services;
use super::tax::hundredths;
use crate::clock;
use crate::documents::{cnpj_ok, cpf_ok, municipality_ok};

/// Clocks differ a little; the real front end allows some minutes.
const CLOCK_SLACK_MS: i64 = 5 * 60_000;

/// All violated rules, in the order of their codes' groups.
pub(super) fn check(dps: &Dps<'_>, ambiente: Ambiente, now_ms: i64) -> Vec<Refusal> {
    let mut found: Vec<&str> = Vec::new();
    identification(dps, ambiente, now_ms, &mut found);
    provider(dps, &mut found);
    parties(dps, &mut found);
    service(dps, &mut found);
    municipal_tax(dps, &mut found);
    federal_tax(dps, &mut found);
    total_tax(dps, &mut found);
    consumption(dps, &mut found);
    found.into_iter().map(Refusal::from).collect()
}

fn identification(dps: &Dps<'_>, ambiente: Ambiente, now_ms: i64, found: &mut Vec<&str>) {
    if dps.get("tpAmb") != ambiente.code().to_string() {
        found.push("E0006");
    }
    if dps.id() != dps.expected_id() {
        found.push("E0004");
    }
    let emitted = dps.get("dhEmi");
    if clock::parse_date_time(&emitted).is_none_or(|ms| ms > now_ms.saturating_add(CLOCK_SLACK_MS))
    {
        found.push("E0008");
    }
    // The competence is compared with the day written in dhEmi.
    let competence = clock::parse_date(&dps.get("dCompet"));
    let day = clock::parse_date(emitted.get(..10).unwrap_or_default());
    if competence.zip(day).is_none_or(|(c, d)| c > d) {
        found.push("E0015");
    }
    // Series of own applications: 1 to 49999.
    if !dps
        .get("serie")
        .parse::<u32>()
        .is_ok_and(|n| (1..=49_999).contains(&n))
    {
        found.push("E0010");
    }
    if dps.get("tpEmit") != "1" {
        found.push("E9996");
    } else {
        if dps.has("cMotivoEmisTI") {
            found.push("E0029");
        }
        if dps.has("chNFSeRej") {
            found.push("E0034");
        }
    }
    if !municipality_ok(&dps.get("cLocEmi")) {
        found.push("E0037");
    }
    if dps.get("subst/cMotivo") == "99" && !dps.has("subst/xMotivo") {
        found.push("E0078");
    }
}

fn provider(dps: &Dps<'_>, found: &mut Vec<&str>) {
    match (dps.text("prest/CNPJ"), dps.text("prest/CPF")) {
        (Some(cnpj), _) if !cnpj_ok(&cnpj) => found.push("E0080"),
        (None, Some(cpf)) if !cpf_ok(&cpf) => found.push("E0096"),
        (None, None) => found.push("E0114"),
        _ => {}
    }
    if dps.has("prest/xNome") {
        found.push("E0121");
    }
    if dps.has("prest/end") {
        found.push("E0128");
    }
    let simples = dps.simples();
    let computation = dps.text("prest/regTrib/regApTribSN");
    match (simples.as_str(), computation.as_deref()) {
        ("3", None) => found.push("E0166"),
        ("1" | "2", Some(_)) => found.push("E0162"),
        _ => {}
    }
    if dps.special_regime() {
        if dps.taxation() != "1" {
            found.push("E0172");
        }
        if simples == "2" {
            found.push("E0174");
        }
        if simples == "3" && computation.as_deref() == Some("1") {
            found.push("E0175");
        }
    }
}

fn parties(dps: &Dps<'_>, found: &mut Vec<&str>) {
    let provider = dps.provider();
    let retention = dps.get("valores/trib/tribMun/tpRetISSQN");
    if dps.text("toma/CNPJ").is_some_and(|d| !cnpj_ok(&d)) {
        found.push("E0188");
    }
    if dps.text("toma/CPF").is_some_and(|d| !cpf_ok(&d)) {
        found.push("E0206");
    }
    let customer = dps.document("toma");
    if customer.as_deref() == Some(provider.as_str()) {
        found.push("E0202");
    }
    if retention == "2" {
        if customer.is_none() {
            found.push("E0204");
        } else if !dps.has("toma/end/endNac") {
            found.push("E0237");
        }
    } else if dps.has("toma/CNPJ") && !dps.has("toma/end/endNac") {
        found.push("E0235");
    }
    if dps.text("interm/CNPJ").is_some_and(|d| !cnpj_ok(&d)) {
        found.push("E0248");
    }
    if dps.text("interm/CPF").is_some_and(|d| !cpf_ok(&d)) {
        found.push("E0266");
    }
    let intermediary = dps.document("interm");
    if intermediary.as_deref() == Some(provider.as_str()) {
        found.push("E0262");
    }
    if retention == "3" && intermediary.is_none() {
        found.push("E0264");
    }
}

fn service(dps: &Dps<'_>, found: &mut Vec<&str>) {
    let code = dps.get("serv/cServ/cTribNac");
    if services::incidence(&code).is_none() {
        found.push("E0310");
    }
    if dps
        .text("serv/locPrest/cLocPrestacao")
        .is_some_and(|c| !municipality_ok(&c) && c != "0000000")
    {
        found.push("E0302");
    }
    if dps.get("serv/cServ/cTribMun") == "000" {
        found.push("E0315");
    }
    if dps.taxation() == "3" {
        if !dps.has("serv/cServ/cNBS") {
            found.push("E0318");
        }
        if !dps.has("serv/comExt") {
            found.push("E0330");
        }
    }
    let works = services::is_works(&code);
    if works && !dps.has("serv/obra") {
        found.push("E0370");
    }
    if !works && code != "990101" && dps.has("serv/obra") {
        found.push("E0372");
    }
}

fn municipal_tax(dps: &Dps<'_>, found: &mut Vec<&str>) {
    const GROUP: &str = "valores/trib/tribMun";
    let taxed = dps.taxation() == "1";
    let simples = dps.simples();
    let withheld = dps.withheld();
    if withheld {
        if !taxed {
            found.push("E0580");
        }
        if simples == "2" {
            found.push("E0583");
        }
        if dps.special_regime() {
            found.push("E0588");
        }
    }
    if !taxed && dps.has(&format!("{GROUP}/exigSusp")) {
        found.push("E0585");
    }
    let immunity = dps.text(&format!("{GROUP}/tpImunidade"));
    if (dps.taxation() == "2") != immunity.is_some() {
        found.push("E0592");
    }
    if immunity.as_deref() == Some("0") {
        found.push("E0593");
    }
    rate(
        dps,
        dps.amount(&format!("{GROUP}/pAliq")),
        taxed,
        &simples,
        withheld,
        found,
    );
}

/// pAliq: every municipality of the simulator is active in the national system.
fn rate(
    dps: &Dps<'_>,
    rate: Option<Decimal>,
    taxed: bool,
    simples: &str,
    withheld: bool,
    found: &mut Vec<&str>,
) {
    let inside_simples = simples == "3" && dps.get("prest/regTrib/regApTribSN") == "1";
    let Some(rate) = rate else {
        if inside_simples && withheld && taxed {
            found.push("E0621");
        }
        return;
    };
    if rate > hundredths(500) {
        found.push("E0595");
    }
    if !taxed {
        found.push("E0602");
    }
    if dps.special_regime() {
        found.push("E0604");
    }
    match simples {
        "1" => found.push("E0617"),
        "2" => found.push("E0600"),
        _ if !inside_simples => found.push("E0635"),
        _ if !withheld => found.push("E0625"),
        _ if rate < hundredths(180) => found.push("E0621"),
        _ => {}
    }
}

fn federal_tax(dps: &Dps<'_>, found: &mut Vec<&str>) {
    const GROUP: &str = "valores/trib/tribFed";
    if !dps.has(GROUP) {
        return;
    }
    let has = |name: &str| dps.has(&format!("{GROUP}/{name}"));
    let amount = |name: &str| dps.amount(&format!("{GROUP}/{name}"));
    if dps.has("prest/CPF") {
        found.push("E0675");
    }
    if dps.simples() == "2" {
        found.push("E0676");
    }
    let service = dps.money("valores/vServPrest/vServ");
    let base = amount("piscofins/vBCPisCofins");
    if base.is_some_and(|b| b > service) {
        found.push("E0677");
    }
    for (rate, value, code) in [
        ("pAliqPis", "vPis", "E0694"),
        ("pAliqCofins", "vCofins", "E0696"),
    ] {
        let parts = base
            .zip(amount(&format!("piscofins/{rate}")))
            .zip(amount(&format!("piscofins/{value}")));
        if let Some(((base, rate), value)) = parts {
            // One cent: cutting and rounding are both seen.
            if (base * rate / Decimal::ONE_HUNDRED - value).abs() > hundredths(1) {
                found.push(code);
            }
        }
    }
    for (name, code) in [
        ("vRetCP", "E0699"),
        ("vRetIRRF", "E0700"),
        ("vRetCSLL", "E0701"),
    ] {
        if amount(name).is_some_and(|v| v <= Decimal::ZERO || v >= service) {
            found.push(code);
        }
    }
    if dps.get(&format!("{GROUP}/piscofins/tpRetPisCofins")) == "0" && has("vRetCSLL") {
        found.push("E0720");
    }
}

/// totTrib is a choice of four; which of them fits depends on the regime.
fn total_tax(dps: &Dps<'_>, found: &mut Vec<&str>) {
    const GROUP: &str = "valores/trib/totTrib";
    let indicator = dps.has(&format!("{GROUP}/indTotTrib"));
    let simples_rate = dps.has(&format!("{GROUP}/pTotTribSN"));
    match dps.simples().as_str() {
        "1" if simples_rate => found.push("E0713"),
        "2" if simples_rate => found.push("E0710"),
        "3" if indicator => found.push("E0712"),
        _ => {}
    }
}

fn consumption(dps: &Dps<'_>, found: &mut Vec<&str>) {
    if !dps.has("IBSCBS") {
        return;
    }
    if !dps.has("serv/cServ/cNBS") {
        found.push("E0322");
    }
    if dps.get("dCompet").as_str() < "2026-01-01" {
        found.push("E0850");
    }
    if dps.version != "1.01" {
        found.push("E0854");
    }
    // indDest 0: the recipient is the customer and is not repeated.
    if dps.get("IBSCBS/indDest") == "0" && dps.has("IBSCBS/dest") {
        found.push("E0910");
    }
    if dps.text("IBSCBS/dest/CNPJ").is_some_and(|d| !cnpj_ok(&d)) {
        found.push("E0911");
    }
    if dps.text("IBSCBS/dest/CPF").is_some_and(|d| !cpf_ok(&d)) {
        found.push("E0913");
    }
}
