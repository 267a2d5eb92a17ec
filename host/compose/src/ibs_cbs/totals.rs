//! `IBSCBSTot`, `vItem` and `vNFTot`: what items add up to.

use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

use super::{Pair, Version};
use crate::ibs_cbs::arithmetic::{two_places, value};
use markup::tree::Node;

/// From this day on IBS, CBS and IS are part of `vItem` (VB01-10, exception 1).
const OUTSIDE_START: Date = date!(2027 - 01 - 01);

/// Amounts of an item that the totals and `vItem` take in. What is not there
/// is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// The item has the group `IBSCBS`.
    pub informed: bool,
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
    pub v_cred_pres: Pair,
    pub v_cred_pres_suspensive: Pair,
    /// Part of the presumed IBS credit that came off `v_ibs` (UB54a-10).
    pub v_cred_pres_deducted: Decimal,
    /// `vIBSMono`, `vCBSMono`.
    pub v_mono: Pair,
    pub v_mono_withholding: Pair,
    pub v_mono_ret: Pair,
    /// `vTotIBSMonoItem`, `vTotCBSMonoItem`.
    pub v_tot_mono: Pair,
    /// The item has `gEstornoCred`.
    pub reversal: bool,
    pub v_reversal: Pair,
}

/// Builds `IBSCBSTot`: plain sums of the items (W35 to W59g). None when no item
/// has the group `IBSCBS`.
///
/// Rules 1118 (W34-10) and 1119 (W34-20) ask for the totals as soon as one item
/// has `IBSCBS`, even with nothing but CST and classification; two readers of
/// v1.50 and v1.51 say so, an older note says `gIBSCBS`. Not confirmed. The
/// members `gIBS` and `gCBS` are there with zeros then, as the calculator of the
/// RFB has them (second-hand).
pub fn totals<'a>(items: impl IntoIterator<Item = &'a Sums>) -> Option<Node> {
    let total = items
        .into_iter()
        .fold(Sums::default(), |total, item| total.plus(item));
    if !total.informed {
        return None;
    }
    let normal = total.normal || !total.mono;
    Some(
        Node::group("IBSCBSTot")
            .with("vBCIBSCBS", value(total.v_bc))
            .child_if(normal.then(|| ibs(&total)))
            .child_if(normal.then(|| cbs(&total)))
            .child_if(total.mono.then(|| mono(&total)))
            .child_if(total.reversal.then(|| {
                Node::group("gEstornoCred")
                    .with("vIBSEstCred", value(total.v_reversal.ibs))
                    .with("vCBSEstCred", value(total.v_reversal.cbs))
            })),
    )
}

/// `vItem` (VB01-10): in 2025 and 2026 the item's share of `vNF`; from 2027 on
/// with IBS, CBS, IS and the single-phase totals on top.
///
/// NT 2026.008 (schema not published in November 2026) puts those taxes into
/// `vProd` from 2027 on; a caller whose `vProd` has them must not add them here
/// again.
pub fn v_item(data: Date, vnf_portion: Decimal, sums: &Sums, v_is: Decimal) -> Decimal {
    if data < OUTSIDE_START {
        return two_places(vnf_portion);
    }
    let on_top = [
        sums.v_ibs,
        sums.v_cbs,
        v_is,
        sums.v_tot_mono.ibs,
        sums.v_tot_mono.cbs,
    ];
    two_places(
        on_top
            .into_iter()
            .fold(vnf_portion, Decimal::saturating_add),
    )
}

/// `vNFTot` (W60-10): the sum of all `vItem`, as written. None where the layout
/// has no zero for it (before 010f).
pub fn v_nf_tot(version: Version, v_items: impl IntoIterator<Item = Decimal>) -> Option<String> {
    let total = v_items
        .into_iter()
        .fold(Decimal::ZERO, Decimal::saturating_add);
    (version >= Version::F || !two_places(total).is_zero()).then(|| value(total))
}

impl Sums {
    /// Both together.
    fn plus(self, item: &Sums) -> Sums {
        let pair = |a: Pair, b: Pair| Pair {
            ibs: a.ibs.saturating_add(b.ibs),
            cbs: a.cbs.saturating_add(b.cbs),
        };
        let one = Decimal::saturating_add;
        Sums {
            informed: self.informed || item.informed,
            normal: self.normal || item.normal,
            mono: self.mono || item.mono,
            v_bc: one(self.v_bc, item.v_bc),
            v_dif_ibs_uf: one(self.v_dif_ibs_uf, item.v_dif_ibs_uf),
            v_dev_ibs_uf: one(self.v_dev_ibs_uf, item.v_dev_ibs_uf),
            v_ibs_uf: one(self.v_ibs_uf, item.v_ibs_uf),
            v_dif_ibs_mun: one(self.v_dif_ibs_mun, item.v_dif_ibs_mun),
            v_dev_ibs_mun: one(self.v_dev_ibs_mun, item.v_dev_ibs_mun),
            v_ibs_mun: one(self.v_ibs_mun, item.v_ibs_mun),
            v_ibs: one(self.v_ibs, item.v_ibs),
            v_dif_cbs: one(self.v_dif_cbs, item.v_dif_cbs),
            v_dev_cbs: one(self.v_dev_cbs, item.v_dev_cbs),
            v_cbs: one(self.v_cbs, item.v_cbs),
            v_cred_pres: pair(self.v_cred_pres, item.v_cred_pres),
            v_cred_pres_suspensive: pair(self.v_cred_pres_suspensive, item.v_cred_pres_suspensive),
            v_cred_pres_deducted: one(self.v_cred_pres_deducted, item.v_cred_pres_deducted),
            v_mono: pair(self.v_mono, item.v_mono),
            v_mono_withholding: pair(self.v_mono_withholding, item.v_mono_withholding),
            v_mono_ret: pair(self.v_mono_ret, item.v_mono_ret),
            v_tot_mono: pair(self.v_tot_mono, item.v_tot_mono),
            reversal: self.reversal || item.reversal,
            v_reversal: pair(self.v_reversal, item.v_reversal),
        }
    }
}

fn ibs(total: &Sums) -> Node {
    Node::group("gIBS")
        .child(
            Node::group("gIBSUF")
                .with("vDif", value(total.v_dif_ibs_uf))
                .with("vDevTrib", value(total.v_dev_ibs_uf))
                .with("vIBSUF", value(total.v_ibs_uf)),
        )
        .child(
            Node::group("gIBSMun")
                .with("vDif", value(total.v_dif_ibs_mun))
                .with("vDevTrib", value(total.v_dev_ibs_mun))
                .with("vIBSMun", value(total.v_ibs_mun)),
        )
        .with("vIBS", value(total.v_ibs))
        .with("vCredPres", value(total.v_cred_pres.ibs))
        .with("vCredPresCondSus", value(total.v_cred_pres_suspensive.ibs))
}

fn cbs(total: &Sums) -> Node {
    Node::group("gCBS")
        .with("vDif", value(total.v_dif_cbs))
        .with("vDevTrib", value(total.v_dev_cbs))
        .with("vCBS", value(total.v_cbs))
        .with("vCredPres", value(total.v_cred_pres.cbs))
        .with("vCredPresCondSus", value(total.v_cred_pres_suspensive.cbs))
}

fn mono(total: &Sums) -> Node {
    Node::group("gMono")
        .with("vIBSMono", value(total.v_mono.ibs))
        .with("vCBSMono", value(total.v_mono.cbs))
        .with("vIBSMonoReten", value(total.v_mono_withholding.ibs))
        .with("vCBSMonoReten", value(total.v_mono_withholding.cbs))
        .with("vIBSMonoRet", value(total.v_mono_ret.ibs))
        .with("vCBSMonoRet", value(total.v_mono_ret.cbs))
}
