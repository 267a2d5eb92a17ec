//! `gIBSCBSMono`: fuels taxed once in the chain.

use rust_decimal::Decimal;

use super::{Pair, Sums, Version};
use crate::ibs_cbs::arithmetic::{percent_of, quantity, rate, two_places, value};
use crate::ibs_cbs::input::{MonoRate, MonoTax, SinglePhase, Withheld};
use markup::tree::{Name, Node};

/// Amounts of one of the two taxes.
#[derive(Clone, Copy, Default)]
struct Computed {
    default: Decimal,
    withholding: Decimal,
    withheld: Decimal,
    deferred: Decimal,
}

impl Computed {
    /// UB104-10, UB105-10 (text of the layouts before 010f; second-hand): what
    /// was charged before is not part of it. Whether 010f adds or subtracts the
    /// difference of biofuel is not known here, and it is left out.
    fn total(&self) -> Decimal {
        self.default + self.withholding - self.deferred
    }
}

/// Builds the group; what may be in it was judged before.
pub(super) fn group(version: Version, mono: &SinglePhase, sums: &mut Sums) -> Node {
    let ibs = compute(&mono.ibs);
    let cbs = compute(&mono.cbs);
    sums.mono = true;
    sums.v_mono = pair(ibs.default, cbs.default);
    sums.v_mono_withholding = pair(ibs.withholding, cbs.withholding);
    sums.v_mono_ret = pair(ibs.withheld, cbs.withheld);
    sums.v_tot_mono = pair(ibs.total(), cbs.total());

    let group = Node::group("gIBSCBSMono");
    let group = if version >= Version::F {
        group
            .child_if(tax("IBS", &mono.ibs, &ibs))
            .child_if(tax("CBS", &mono.cbs, &cbs))
    } else {
        old(group, mono, &ibs, &cbs)
    };
    group
        .with("vTotIBSMonoItem", value(ibs.total()))
        .with("vTotCBSMonoItem", value(cbs.total()))
}

fn pair(ibs: Decimal, cbs: Decimal) -> Pair {
    Pair { ibs, cbs }
}

fn compute(tax: &MonoTax) -> Computed {
    let default = tax.default.map_or(Decimal::ZERO, rate_value);
    Computed {
        default,
        withholding: tax.withholding.map_or(Decimal::ZERO, rate_value),
        withheld: tax
            .withheld
            .map_or(Decimal::ZERO, |withheld| match withheld {
                Withheld::AdRem { quantity, ad_rem } => two_places(quantity * ad_rem),
                Withheld::Value(value) => two_places(value),
            }),
        deferred: tax
            .p_dif
            .map_or(Decimal::ZERO, |p_dif| percent_of(default, p_dif)),
    }
}

fn rate_value(rate: MonoRate) -> Decimal {
    match rate {
        MonoRate::AdRem { quantity, ad_rem } => two_places(quantity * ad_rem),
        // Each part is a field of its own; the whole is their sum.
        MonoRate::AdValorem { base, p, p_mun } => percent_of(base, p) + percent_of(base, p_mun),
    }
}

/// 010f: `gIBSMonoAdRem`, `gIBSMonoAdValorem` and the same of CBS.
fn tax(abbreviation: &'static str, tax: &MonoTax, v: &Computed) -> Option<Node> {
    let nothing = tax.default.is_none()
        && tax.withholding.is_none()
        && tax.withheld.is_none()
        && tax.bio.is_none();
    if nothing {
        return None;
    }
    let ad_valorem = [tax.default, tax.withholding]
        .iter()
        .any(|rate| matches!(rate, Some(MonoRate::AdValorem { .. })));
    let form = if ad_valorem { "AdValorem" } else { "AdRem" };
    let group = Node::group(name(&["g", abbreviation, "Mono", form]))
        .child_if(
            tax.default
                .map(|rate| default(abbreviation, rate, v.default)),
        )
        .child_if(
            tax.withholding
                .map(|rate| withholding(abbreviation, rate, v.withholding)),
        )
        .child_if(tax.withheld.map(|_| {
            Node::group("gMonoRet").with(name(&["v", abbreviation, "MonoRet"]), value(v.withheld))
        }))
        .child_if(tax.bio.map(|bio| {
            Node::group("gpBioDiferenca")
                .with("qBCBioComb", quantity(bio.quantity))
                .with(name(&["v", abbreviation, "Diferenca"]), value(bio.value))
        }));
    Some(group)
}

fn default(abbreviation: &'static str, form: MonoRate, total: Decimal) -> Node {
    let group = Node::group("gMonoPadrao");
    let group = match form {
        MonoRate::AdRem {
            quantity: q,
            ad_rem,
        } => group
            .with("qBCMono", quantity(q))
            .with(name(&["adRem", abbreviation]), rate(ad_rem)),
        MonoRate::AdValorem { base, p, p_mun } if abbreviation == "IBS" => group
            .with("vBCMono", value(base))
            .with("pAliqMonoUF", rate(p))
            .with("vIBSMonoUF", value(percent_of(base, p)))
            .with("pAliqMonoMun", rate(p_mun))
            .with("vIBSMonoMun", value(percent_of(base, p_mun))),
        MonoRate::AdValorem { base, p, .. } => group
            .with("vBCMono", value(base))
            .with("pAliqMonoCBS", rate(p)),
    };
    group.with(name(&["v", abbreviation, "Mono"]), value(total))
}

fn withholding(abbreviation: &'static str, form: MonoRate, total: Decimal) -> Node {
    let group = Node::group("gMonoReten");
    let group = match form {
        MonoRate::AdRem {
            quantity: q,
            ad_rem,
        } => group
            .with("qBCMonoReten", quantity(q))
            .with(name(&["adRem", abbreviation, "Reten"]), rate(ad_rem)),
        MonoRate::AdValorem { base, p, p_mun } => group
            .with("vBCMonoReten", value(base))
            .with("pAliqMonoReten", rate(p + p_mun)),
    };
    group.with(name(&["v", abbreviation, "MonoReten"]), value(total))
}

/// Before 010f: both taxes in each group, ad rem.
fn old(group: Node, mono: &SinglePhase, ibs: &Computed, cbs: &Computed) -> Node {
    let (i, c) = (&mono.ibs, &mono.cbs);
    group
        .child_if(both(i.default, c.default).map(|(q, a, b)| {
            Node::group("gMonoPadrao")
                .with("qBCMono", q)
                .with("adRemIBS", a)
                .with("adRemCBS", b)
                .with("vIBSMono", value(ibs.default))
                .with("vCBSMono", value(cbs.default))
        }))
        .child_if(both(i.withholding, c.withholding).map(|(q, a, b)| {
            Node::group("gMonoReten")
                .with("qBCMonoReten", q)
                .with("adRemIBSReten", a)
                .with("vIBSMonoReten", value(ibs.withholding))
                .with("adRemCBSReten", b)
                .with("vCBSMonoReten", value(cbs.withholding))
        }))
        .child_if(both_withheld(i.withheld, c.withheld).map(|(q, a, b)| {
            Node::group("gMonoRet")
                .with("qBCMonoRet", q)
                .with("adRemIBSRet", a)
                .with("vIBSMonoRet", value(ibs.withheld))
                .with("adRemCBSRet", b)
                .with("vCBSMonoRet", value(cbs.withheld))
        }))
        .child_if(i.p_dif.zip(c.p_dif).map(|(a, b)| {
            Node::group("gMonoDif")
                .with("pDifIBS", rate(a))
                .with("vIBSMonoDif", value(ibs.deferred))
                .with("pDifCBS", rate(b))
                .with("vCBSMonoDif", value(cbs.deferred))
        }))
}

/// Quantity and both rates, as written.
fn both(ibs: Option<MonoRate>, cbs: Option<MonoRate>) -> Option<(String, String, String)> {
    match (ibs?, cbs?) {
        (
            MonoRate::AdRem {
                quantity: q,
                ad_rem: a,
            },
            MonoRate::AdRem { ad_rem: b, .. },
        ) => Some((quantity(q), rate(a), rate(b))),
        _ => None,
    }
}

fn both_withheld(ibs: Option<Withheld>, cbs: Option<Withheld>) -> Option<(String, String, String)> {
    match (ibs?, cbs?) {
        (
            Withheld::AdRem {
                quantity: q,
                ad_rem: a,
            },
            Withheld::AdRem { ad_rem: b, .. },
        ) => Some((quantity(q), rate(a), rate(b))),
        _ => None,
    }
}

fn name(parts: &[&str]) -> Name {
    Name::Owned(parts.concat())
}
