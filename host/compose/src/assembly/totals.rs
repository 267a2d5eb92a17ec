//! `total`: sums of the items, never figures of their own.

use super::Totais;
use super::ide::data;
use crate::arithmetic::f2;
use crate::assembly::sums::Somas;
use crate::context::{Contexto, Onde};
use crate::frame::layout_de;
use crate::ibs_cbs;
use markup::tree::Elemento;
use rust_decimal::Decimal;

/// Builds the group.
pub(super) fn total(
    ctx: &mut Contexto<'_>,
    somas: &Somas,
    reforma: &[ibs_cbs::Somas],
    v_nf_tot: Decimal,
) -> Elemento {
    let com_reforma = ibs_cbs::totals(reforma);
    let v_nf_tot = match com_reforma {
        Some(_) => ibs_cbs::v_nf_tot(ibs_cbs::Versao::de(layout_de(ctx.dados)), [v_nf_tot]),
        None => None,
    };
    let seletivo = (!somas.is.is_zero()).then(|| Elemento::grupo("ISTot").com("vIS", f2(somas.is)));
    Elemento::grupo("total")
        .filho(icms(somas))
        .filho_se(servicos(ctx, somas))
        .filho_se(retencoes(ctx))
        .filho_se(seletivo)
        .filho_se(com_reforma)
        .com_se("vNFTot", v_nf_tot)
}

fn icms(somas: &Somas) -> Elemento {
    let se = |valor: Decimal| (!valor.is_zero()).then(|| f2(valor));
    let difal = !(somas.icms_uf_dest.is_zero() && somas.fcp_uf_dest.is_zero());
    let destino = |valor: Decimal| difal.then(|| f2(valor));
    Elemento::grupo("ICMSTot")
        .com("vBC", f2(somas.bc))
        .com("vICMS", f2(somas.icms))
        .com("vICMSDeson", f2(somas.desonerado))
        .com_se("vFCPUFDest", destino(somas.fcp_uf_dest))
        .com_se("vICMSUFDest", destino(somas.icms_uf_dest))
        .com_se("vICMSUFRemet", destino(somas.icms_uf_remet))
        .com("vFCP", f2(somas.fcp))
        .com("vBCST", f2(somas.bc_st))
        .com("vST", f2(somas.st))
        .com("vFCPST", f2(somas.fcp_st))
        .com("vFCPSTRet", f2(somas.fcp_st_retido))
        .com_se("qBCMono", se(somas.q_mono))
        .com_se("vICMSMono", se(somas.mono))
        .com_se("qBCMonoReten", se(somas.q_mono_reten))
        .com_se("vICMSMonoReten", se(somas.mono_reten))
        .com_se("qBCMonoRet", se(somas.q_mono_ret))
        .com_se("vICMSMonoRet", se(somas.mono_ret))
        .com("vProd", f2(somas.prod))
        .com("vFrete", f2(somas.frete))
        .com("vSeg", f2(somas.seguro))
        .com("vDesc", f2(somas.desconto))
        .com("vII", f2(somas.ii))
        .com("vIPI", f2(somas.ipi))
        .com("vIPIDevol", f2(somas.ipi_devolvido))
        .com("vPIS", f2(somas.pis))
        .com("vCOFINS", f2(somas.cofins))
        .com("vOutro", f2(somas.outro))
        .com("vNF", f2(somas.total()))
        .com_se("vTotTrib", se(somas.tributos))
}

/// `ISSQNtot`, when there is a service.
fn servicos(ctx: &mut Contexto<'_>, somas: &Somas) -> Option<Elemento> {
    let pedido = ctx.pedido;
    let ha = pedido.itens.iter().any(|item| {
        item.impostos
            .as_ref()
            .is_some_and(|impostos| impostos.issqn.is_some())
    });
    if !ha {
        return None;
    }
    let dados = pedido.servicos.as_ref();
    let onde = Onde::raiz("servicos");
    let competencia = dados.and_then(|dados| dados.data_competencia.as_deref());
    let competencia = data(ctx, onde.em("data_competencia"), competencia)
        .unwrap_or_else(|| ctx.dados.dh_emi.date().to_string());
    let se = |valor: Decimal| (!valor.is_zero()).then(|| f2(valor));
    Some(
        Elemento::grupo("ISSQNtot")
            .com_se("vServ", se(somas.serv))
            .com_se("vBC", se(somas.bc_iss))
            .com_se("vISS", se(somas.iss))
            .com_se("vPIS", se(somas.pis_serv))
            .com_se("vCOFINS", se(somas.cofins_serv))
            .com("dCompet", competencia)
            .com_se("vDeducao", se(somas.deducao_serv))
            .com_se("vOutro", se(somas.outro_serv))
            .com_se("vDescIncond", se(somas.desc_incond))
            .com_se("vDescCond", se(somas.desc_cond))
            .com_se("vISSRet", se(somas.iss_retido))
            .com_se(
                "cRegTrib",
                dados
                    .and_then(|d| d.regime_especial.as_deref())
                    .map(str::trim),
            ),
    )
}

fn retencoes(ctx: &mut Contexto<'_>) -> Option<Elemento> {
    let dados = ctx.pedido.retencoes.as_ref()?;
    let onde = Onde::raiz("retencoes");
    let mut grupo = Elemento::grupo("retTrib");
    for (elemento, campo, valor) in [
        ("vRetPIS", "pis", dados.pis),
        ("vRetCOFINS", "cofins", dados.cofins),
        ("vRetCSLL", "csll", dados.csll),
        ("vBCIRRF", "base_irrf", dados.base_irrf),
        ("vIRRF", "irrf", dados.irrf),
        ("vBCRetPrev", "base_previdencia", dados.base_previdencia),
        ("vRetPrev", "previdencia", dados.previdencia),
    ] {
        let valor = ctx.opcional(onde.em(campo), valor);
        grupo = grupo.com_se(elemento, valor.filter(|valor| !valor.is_zero()).map(f2));
    }
    (!grupo.lista().is_empty()).then_some(grupo)
}

/// Totals for the answer.
pub(super) fn resumo(somas: &Somas, reforma: &[ibs_cbs::Somas], troco: Decimal) -> Totais {
    let soma = |campo: fn(&ibs_cbs::Somas) -> Decimal| reforma.iter().map(campo).sum();
    Totais {
        produtos: somas.prod,
        servicos: somas.serv,
        desconto: somas.desconto,
        frete: somas.frete,
        seguro: somas.seguro,
        outras_despesas: somas.outro,
        icms: somas.icms,
        icms_st: somas.st,
        fcp: somas.fcp,
        difal: somas.icms_uf_dest,
        ipi: somas.ipi,
        ii: somas.ii,
        pis: somas.pis,
        cofins: somas.cofins,
        iss: somas.iss,
        ibs: soma(|somas| somas.v_ibs),
        cbs: soma(|somas| somas.v_cbs),
        tributos_aproximados: somas.tributos,
        troco,
    }
}
