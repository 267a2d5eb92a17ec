//! `total`: sums of the items, never figures of their own.

use super::Totals;
use super::ide::data;
use crate::arithmetic::f2;
use crate::assembly::sums::Sums;
use crate::context::{Context, Place};
use crate::frame::layout_of;
use crate::ibs_cbs;
use markup::tree::Node;
use rust_decimal::Decimal;

/// Builds the group.
pub(super) fn total(
    ctx: &mut Context<'_>,
    sums: &Sums,
    reforma: &[ibs_cbs::Sums],
    v_nf_tot: Decimal,
) -> Node {
    let with_reform = ibs_cbs::totals(reforma);
    let v_nf_tot = match with_reform {
        Some(_) => ibs_cbs::v_nf_tot(ibs_cbs::Version::of(layout_of(ctx.given)), [v_nf_tot]),
        None => None,
    };
    let selective = (!sums.is.is_zero()).then(|| Node::group("ISTot").with("vIS", f2(sums.is)));
    Node::group("total")
        .child(icms(sums))
        .child_if(services(ctx, sums))
        .child_if(withholdings(ctx))
        .child_if(selective)
        .child_if(with_reform)
        .with_if("vNFTot", v_nf_tot)
}

fn icms(sums: &Sums) -> Node {
    let unless_zero = |value: Decimal| (!value.is_zero()).then(|| f2(value));
    let difal = !(sums.icms_uf_dest.is_zero() && sums.fcp_uf_dest.is_zero());
    let destination = |value: Decimal| difal.then(|| f2(value));
    Node::group_of("ICMSTot", 32)
        .with("vBC", f2(sums.bc))
        .with("vICMS", f2(sums.icms))
        .with("vICMSDeson", f2(sums.relieved))
        .with_if("vFCPUFDest", destination(sums.fcp_uf_dest))
        .with_if("vICMSUFDest", destination(sums.icms_uf_dest))
        .with_if("vICMSUFRemet", destination(sums.icms_uf_origin))
        .with("vFCP", f2(sums.fcp))
        .with("vBCST", f2(sums.bc_st))
        .with("vST", f2(sums.st))
        .with("vFCPST", f2(sums.fcp_st))
        .with("vFCPSTRet", f2(sums.fcp_st_withheld))
        .with_if("qBCMono", unless_zero(sums.q_mono))
        .with_if("vICMSMono", unless_zero(sums.mono))
        .with_if("qBCMonoReten", unless_zero(sums.q_mono_withholding))
        .with_if("vICMSMonoReten", unless_zero(sums.mono_withholding))
        .with_if("qBCMonoRet", unless_zero(sums.q_mono_ret))
        .with_if("vICMSMonoRet", unless_zero(sums.mono_ret))
        .with("vProd", f2(sums.prod))
        .with("vFrete", f2(sums.frete))
        .with("vSeg", f2(sums.insurance))
        .with("vDesc", f2(sums.discount))
        .with("vII", f2(sums.ii))
        .with("vIPI", f2(sums.ipi))
        .with("vIPIDevol", f2(sums.ipi_returned))
        .with("vPIS", f2(sums.pis))
        .with("vCOFINS", f2(sums.cofins))
        .with("vOutro", f2(sums.other))
        .with("vNF", f2(sums.total()))
        .with_if("vTotTrib", unless_zero(sums.taxes))
}

/// `ISSQNtot`, when there is a service.
fn services(ctx: &mut Context<'_>, sums: &Sums) -> Option<Node> {
    let request = ctx.request;
    let any_item = request.itens.iter().any(|item| {
        item.impostos
            .as_ref()
            .is_some_and(|impostos| impostos.issqn.is_some())
    });
    if !any_item {
        return None;
    }
    let given = request.servicos.as_ref();
    let place = Place::root("servicos");
    let period = given.and_then(|given| given.data_competencia.as_deref());
    let period = data(ctx, place.at("data_competencia"), period)
        .unwrap_or_else(|| ctx.given.dh_emi.date().to_string());
    let unless_zero = |value: Decimal| (!value.is_zero()).then(|| f2(value));
    Some(
        Node::group("ISSQNtot")
            .with_if("vServ", unless_zero(sums.services))
            .with_if("vBC", unless_zero(sums.bc_iss))
            .with_if("vISS", unless_zero(sums.iss))
            .with_if("vPIS", unless_zero(sums.services_pis))
            .with_if("vCOFINS", unless_zero(sums.services_cofins))
            .with("dCompet", period)
            .with_if("vDeducao", unless_zero(sums.services_deduction))
            .with_if("vOutro", unless_zero(sums.services_other))
            .with_if("vDescIncond", unless_zero(sums.unconditional_discount))
            .with_if("vDescCond", unless_zero(sums.conditional_discount))
            .with_if("vISSRet", unless_zero(sums.iss_withheld))
            .with_if(
                "cRegTrib",
                given
                    .and_then(|d| d.regime_especial.as_deref())
                    .map(str::trim),
            ),
    )
}

fn withholdings(ctx: &mut Context<'_>) -> Option<Node> {
    let given = ctx.request.retencoes.as_ref()?;
    let place = Place::root("retencoes");
    let mut group = Node::group("retTrib");
    for (element, field, value) in [
        ("vRetPIS", "pis", given.pis),
        ("vRetCOFINS", "cofins", given.cofins),
        ("vRetCSLL", "csll", given.csll),
        ("vBCIRRF", "base_irrf", given.base_irrf),
        ("vIRRF", "irrf", given.irrf),
        ("vBCRetPrev", "base_previdencia", given.base_previdencia),
        ("vRetPrev", "previdencia", given.previdencia),
    ] {
        let value = ctx.optional(place.at(field), value);
        group = group.with_if(element, value.filter(|value| !value.is_zero()).map(f2));
    }
    (!group.list().is_empty()).then_some(group)
}

/// Totals for the answer.
pub(super) fn digest(sums: &Sums, reforma: &[ibs_cbs::Sums], change: Decimal) -> Totals {
    let sum = |field: fn(&ibs_cbs::Sums) -> Decimal| reforma.iter().map(field).sum();
    Totals {
        produtos: sums.prod,
        servicos: sums.services,
        desconto: sums.discount,
        frete: sums.frete,
        seguro: sums.insurance,
        outras_despesas: sums.other,
        icms: sums.icms,
        icms_st: sums.st,
        fcp: sums.fcp,
        difal: sums.icms_uf_dest,
        ipi: sums.ipi,
        ii: sums.ii,
        pis: sums.pis,
        cofins: sums.cofins,
        iss: sums.iss,
        ibs: sum(|sums| sums.v_ibs),
        cbs: sum(|sums| sums.v_cbs),
        tributos_aproximados: sums.taxes,
        troco: change,
    }
}
