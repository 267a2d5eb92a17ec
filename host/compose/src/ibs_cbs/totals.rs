//! `IBSCBSTot`, `vItem` and `vNFTot`: what items add up to.

use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

use super::{Par, Versao};
use crate::ibs_cbs::arithmetic::{reais, valor};
use markup::tree::Elemento;

/// From this day on IBS, CBS and IS are part of `vItem` (VB01-10, exception 1).
const INICIO_POR_FORA: Date = date!(2027 - 01 - 01);

/// Amounts of an item that the totals and `vItem` take in. What is not there
/// is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Somas {
    /// The item has the group `IBSCBS`.
    pub informado: bool,
    /// It has `gIBSCBS`.
    pub normal: bool,
    /// It has `gIBSCBSMono`.
    pub mono: bool,
    pub v_bc: Decimal,
    pub v_dif_ibs_uf: Decimal,
    pub v_dev_ibs_uf: Decimal,
    pub v_ibs_uf: Decimal,
    pub v_dif_ibs_mun: Decimal,
    pub v_dev_ibs_mun: Decimal,
    pub v_ibs_mun: Decimal,
    /// `vIBS`: less the presumed credit that comes off it.
    pub v_ibs: Decimal,
    pub v_dif_cbs: Decimal,
    pub v_dev_cbs: Decimal,
    pub v_cbs: Decimal,
    pub v_cred_pres: Par,
    pub v_cred_pres_cond_sus: Par,
    /// Part of the presumed IBS credit that came off `v_ibs` (UB54a-10).
    pub v_cred_pres_deduzido: Decimal,
    /// `vIBSMono`, `vCBSMono`.
    pub v_mono: Par,
    pub v_mono_reten: Par,
    pub v_mono_ret: Par,
    /// `vTotIBSMonoItem`, `vTotCBSMonoItem`.
    pub v_tot_mono: Par,
    /// The item has `gEstornoCred`.
    pub estorno: bool,
    pub v_estorno: Par,
}

/// Builds `IBSCBSTot`: plain sums of the items (W35 to W59g). None when no item
/// has the group `IBSCBS`.
///
/// Rules 1118 (W34-10) and 1119 (W34-20) ask for the totals as soon as one item
/// has `IBSCBS`, even with nothing but CST and classification; two readers of
/// v1.50 and v1.51 say so, an older note says `gIBSCBS`. Not confirmed. The
/// members `gIBS` and `gCBS` are there with zeros then, as the calculator of the
/// RFB has them (second-hand).
pub fn totals<'a>(itens: impl IntoIterator<Item = &'a Somas>) -> Option<Elemento> {
    let total = itens
        .into_iter()
        .fold(Somas::default(), |total, item| total.mais(item));
    if !total.informado {
        return None;
    }
    let normal = total.normal || !total.mono;
    Some(
        Elemento::grupo("IBSCBSTot")
            .com("vBCIBSCBS", valor(total.v_bc))
            .filho_se(normal.then(|| ibs(&total)))
            .filho_se(normal.then(|| cbs(&total)))
            .filho_se(total.mono.then(|| mono(&total)))
            .filho_se(total.estorno.then(|| {
                Elemento::grupo("gEstornoCred")
                    .com("vIBSEstCred", valor(total.v_estorno.ibs))
                    .com("vCBSEstCred", valor(total.v_estorno.cbs))
            })),
    )
}

/// `vItem` (VB01-10): in 2025 and 2026 the item's share of `vNF`; from 2027 on
/// with IBS, CBS, IS and the single-phase totals on top.
///
/// NT 2026.008 (schema not published in November 2026) puts those taxes into
/// `vProd` from 2027 on; a caller whose `vProd` has them must not add them here
/// again.
pub fn v_item(data: Date, parcela_v_nf: Decimal, somas: &Somas, v_is: Decimal) -> Decimal {
    if data < INICIO_POR_FORA {
        return reais(parcela_v_nf);
    }
    let por_fora = [
        somas.v_ibs,
        somas.v_cbs,
        v_is,
        somas.v_tot_mono.ibs,
        somas.v_tot_mono.cbs,
    ];
    reais(
        por_fora
            .into_iter()
            .fold(parcela_v_nf, Decimal::saturating_add),
    )
}

/// `vNFTot` (W60-10): the sum of all `vItem`, as written. None where the layout
/// has no zero for it (before 010f).
pub fn v_nf_tot(versao: Versao, v_itens: impl IntoIterator<Item = Decimal>) -> Option<String> {
    let total = v_itens
        .into_iter()
        .fold(Decimal::ZERO, Decimal::saturating_add);
    (versao >= Versao::F || !reais(total).is_zero()).then(|| valor(total))
}

impl Somas {
    /// Both together.
    fn mais(self, item: &Somas) -> Somas {
        let par = |a: Par, b: Par| Par {
            ibs: a.ibs.saturating_add(b.ibs),
            cbs: a.cbs.saturating_add(b.cbs),
        };
        let um = Decimal::saturating_add;
        Somas {
            informado: self.informado || item.informado,
            normal: self.normal || item.normal,
            mono: self.mono || item.mono,
            v_bc: um(self.v_bc, item.v_bc),
            v_dif_ibs_uf: um(self.v_dif_ibs_uf, item.v_dif_ibs_uf),
            v_dev_ibs_uf: um(self.v_dev_ibs_uf, item.v_dev_ibs_uf),
            v_ibs_uf: um(self.v_ibs_uf, item.v_ibs_uf),
            v_dif_ibs_mun: um(self.v_dif_ibs_mun, item.v_dif_ibs_mun),
            v_dev_ibs_mun: um(self.v_dev_ibs_mun, item.v_dev_ibs_mun),
            v_ibs_mun: um(self.v_ibs_mun, item.v_ibs_mun),
            v_ibs: um(self.v_ibs, item.v_ibs),
            v_dif_cbs: um(self.v_dif_cbs, item.v_dif_cbs),
            v_dev_cbs: um(self.v_dev_cbs, item.v_dev_cbs),
            v_cbs: um(self.v_cbs, item.v_cbs),
            v_cred_pres: par(self.v_cred_pres, item.v_cred_pres),
            v_cred_pres_cond_sus: par(self.v_cred_pres_cond_sus, item.v_cred_pres_cond_sus),
            v_cred_pres_deduzido: um(self.v_cred_pres_deduzido, item.v_cred_pres_deduzido),
            v_mono: par(self.v_mono, item.v_mono),
            v_mono_reten: par(self.v_mono_reten, item.v_mono_reten),
            v_mono_ret: par(self.v_mono_ret, item.v_mono_ret),
            v_tot_mono: par(self.v_tot_mono, item.v_tot_mono),
            estorno: self.estorno || item.estorno,
            v_estorno: par(self.v_estorno, item.v_estorno),
        }
    }
}

fn ibs(total: &Somas) -> Elemento {
    Elemento::grupo("gIBS")
        .filho(
            Elemento::grupo("gIBSUF")
                .com("vDif", valor(total.v_dif_ibs_uf))
                .com("vDevTrib", valor(total.v_dev_ibs_uf))
                .com("vIBSUF", valor(total.v_ibs_uf)),
        )
        .filho(
            Elemento::grupo("gIBSMun")
                .com("vDif", valor(total.v_dif_ibs_mun))
                .com("vDevTrib", valor(total.v_dev_ibs_mun))
                .com("vIBSMun", valor(total.v_ibs_mun)),
        )
        .com("vIBS", valor(total.v_ibs))
        .com("vCredPres", valor(total.v_cred_pres.ibs))
        .com("vCredPresCondSus", valor(total.v_cred_pres_cond_sus.ibs))
}

fn cbs(total: &Somas) -> Elemento {
    Elemento::grupo("gCBS")
        .com("vDif", valor(total.v_dif_cbs))
        .com("vDevTrib", valor(total.v_dev_cbs))
        .com("vCBS", valor(total.v_cbs))
        .com("vCredPres", valor(total.v_cred_pres.cbs))
        .com("vCredPresCondSus", valor(total.v_cred_pres_cond_sus.cbs))
}

fn mono(total: &Somas) -> Elemento {
    Elemento::grupo("gMono")
        .com("vIBSMono", valor(total.v_mono.ibs))
        .com("vCBSMono", valor(total.v_mono.cbs))
        .com("vIBSMonoReten", valor(total.v_mono_reten.ibs))
        .com("vCBSMonoReten", valor(total.v_mono_reten.cbs))
        .com("vIBSMonoRet", valor(total.v_mono_ret.ibs))
        .com("vCBSMonoRet", valor(total.v_mono_ret.cbs))
}
