//! `IPI` and `II` of an item.

use crate::arithmetic::{by_unit, f2, f4, fixed, percent_of, plus, r2, variable};
use crate::assembly::leftovers::{self, Situation};
use crate::assembly::line::Line;
use crate::assembly::sums::Sums;
use crate::context::Context;
use fiscal::nfe::order::Ipi;
use markup::tree::Node;
use rust_decimal::Decimal;

/// Builds `IPI`; none where neither item nor profile names a CST.
pub(super) fn ipi(ctx: &mut Context<'_>, line: &Line<'_>, sums: &mut Sums) -> Option<Node> {
    let impostos = line.place.at("impostos");
    let place = impostos.at("ipi");
    let own_data = line.item.impostos.as_ref().and_then(|i| i.ipi.as_ref());
    let default = ctx.emitter.padroes.ipi.as_ref();
    let default =
        default.filter(|_| ctx.calcular && !ctx.only_ibs_cbs() && !ctx.nfce() && !line.service);
    let ipi: &Ipi = own_data.or(default).filter(|_| !ctx.forbids("IPI"))?;
    if ctx.nfce() {
        ctx.error(
            place,
            "ipi_na_nfce",
            "A NFC-e não admite IPI.",
            "Retire o grupo ipi, ou emita NF-e.",
        );
        return None;
    }
    let cst = ctx.mandatory_text(place.at("cst"), ipi.cst.as_deref(), 2);
    outside(ctx, line, ipi, own_data.is_none());
    let mut group = Node::group("IPI");
    if let Some(text) = &ipi.cnpj_produtor {
        let cnpj =
            crate::assembly::parties::cnpj(ctx, place.at("cnpj_produtor"), "CNPJProd", Some(text));
        group = group.child_if(cnpj);
    }
    let seal = ctx.text(place.at("selo"), ipi.selo.as_deref(), 60);
    let seal_quantity = ctx.optional(place.at("quantidade_selo"), ipi.quantidade_selo);
    group = group
        .with_if("cSelo", seal)
        .with_if("qSelo", seal_quantity.map(|q| variable(q, 0, 0)))
        .with("cEnq", ipi.enquadramento.as_deref().unwrap_or("999").trim());
    match cst.as_str() {
        "00" | "49" | "50" | "99" => {
            let trib = Node::group("IPITrib").with("CST", cst);
            let (trib, value) = taxed(ctx, line, ipi, trib, sums);
            sums.ipi = value;
            Some(group.child(trib))
        }
        "" => None,
        _ => Some(group.child(Node::group("IPINT").with("CST", cst))),
    }
}

/// Tells what the situation has no place for.
fn outside(ctx: &mut Context<'_>, line: &Line<'_>, ipi: &Ipi, of_perfil: bool) {
    let cst = ipi.cst.as_deref().unwrap_or_default().trim();
    let taxed = matches!(cst, "00" | "49" | "50" | "99");
    let fitting: &[&str] = match (taxed, ipi.valor_unidade.is_some()) {
        (true, true) => &["quantidade", "valor_unidade", "valor"],
        (true, false) => &["base", "aliquota", "valor"],
        (false, _) => &[],
    };
    let fitting = [
        &[
            "cst",
            "enquadramento",
            "cnpj_produtor",
            "selo",
            "quantidade_selo",
        ],
        fitting,
    ];
    let situation = Situation {
        tax: "ipi",
        name: &format_args!("no CST {cst} do IPI"),
        of_perfil,
    };
    leftovers::tell(ctx, line.place, &situation, ipi, &fitting.concat());
}

fn taxed(
    ctx: &mut Context<'_>,
    line: &Line<'_>,
    ipi: &Ipi,
    trib: Node,
    sums: &Sums,
) -> (Node, Decimal) {
    let impostos = line.place.at("impostos");
    let place = impostos.at("ipi");
    if ipi.valor_unidade.is_some() {
        let unit = ctx.number(place.at("valor_unidade"), ipi.valor_unidade);
        let quantity = ctx.optional(place.at("quantidade"), ipi.quantidade);
        let quantity = quantity.unwrap_or(line.taxable_quantity);
        let value = ctx.checked(place.at("valor"), ipi.valor, by_unit(quantity, unit));
        let trib = trib
            .with("qUnid", variable(quantity, 0, 4))
            .with("vUnid", fixed(unit, 4))
            .with("vIPI", f2(value));
        return (trib, value);
    }
    let base = match ctx.optional(place.at("base"), ipi.base) {
        Some(base) => r2(base),
        None => base_usual(line, sums),
    };
    let rate = ctx.optional(place.at("aliquota"), ipi.aliquota);
    if rate.is_none() && ipi.valor.is_none() {
        ctx.missing(
            place.at("aliquota"),
            "Informe a alíquota do IPI, ou valor_unidade.",
        );
    }
    let rate = rate.unwrap_or_default();
    let value = ctx.checked(place.at("valor"), ipi.valor, percent_of(base, rate));
    let trib = trib
        .with("vBC", f2(base))
        .with("pIPI", f4(rate))
        .with("vIPI", f2(value));
    (trib, value)
}

/// Price and what comes with it (Decreto 7.212/2010 art. 190 II), less the
/// unconditional discount (STF Tema 84); on import the customs value and II
/// (art. 190 I a).
fn base_usual(line: &Line<'_>, sums: &Sums) -> Decimal {
    if line.import {
        return plus(line.values.operation() - line.values.other, sums.ii);
    }
    line.values.operation()
}

/// Builds `II`, if the item has it.
pub(super) fn ii(ctx: &mut Context<'_>, line: &Line<'_>, sums: &mut Sums) -> Option<Node> {
    let ii = line.item.impostos.as_ref()?.ii.as_ref();
    let ii = ii.filter(|_| !ctx.forbids("II"))?;
    let impostos = line.place.at("impostos");
    let place = impostos.at("ii");
    let base = ctx
        .optional(place.at("base"), ii.base)
        .unwrap_or(line.values.prod);
    let expenses = ctx.optional(place.at("despesas_aduaneiras"), ii.despesas_aduaneiras);
    let value = ctx.number(place.at("valor"), ii.valor);
    let iof = ctx.optional(place.at("iof"), ii.iof);
    sums.ii = r2(value);
    Some(
        Node::group("II")
            .with("vBC", f2(base))
            .with("vDespAdu", f2(expenses.unwrap_or_default()))
            .with("vII", f2(value))
            .with("vIOF", f2(iof.unwrap_or_default())),
    )
}
