//! Group W: totals against the sums of the items.

use rust_decimal::Decimal;

use super::{Context, require};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::{number, only};
use crate::sefaz::rules::items::goods;
use crate::xml::Element;

/// Above this an NFC-e names its customer.
const IDENTIFY_FROM: Decimal = Decimal::from_parts(1_000_000, 0, 0, false, 2);
/// Greatest NFC-e.
const NFCE_LIMIT: Decimal = Decimal::from_parts(20_000_000, 0, 0, false, 2);

pub(super) fn check(ctx: &Context<'_>) -> Result<(), Refusal> {
    icms(ctx)?;
    items(ctx)?;
    services(ctx)?;
    total(ctx)?;
    consumer(ctx)
}

/// Sum of a function over the items.
fn sum(ctx: &Context<'_>, value: impl Fn(&Element) -> Decimal) -> Decimal {
    ctx.nfe.items().map(value).sum()
}

fn same(ctx: &Context<'_>, total: &str, found: Decimal, code: &str) -> Result<(), Refusal> {
    require(ctx.nfe.n(&format!("total/ICMSTot/{total}")) == found, code)
}

/// The ICMS group of an item.
fn group(item: &Element) -> Option<Element> {
    only(item, "imposto/ICMS")
}

fn icms(ctx: &Context<'_>) -> Result<(), Refusal> {
    let field = |name: &'static str| {
        sum(ctx, |item| {
            group(item).map_or(Decimal::ZERO, |g| number(&g, name))
        })
    };
    let taxed = |name: &'static str| {
        sum(ctx, |item| match group(item) {
            Some(g) if !matches!(text(&g, "CST").as_str(), "40" | "41" | "50") => number(&g, name),
            _ => Decimal::ZERO,
        })
    };
    same(ctx, "vBC", field("vBC"), "531")?;
    same(ctx, "vICMS", taxed("vICMS"), "532")?;
    same(ctx, "vICMSDeson", field("vICMSDeson"), "795")?;
    // With a deferral of the fund either sum is taken: which one the states want is not confirmed.
    let effective = sum(ctx, |item| {
        group(item).map_or(Decimal::ZERO, |g| {
            let path = if g.child("vFCPEfet").is_some() {
                "vFCPEfet"
            } else {
                "vFCP"
            };
            number(&g, path)
        })
    });
    let given = ctx.nfe.n("total/ICMSTot/vFCP");
    require(given == field("vFCP") || given == effective, "861")?;
    let dest = |name: &'static str| sum(ctx, |i| number(i, &format!("imposto/ICMSUFDest/{name}")));
    same(ctx, "vFCPUFDest", dest("vFCPUFDest"), "798")?;
    same(ctx, "vICMSUFDest", dest("vICMSUFDest"), "799")?;
    same(ctx, "vICMSUFRemet", dest("vICMSUFRemet"), "800")?;
    same(ctx, "vBCST", field("vBCST"), "533")?;
    same(ctx, "vST", field("vICMSST"), "534")?;
    same(ctx, "vFCPST", field("vFCPST"), "862")?;
    same(ctx, "vFCPSTRet", field("vFCPSTRet"), "859")
}

fn text(element: &Element, name: &str) -> String {
    element.text_at(name).unwrap_or_default()
}

fn items(ctx: &Context<'_>) -> Result<(), Refusal> {
    let products = sum(ctx, |item| {
        let counts = goods(item) && text(item, "prod/indTot") == "1";
        if counts {
            number(item, "prod/vProd")
        } else {
            Decimal::ZERO
        }
    });
    same(ctx, "vProd", products, "564")?;
    for (total, path, code) in [
        ("vFrete", "prod/vFrete", "535"),
        ("vSeg", "prod/vSeg", "536"),
        ("vDesc", "prod/vDesc", "537"),
        ("vII", "imposto/II/vII", "601"),
        ("vIPI", "imposto/IPI/IPITrib/vIPI", "538"),
        ("vIPIDevol", "impostoDevol/IPI/vIPIDevol", "863"),
    ] {
        same(ctx, total, sum(ctx, |i| number(i, path)), code)?;
    }
    let contribution = |tax: &'static str, value: &'static str| {
        sum(ctx, |item| {
            let group = only(item, &format!("imposto/{tax}"));
            match group {
                Some(g) if goods(item) => number(&g, value),
                _ => Decimal::ZERO,
            }
        })
    };
    same(ctx, "vPIS", contribution("PIS", "vPIS"), "602")?;
    same(ctx, "vCOFINS", contribution("COFINS", "vCOFINS"), "603")?;
    same(ctx, "vOutro", sum(ctx, |i| number(i, "prod/vOutro")), "604")?;
    if ctx.nfe.has("total/ICMSTot/vTotTrib") {
        same(
            ctx,
            "vTotTrib",
            sum(ctx, |i| number(i, "imposto/vTotTrib")),
            "685",
        )?;
    }
    Ok(())
}

fn services(ctx: &Context<'_>) -> Result<(), Refusal> {
    if !ctx.nfe.has("total/ISSQNtot") {
        return Ok(());
    }
    let service = |path: &'static str| {
        sum(ctx, |item| {
            if item.at("imposto/ISSQN").is_some() && text(item, "prod/indTot") == "1" {
                number(item, path)
            } else {
                Decimal::ZERO
            }
        })
    };
    for (total, path, code) in [
        ("vServ", "prod/vProd", "605"),
        ("vBC", "imposto/ISSQN/vBC", "606"),
        ("vISS", "imposto/ISSQN/vISSQN", "607"),
    ] {
        let given = ctx.nfe.n(&format!("total/ISSQNtot/{total}"));
        require(given == service(path), code)?;
    }
    Ok(())
}

/// W16-10. What was relieved may or may not have been taken off; the
/// single-phase tax withheld and PIS/COFINS-ST that enter the total count.
fn total(ctx: &Context<'_>) -> Result<(), Refusal> {
    let imported = ctx
        .nfe
        .items()
        .any(|i| text(i, "prod/CFOP").starts_with('3'));
    if imported {
        return Ok(());
    }
    let n = |name: &str| ctx.nfe.n(&format!("total/ICMSTot/{name}"));
    let into_total = |group: &'static str, flag: &'static str, value: &'static str| {
        sum(ctx, |item| match item.at(&format!("imposto/{group}")) {
            Some(g) if text(g, flag) == "1" => number(g, value),
            _ => Decimal::ZERO,
        })
    };
    let st = if ctx
        .nfe
        .items()
        .any(|i| text(i, "prod/veicProd/tpOp") == "2")
    {
        Decimal::ZERO
    } else {
        n("vST") + n("vFCPST")
    };
    let found = n("vProd") - n("vDesc")
        + st
        + n("vFrete")
        + n("vSeg")
        + n("vOutro")
        + n("vII")
        + n("vIPI")
        + n("vIPIDevol")
        + ctx.nfe.n("total/ISSQNtot/vServ")
        + n("vICMSMonoReten")
        + into_total("PISST", "indSomaPISST", "vPIS")
        + into_total("COFINSST", "indSomaCOFINSST", "vCOFINS");
    let given = n("vNF");
    require(given == found || given == found - n("vICMSDeson"), "610")
}

fn consumer(ctx: &Context<'_>) -> Result<(), Refusal> {
    if !ctx.nfe.nfce() {
        return Ok(());
    }
    let value = ctx.nfe.n("total/ICMSTot/vNF");
    require(value <= NFCE_LIMIT, "780")?;
    if value > IDENTIFY_FROM {
        let known = !ctx.nfe.recipient().is_empty() || ctx.nfe.has("dest/idEstrangeiro");
        require(known, "750")?;
        require(ctx.nfe.has("dest/xNome"), "751")?;
        require(ctx.nfe.has("dest/enderDest"), "752")?;
    }
    Ok(())
}
