//! Group W: totals against the sums of the items.

use rust_decimal::Decimal;

use super::{Contexto, require};
use crate::sefaz::cstat::Recusa;
use crate::sefaz::document::{number, only};
use crate::sefaz::rules::items::goods;
use crate::xml::Element;

/// Above this an NFC-e names its customer.
const IDENTIFICAR: Decimal = Decimal::from_parts(1_000_000, 0, 0, false, 2);
/// Greatest NFC-e.
const LIMITE_NFCE: Decimal = Decimal::from_parts(20_000_000, 0, 0, false, 2);

pub(super) fn check(ctx: &Contexto<'_>) -> Result<(), Recusa> {
    icms(ctx)?;
    items(ctx)?;
    services(ctx)?;
    total(ctx)?;
    consumer(ctx)
}

/// Sum of a function over the items.
fn sum(ctx: &Contexto<'_>, value: impl Fn(&Element) -> Decimal) -> Decimal {
    ctx.nfe.itens().map(value).sum()
}

fn same(ctx: &Contexto<'_>, total: &str, found: Decimal, code: &str) -> Result<(), Recusa> {
    require(ctx.nfe.n(&format!("total/ICMSTot/{total}")) == found, code)
}

/// The ICMS group of an item.
fn group(item: &Element) -> Option<Element> {
    only(item, "imposto/ICMS")
}

fn icms(ctx: &Contexto<'_>) -> Result<(), Recusa> {
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

fn items(ctx: &Contexto<'_>) -> Result<(), Recusa> {
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

fn services(ctx: &Contexto<'_>) -> Result<(), Recusa> {
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
fn total(ctx: &Contexto<'_>) -> Result<(), Recusa> {
    let imported = ctx
        .nfe
        .itens()
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
        .itens()
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

fn consumer(ctx: &Contexto<'_>) -> Result<(), Recusa> {
    if !ctx.nfe.nfce() {
        return Ok(());
    }
    let value = ctx.nfe.n("total/ICMSTot/vNF");
    require(value <= LIMITE_NFCE, "780")?;
    if value > IDENTIFICAR {
        let known = !ctx.nfe.destinatario().is_empty() || ctx.nfe.has("dest/idEstrangeiro");
        require(known, "750")?;
        require(ctx.nfe.has("dest/xNome"), "751")?;
        require(ctx.nfe.has("dest/enderDest"), "752")?;
    }
    Ok(())
}
