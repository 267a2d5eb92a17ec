//! Groups H to UA: the items and their taxes.

use rust_decimal::Decimal;

use super::{Context, cents, close};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::{number, only};
use crate::sefaz::rules::tables::{cfop, devolution, ncm};
use crate::xml::Element;

/// First item of an NFC-e in the homologation environment.
const HOMOLOGACAO: &str = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
/// CFOP of the NFC-e (I08-150).
const NFCE: [&str; 11] = [
    "5101", "5102", "5103", "5104", "5115", "5405", "5656", "5667", "5933", "5949", "5910",
];

pub(super) fn check(ctx: &Context<'_>) -> Result<(), Refusal> {
    for (n, item) in ctx.nfe.items().enumerate() {
        let n = n + 1;
        if item.attr("nItem") != Some(n.to_string().as_str()) {
            return Err("927".into());
        }
        let holds = |holds: bool, code: &str| {
            if holds {
                Ok(())
            } else {
                Err(Refusal::item(code, n))
            }
        };
        alone(ctx, item, &holds)?;
        product(ctx, item, n, &holds)?;
        operation(ctx, item, &holds)?;
        taxes(ctx, item, &holds)?;
        if ctx.nfe.nfce() {
            consumer(item, &holds)?;
        }
    }
    Ok(())
}

type Holds<'a> = &'a dyn Fn(bool, &str) -> Result<(), Refusal>;

fn text(item: &Element, path: &str) -> String {
    item.text_at(path).unwrap_or_default()
}

fn product(ctx: &Context<'_>, item: &Element, n: usize, holds: Holds<'_>) -> Result<(), Refusal> {
    for (tag, bad, empty) in [("cEAN", "611", "883"), ("cEANTrib", "612", "888")] {
        let gtin = text(item, &format!("prod/{tag}"));
        holds(!gtin.is_empty(), empty)?;
        holds(gtin == "SEM GTIN" || gtin_ok(&gtin), bad)?;
    }
    let first = text(item, "prod/xProd");
    if ctx.nfe.nfce() && n == 1 && ctx.nfe.t("ide/tpAmb") == "2" {
        holds(first == HOMOLOGACAO, "373")?;
    }
    let code = text(item, "prod/NCM");
    if code == "00" {
        let service = item.at("imposto/ISSQN").is_some() || ctx.nfe.t("ide/finNFe") == "3";
        holds(service, "471")?;
    } else {
        holds(code.len() == 8, "777")?;
        holds(code == "00000000" || ncm(&code), "778")?;
    }
    let value = number(item, "prod/vProd");
    if ctx.nfe.t("ide/finNFe") == "1" {
        let product = |unit: &str, quantity: &str| {
            let product = number(item, unit).checked_mul(number(item, quantity));
            product.is_some_and(|p| close(cents(p), value))
        };
        holds(product("prod/vUnCom", "prod/qCom"), "629")?;
        holds(product("prod/vUnTrib", "prod/qTrib"), "630")?;
    }
    holds(number(item, "prod/vDesc") <= value, "483")
}

/// True when a GTIN has the right length and its GS1 check digit: weights 3 and
/// 1 from the right.
pub fn gtin_ok(gtin: &str) -> bool {
    let digits: Vec<u32> = gtin.chars().filter_map(|c| c.to_digit(10)).collect();
    if digits.len() != gtin.len() || !matches!(digits.len(), 8 | 12 | 13 | 14) {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .rev()
        .skip(1)
        .zip([3, 1].iter().cycle())
        .map(|(d, w)| d * w)
        .sum();
    digits.last() == Some(&((10 - sum % 10) % 10))
}

/// CFOP against the operation (I08).
fn operation(ctx: &Context<'_>, item: &Element, holds: Holds<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let code = text(item, "prod/CFOP");
    holds(cfop(&code), "770")?;
    let service = item.at("imposto/ISSQN").is_some();
    if nfe.nfce() {
        holds(NFCE.contains(&code.as_str()), "725")?;
        return holds((code == "5933") == service, "374");
    }
    let first = code.get(..1).unwrap_or_default();
    let incoming = matches!(first, "1" | "2" | "3");
    let outgoing_note = nfe.t("ide/tpNF") == "1";
    holds(!(incoming && outgoing_note), "518")?;
    holds(incoming || outgoing_note, "519")?;
    let id_dest = nfe.t("ide/idDest");
    let (wanted, wrong) = match first {
        "3" | "7" => ("3", "731"),
        "2" | "6" => ("2", "732"),
        _ => ("1", "733"),
    };
    let fuel_elsewhere = item.at("prod/comb/UFCons").is_some();
    holds(id_dest == wanted || fuel_elsewhere, wrong)?;
    let purpose = nfe.t("ide/finNFe");
    let generic = matches!(code.as_str(), "1949" | "2949") && nfe.t("dest/indIEDest") == "9";
    holds(purpose != "4" || devolution(&code) || generic, "327")?;
    holds(
        !devolution(&code) || matches!(purpose.as_str(), "2" | "4" | "5" | "6"),
        "328",
    )
}

/// Notes of debit and credit, and what the government pays for later, carry IBS
/// and CBS alone (B25-80). Not those of goods that come back, of values reduced, of
/// stock lost; what is paid in advance in 2026 may carry PIS and COFINS.
fn alone(ctx: &Context<'_>, item: &Element, holds: Holds<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let (debit, credit) = (nfe.t("ide/tpNFDebito"), nfe.t("ide/tpNFCredito"));
    let free = debit == "07" || matches!(credit.as_str(), "03" | "04" | "06");
    if !without_old_taxes(ctx) || free {
        return Ok(());
    }
    let has = |tag: &str| item.at(&format!("imposto/{tag}")).is_some();
    for tag in ["ICMS", "ISSQN", "IPI", "II", "ICMSUFDest"] {
        holds(!has(tag), "1001")?;
    }
    holds(item.child("impostoDevol").is_none(), "1001")?;
    let contributions = debit == "06" && nfe.t("ide/dhEmi").starts_with("2026");
    for tag in ["PIS", "PISST", "COFINS", "COFINSST"] {
        holds(contributions || !has(tag), "1001")?;
    }
    Ok(())
}

/// Notes that may be without PIS and COFINS (Q01-20, S01-20).
fn without_old_taxes(ctx: &Context<'_>) -> bool {
    let purpose = ctx.nfe.t("ide/finNFe");
    matches!(purpose.as_str(), "5" | "6") || ctx.nfe.t("ide/gCompraGov/tpOperGov") == "2"
}

fn taxes(ctx: &Context<'_>, item: &Element, holds: Holds<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let simples = matches!(nfe.t("emit/CRT").as_str(), "1" | "4");
    if let Some(icms) = only(item, "imposto/ICMS") {
        let by_csosn = icms.child("CSOSN").is_some();
        // The single-phase CSTs of fuels belong to every regime.
        let mono = icms
            .text_at("CST")
            .is_some_and(|c| matches!(c.as_str(), "02" | "15" | "53" | "61"));
        holds(!simples || by_csosn || mono, "590")?;
        holds(simples || !by_csosn, "591")?;
        if nfe.t("ide/finNFe") == "1" {
            icms_value(&icms, holds)?;
        }
        if nfe.nfce() {
            let cst = icms.text_at("CST").unwrap_or_default();
            holds(cst != "51", "740")?;
            holds(cst != "50", "766")?;
        }
    }
    if !nfe.nfce() && !without_old_taxes(ctx) {
        holds(item.at("imposto/PIS").is_some(), "745")?;
        holds(item.at("imposto/COFINS").is_some(), "748")?;
    }
    if item.at("imposto/ISSQN").is_some() {
        holds(nfe.has("emit/IM"), "530")?;
    }
    if item.child("impostoDevol").is_some() {
        holds(!nfe.nfce(), "390")?;
        holds(nfe.t("ide/finNFe") == "4", "354")?;
    }
    Ok(())
}

/// ICMS = base × rate (N17-10), where nothing is deferred. Notes that
/// complement or adjust carry amounts alone: both rules are of `finNFe` 1.
fn icms_value(icms: &Element, holds: Holds<'_>) -> Result<(), Refusal> {
    let plain = matches!(
        icms.name.as_str(),
        "ICMS00" | "ICMS10" | "ICMS20" | "ICMS70"
    );
    if !plain || icms.child("vICMS").is_none() {
        return Ok(());
    }
    let hundred = Decimal::ONE_HUNDRED;
    let value = number(icms, "vBC")
        .checked_mul(number(icms, "pICMS"))
        .map(|v| cents(v / hundred));
    holds(
        value.is_some_and(|v| close(v, number(icms, "vICMS"))),
        "528",
    )?;
    if icms.child("vFCP").is_some() {
        // ICMS00 has no base of its own for the fund: it is the tax's.
        let base = if icms.name == "ICMS00" {
            "vBC"
        } else {
            "vBCFCP"
        };
        let fcp = number(icms, base)
            .checked_mul(number(icms, "pFCP"))
            .map(|v| cents(v / hundred));
        holds(fcp.is_some_and(|v| close(v, number(icms, "vFCP"))), "860")?;
    }
    Ok(())
}

/// What an NFC-e must not have.
fn consumer(item: &Element, holds: Holds<'_>) -> Result<(), Refusal> {
    for (path, code) in [
        ("prod/veicProd", "736"),
        ("prod/arma", "738"),
        ("imposto/ICMS/ICMSPart", "741"),
        ("imposto/IPI", "742"),
        ("imposto/II", "743"),
        ("imposto/PISST", "746"),
        ("imposto/COFINSST", "749"),
        ("imposto/ICMSUFDest", "807"),
    ] {
        holds(item.at(path).is_none(), code)?;
    }
    holds(text(item, "prod/indTot") != "0", "774")
}

/// Some totals count only these items: services have totals of their own.
pub(super) fn goods(item: &Element) -> bool {
    item.at("imposto/ISSQN").is_none()
}
