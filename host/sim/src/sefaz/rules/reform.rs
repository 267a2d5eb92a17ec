//! IBS and CBS (NT 2025.002, v1.52 as told by public repositories): an item
//! without the group passes (UB12-10 is suspended), one with it obeys every rule.

use rust_decimal::Decimal;

use super::{Context, cents, close, require};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::number;
use crate::sefaz::rules::tables::{class, cst_reforma};
use crate::xml::Element;

/// CSTs with the group `gIBSCBS`; the others must not have it.
const WITH_GROUP: [&str; 11] = [
    "000", "010", "011", "200", "220", "221", "222", "510", "515", "550", "830",
];
/// CSTs with the reference rates of the year.
const WITH_STANDARD_RATE: [&str; 5] = ["000", "200", "222", "510", "515"];
/// Classifications of those CSTs with `gTribRegular`, and with rates of zero
/// (table of 2026-06-23; exception of UB18-10).
const WITH_REGULAR_TAXATION: [&str; 2] = ["200022", "200024"];
/// CSTs with a reduction of the rate.
const WITH_REDUCTION: [&str; 3] = ["011", "200", "515"];
/// CSTs with a deferral.
const WITH_DEFERRAL: [&str; 2] = ["510", "515"];

pub(super) fn check(ctx: &Context<'_>) -> Result<(), Refusal> {
    let mut any = false;
    for (n, item) in ctx.nfe.items().enumerate() {
        if let Some(group) = item.at("imposto/IBSCBS") {
            any = true;
            one(ctx, group, n + 1)?;
        }
    }
    let total = ctx.nfe.inf().at("total/IBSCBSTot");
    require(any || total.is_none(), "1118")?;
    require(!any || total.is_some(), "1119")?;
    match total {
        Some(total) => totals(ctx, total),
        None => Ok(()),
    }
}

fn one(ctx: &Context<'_>, group: &Element, n: usize) -> Result<(), Refusal> {
    let holds = |holds: bool, code: &str| {
        if holds {
            Ok(())
        } else {
            Err(Refusal::item(code, n))
        }
    };
    let (cst, classification) = (
        group.text_at("CST").unwrap_or_default(),
        group.text_at("cClassTrib").unwrap_or_default(),
    );
    holds(cst_reforma(&cst), "1020")?;
    holds(class(&classification), "1023")?;
    holds(classification.starts_with(&cst), "1024")?;
    let values = group.child("gIBSCBS");
    let wanted = WITH_GROUP.contains(&cst.as_str());
    holds(wanted || values.is_none(), "1021")?;
    holds(!wanted || values.is_some(), "1022")?;
    let Some(values) = values else { return Ok(()) };
    // Uniform and fixed rates, suspension and exclusion have rates of their own;
    // what undoes a note of another day has that day's.
    if WITH_STANDARD_RATE.contains(&cst.as_str()) && !of_another_day(ctx) {
        let regular = WITH_REGULAR_TAXATION.contains(&classification.as_str());
        rates(ctx, values, regular, &holds)?;
    }
    // A purchase of the government reduces the rate of every classification.
    let government = ctx.nfe.has("ide/gCompraGov");
    reductions(&cst, government, values, &holds)?;
    amounts(values, &holds)
}

type Holds<'a> = &'a dyn Fn(bool, &str) -> Result<(), Refusal>;

/// Returns, and notes of credit for goods that come back and values reduced
/// (exceptions of UB18-10 and UB37-10).
fn of_another_day(ctx: &Context<'_>) -> bool {
    let credit = ctx.nfe.t("ide/tpNFCredito");
    ctx.nfe.t("ide/finNFe") == "4" || matches!(credit.as_str(), "03" | "04" | "06")
}

/// Rates of the years of transition (LC 214/2025, arts. 343 to 347); none where
/// the regular taxation is told instead.
fn rates(
    ctx: &Context<'_>,
    values: &Element,
    regular: bool,
    holds: Holds<'_>,
) -> Result<(), Refusal> {
    let year = ctx
        .nfe
        .t("ide/dhEmi")
        .get(..4)
        .unwrap_or_default()
        .to_owned();
    let (state, city) = match year.as_str() {
        _ if regular => (Decimal::ZERO, Decimal::ZERO),
        "2026" => (Decimal::new(1, 1), Decimal::ZERO),
        "2027" | "2028" => (Decimal::new(5, 2), Decimal::new(5, 2)),
        _ => return Ok(()),
    };
    holds(number(values, "gIBSUF/pIBSUF") == state, "1026")?;
    holds(number(values, "gIBSMun/pIBSMun") == city, "1042")
}

fn reductions(
    cst: &str,
    government: bool,
    values: &Element,
    holds: Holds<'_>,
) -> Result<(), Refusal> {
    let reduced = WITH_REDUCTION.contains(&cst);
    let deferred = WITH_DEFERRAL.contains(&cst);
    for (path, rate, wrong, missing) in [
        ("gIBSUF", "pIBSUF", "1035", "1030"),
        ("gIBSMun", "pIBSMun", "1047", "1044"),
        ("gCBS", "pCBS", "1064", "1061"),
    ] {
        let Some(tax) = values.child(path) else {
            continue;
        };
        let group = tax.child("gRed");
        holds(reduced || government || group.is_none(), "1032")?;
        holds(!reduced || group.is_some(), "1033")?;
        if let Some(red) = group {
            // Purchases of the government reduce the rate once more: only the bound is known.
            let kept = Decimal::ONE - number(red, "pRedAliq") / Decimal::ONE_HUNDRED;
            let highest = number(tax, rate) * kept;
            let given = number(red, "pAliqEfet");
            let half_unit = Decimal::new(1, 4);
            holds(given <= highest + half_unit, wrong)?;
        }
        holds(deferred || tax.child("gDif").is_none(), "1029")?;
        holds(!deferred || tax.child("gDif").is_some(), missing)?;
    }
    Ok(())
}

/// Value = base × effective rate, less what is deferred and given back.
fn amounts(values: &Element, holds: Holds<'_>) -> Result<(), Refusal> {
    let base = number(values, "vBC");
    for (path, rate, value, wrong, deferral) in [
        ("gIBSUF", "pIBSUF", "vIBSUF", "1041", "1031"),
        ("gIBSMun", "pIBSMun", "vIBSMun", "1052", "1045"),
        ("gCBS", "pCBS", "vCBS", "1069", "1062"),
    ] {
        let Some(tax) = values.child(path) else {
            continue;
        };
        let rate = match tax.child("gRed") {
            Some(red) => number(red, "pAliqEfet"),
            None => number(tax, rate),
        };
        let full = base.checked_mul(rate).unwrap_or_default() / Decimal::ONE_HUNDRED;
        let deferred = number(tax, "gDif/vDif");
        if tax.child("gDif").is_some() {
            let found = cents(full * number(tax, "gDif/pDif") / Decimal::ONE_HUNDRED);
            holds(close(found, deferred), deferral)?;
        }
        let found = cents(full) - deferred - number(tax, "gDevTrib/vDevTrib");
        // Zone Franca de Manaus: the CBS may be annulled.
        let annulled = tax.child("gALCZFMCBS").is_some();
        holds(annulled || close(found, number(tax, value)), wrong)?;
    }
    let both = number(values, "gIBSUF/vIBSUF") + number(values, "gIBSMun/vIBSMun");
    holds(number(values, "vIBS") == both, "1041")
}

fn totals(ctx: &Context<'_>, total: &Element) -> Result<(), Refusal> {
    let sum = |path: &str| -> Decimal {
        ctx.nfe
            .items()
            .map(|i| number(i, &format!("imposto/IBSCBS/gIBSCBS/{path}")))
            .sum()
    };
    for (given, path, code) in [
        ("vBCIBSCBS", "vBC", "1076"),
        ("gIBS/gIBSUF/vDif", "gIBSUF/gDif/vDif", "1077"),
        ("gIBS/gIBSUF/vDevTrib", "gIBSUF/gDevTrib/vDevTrib", "1078"),
        ("gIBS/gIBSUF/vIBSUF", "gIBSUF/vIBSUF", "1080"),
        ("gIBS/gIBSMun/vDif", "gIBSMun/gDif/vDif", "1081"),
        ("gIBS/gIBSMun/vDevTrib", "gIBSMun/gDevTrib/vDevTrib", "1082"),
        ("gIBS/gIBSMun/vIBSMun", "gIBSMun/vIBSMun", "1084"),
        ("gIBS/vIBS", "vIBS", "1085"),
        ("gCBS/vDif", "gCBS/gDif/vDif", "1088"),
        ("gCBS/vDevTrib", "gCBS/gDevTrib/vDevTrib", "1089"),
        ("gCBS/vCBS", "gCBS/vCBS", "1091"),
    ] {
        require(number(total, given) == sum(path), code)?;
    }
    let credit = |path: &str| -> Decimal {
        ctx.nfe
            .items()
            .map(|i| number(i, &format!("imposto/IBSCBS/gCredPresOper/{path}")))
            .sum()
    };
    require(
        number(total, "gIBS/vCredPres") == credit("gIBSCredPres/vCredPres"),
        "1086",
    )?;
    require(
        number(total, "gCBS/vCredPres") == credit("gCBSCredPres/vCredPres"),
        "1087",
    )?;
    let mono = |name: &str| -> Decimal {
        ctx.nfe
            .items()
            .filter_map(|i| i.at("imposto/IBSCBS/gIBSCBSMono"))
            .map(|group| all(group, name))
            .sum()
    };
    if total.child("gMono").is_some() {
        require(number(total, "gMono/vIBSMono") == mono("vIBSMono"), "1092")?;
        require(number(total, "gMono/vCBSMono") == mono("vCBSMono"), "1093")?;
    }
    item_total(ctx)
}

/// Sum of the elements of a name anywhere below: the groups of the single
/// phase changed with each package.
fn all(element: &Element, name: &str) -> Decimal {
    element
        .elements()
        .map(|e| {
            let own = if e.name == name {
                e.text().parse().unwrap_or_default()
            } else {
                Decimal::ZERO
            };
            own + all(e, name)
        })
        .sum()
}

/// vNFTot is the sum of the items' vItem (W60), where both are given.
fn item_total(ctx: &Context<'_>) -> Result<(), Refusal> {
    let all = ctx.nfe.items().all(|i| i.child("vItem").is_some());
    if !all || !ctx.nfe.has("total/vNFTot") {
        return Ok(());
    }
    let sum: Decimal = ctx.nfe.items().map(|i| number(i, "vItem")).sum();
    require(ctx.nfe.n("total/vNFTot") == sum, "1094")
}
